import { DOLLARS_PER_MILLION, dollarsSpentOn, hasThesePrices } from '../../cost/prices.js';
import { decimal, percent } from '../../text/figures.js';
import { commandOf } from '../../options/recorded-options.js';
import { shellWord } from '../../text/shell-words.js';
import { coloLine } from '../colo-line.js';
import { warningText } from '../headline.js';
import { table } from './figures.js';
import { html, withWholeOptions } from './markup.js';

/**
 * @import { HostResult, Result, StageSum } from '../../model/result.js'
 * @import { Content } from './markup.js'
 * @import { Section } from './page.js'
 */

/**
 * @param {Result} result
 * @returns {Section}
 */
export function factsSection(result) {
  const { run, host, start, clock, options, versions, hosts, stages } = result;
  /** @type {[term: string, content: Content][]} */
  const facts = [
    ...entry('Run', run),
    ...entry('Started', start),
    ...entry(
      'Command',
      options === null ? null : html`<code>${withWholeOptions(commandOf(options, wordsOfShard(result)))}</code>`,
    ),
    ...entry('Endpoint', options?.endpoint ?? null),
    ...entry('Host', host),
    ...entry('CPUs', cpusOf(stages)),
    ...entry('Data centres', coloLine(stages)),
    ...entry(
      'Clock',
      clock === null
        ? null
        : `the store's, ${decimal(clock.offset)} ms ahead of the host's, ±${decimal(clock.uncertainty)} ms`,
    ),
    ...entry(
      'Versions',
      versions === null
        ? null
        : Object.entries(versions)
            .map(([name, version]) => `${name} ${version ?? 'differs between hosts'}`)
            .join(', '),
    ),
    ...entry('Cost', costText(result)),
  ];
  return {
    id: 'run',
    title: 'How it was measured',
    body: html`<dl class="facts">
        ${facts.map(
          ([term, content]) =>
            html`<dt>${term}</dt>
              <dd>${content}</dd> `,
        )}
      </dl>
      ${hosts.length > 1 ? hostsTable(hosts) : null}${notes(result)}`,
  };
}

/**
 * @param {string} term
 * @param {Content} content
 * @returns {[term: string, content: Content][]}
 */
function entry(term, content) {
  return content === null ? [] : [[term, content]];
}

/** Options with which a later run uses the same shard of the objects. @param {Result} result */
function wordsOfShard({ run, shard }) {
  const isSplit = shard !== null && !shard.endsWith('/1');
  return isSplit ? ['--shard', shard, '--run-id', run === null ? '?' : shellWord(run)] : [];
}

/** @param {readonly StageSum[]} stages */
function cpusOf(stages) {
  const loads = stages.flatMap(({ hostLoad }) => hostLoad?.cpu ?? []);
  if (loads.length === 0) {
    return null;
  }
  const busiest = Math.max(...loads.map(({ busy }) => busy));
  return `${loads[0].usable} usable, up to ${percent(busiest)} busy`;
}

/** Null unless the store is R2. @param {Pick<Result, 'options' | 'stages'>} result */
function costText({ options, stages }) {
  if (!hasThesePrices(hostnameOf(options?.endpoint ?? ''))) {
    return null;
  }
  return (
    `$${decimal(dollarsSpentOn(stages), 4)} for the attempts of the stages at R2's list prices ($${DOLLARS_PER_MILLION.A} per million ` +
    `Class A and $${DOLLARS_PER_MILLION.B} per million Class B operations), before the monthly free tier`
  );
}

/** @param {string} endpoint any text */
function hostnameOf(endpoint) {
  return URL.canParse(endpoint) ? new URL(endpoint).hostname : '';
}

/** @param {readonly HostResult[]} hosts */
function hostsTable(hosts) {
  return table('Merged hosts', {
    columns: [
      { title: 'Host', value: ({ merge, host }) => merge?.name ?? host },
      { title: 'File', value: ({ merge }) => merge?.file },
      { title: 'Run', value: ({ run }) => run },
      { title: 'Shard', value: ({ shard }) => shard },
      { title: 'Started', value: ({ start }) => start },
    ],
    rows: hosts,
  });
}

/** @param {Result} result */
function notes({ problems, merge }) {
  const all = [...problems, ...(merge?.warnings ?? []).map(warningText)];
  return all.length === 0
    ? null
    : html`<h3>Warnings</h3>
        <ul class="warnings">
          ${all.map((text) => html`<li>${text}</li>`)}
        </ul> `;
}
