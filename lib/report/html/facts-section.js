import { DOLLARS_A_MILLION, dollarsSpentOn, hasThesePrices } from '../../cost/prices.js';
import { decimal, percent } from '../../text/figures.js';
import { formatSize } from '../../text/units.js';
import { DEFAULT_AMOUNTS } from '../../operations/amounts.js';
import { DEFAULT_PART_BYTES, DEFAULT_PART_THREADS } from '../../operations/multipart.js';
import { DEFAULT_STAGES } from '../../operations/registry.js';
import { coloLine } from '../colo-line.js';
import { table } from './figures.js';
import { html } from './markup.js';

/**
 * @import { CommonOptions, HostResult, Result, StageSum } from '../../model/result.js'
 * @import { Content } from './markup.js'
 * @import { Section } from './page.js'
 */

/**
 * How a run was made: command, environment, versions, cost.
 *
 * @param {Result} result
 * @returns {Section}
 */
export function factsSection(result) {
  const { run, host, start, clock, options, versions, hosts, stages } = result;
  /** @type {[term: string, content: Content][]} */
  const facts = [
    ...entry('Run', run),
    ...entry('Began', start),
    ...entry('Command', options === null ? null : html`<code>${commandOf(options, identityOf(result))}</code>`),
    ...entry('Endpoint', options?.endpoint ?? null),
    ...entry('Host', host),
    ...entry('CPUs', cpusOf(stages)),
    ...entry('Data centers', coloLine(stages)),
    ...entry(
      'Clock',
      clock === null
        ? null
        : `of the store, ${decimal(clock.offset)} ms ahead of the host's, ±${decimal(clock.uncertainty)} ms`,
    ),
    ...entry(
      'Versions',
      versions === null
        ? null
        : Object.entries(versions)
            .map(([name, version]) => `${name} ${version ?? 'not the same everywhere'}`)
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

/**
 * Which part of the objects of a run its hosts have.
 *
 * @typedef {object} Identity
 * @property {string | null} run null where the hosts have no run in common
 * @property {string | null} shard such as `0/3`, or `?/3` of several hosts; null where a host has all objects of its run
 */

/** @type {Readonly<Identity>} */
const NO_IDENTITY = { run: null, shard: null };

const SHARD = /^(\d+)\/(\d+)$/;

/**
 * @param {Result} result
 * @returns {Identity}
 */
function identityOf({ run, shard, hosts }) {
  const shards = (hosts.length === 0 ? [shard] : hosts.map((host) => host.shard)).map((each) => SHARD.exec(each ?? ''));
  const [first] = shards;
  const isOfOne = first !== null && shards.every((each) => each !== null && each[2] === first[2]);
  if (!isOfOne || first[2] === '1') {
    return NO_IDENTITY;
  }
  const indexes = new Set(shards.map((each) => each?.[1]));
  return { run, shard: `${indexes.size === 1 ? first[1] : '?'}/${first[2]}` };
}

/**
 * The command line that makes the same load. What is as it is by default is left out; what differs between hosts is a question
 * mark.
 *
 * @param {CommonOptions} options
 * @param {Identity} [identity]
 * @returns {string} each word as a shell takes it, wherever the result comes from
 */
export function commandOf(options, { run, shard } = NO_IDENTITY) {
  const { objects, threads, size, stages, client, timeout, retries, keepAlive, duration, gap, rate, arrival, warmup } =
    options;
  const { sizes, access, keep, findPeak, ramp, rampHosts, stepTime, peakOf, target, slo, untilStable, existing } =
    options;
  const { local, faults, through, mix, rangeSize, pageSize, batch, multipart, partSize, partThreads, checksum } =
    options;
  const ofOurs = sizes ? valued('size', sizes, String) : valued('size', size, formatSize, 16 * 1024);
  const parts = [
    ...(local ? ['--local'] : []),
    ...valued('faults', faults, String),
    ...valued('client', client, String, 'direct'),
    ...(through ? ['--through'] : []),
    // The objects have the sizes that they have.
    ...(existing ? [`--existing ${quoted(existing)}`] : ofOurs),
    ...valued('access', access, String),
    // A mix has its own stages, and is refused with others.
    ...(mix ? valued('mix', mix, String) : stagesOption(stages)),
    ...valued('range-size', rangeSize, formatSize, DEFAULT_AMOUNTS.rangeSize),
    ...valued('page-size', pageSize, String, DEFAULT_AMOUNTS.pageSize),
    ...valued('batch', batch, String, DEFAULT_AMOUNTS.batch),
    ...(multipart ? ['--multipart'] : []),
    ...valued('part-size', partSize, formatSize, DEFAULT_PART_BYTES),
    ...valued('part-threads', partThreads, String, DEFAULT_PART_THREADS),
    ...valued('checksum', checksum, String),
    ...valued('rate', rate, String),
    ...valued('arrival', arrival, String, 'constant'),
    ...valued('duration', duration, time),
    ...valued('warmup', warmup, time),
    ...valued('until-stable', untilStable, (share) => `${Number((100 * share).toFixed(3))}%`),
    ...(findPeak ? ['--find-peak'] : []),
    ...valued('peak-of', peakOf, String),
    ...valued('target', target, String),
    ...valued('slo', slo, time),
    ...valued('ramp', ramp, String),
    ...(rampHosts ? ['--ramp-hosts'] : []),
    ...valued('step-time', stepTime, time, 10_000),
    ...(duration || ramp || rampHosts ? valued('gap', gap, time, 5000) : []),
    ...valued('timeout', timeout, time, 10_000),
    ...valued('retries', retries, String, 19),
    ...(keepAlive === false ? ['--no-keep-alive'] : []),
    ...(keep ? ['--keep'] : []),
    ...(shard === null ? [] : [`--shard ${shard}`, `--run-id ${run === null ? '?' : word(run)}`]),
  ];
  const amounts = [objects, threads].map((amount) =>
    amount === null || amount === undefined ? '?' : word(String(amount)),
  );
  return ['r2-benchmark', ...amounts, ...parts].join(' ');
}

/**
 * @param {CommonOptions['stages']} stages
 * @returns {string[]}
 */
function stagesOption(stages) {
  return stages && stages.join() !== DEFAULT_STAGES.join() ? valued('stages', stages.join(), String) : [];
}

/**
 * @template Value
 * @param {string} name
 * @param {Value | null | undefined} value
 * @param {(value: Value) => string} format
 * @param {Value} [fallback]
 * @returns {string[]}
 */
function valued(name, value, format, fallback) {
  return value === null || value === undefined || value === fallback ? [] : [`--${name} ${word(format(value))}`];
}

/**
 * @param {string} text
 * @returns {string} that a shell takes for one word, and for nothing else
 */
function word(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : quoted(text);
}

/** @param {string} text for a shell */
function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** @param {number} ms */
function time(ms) {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
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

/**
 * What the operations cost that were done, by R2's list prices.
 *
 * @param {Pick<Result, 'options' | 'stages'>} result
 * @returns {string | null} null for a store that is not R2
 */
function costText({ options, stages }) {
  if (!hasThesePrices(hostnameOf(options?.endpoint ?? ''))) {
    return null;
  }
  return (
    `$${decimal(dollarsSpentOn(stages), 4)} for the attempts of the stages at R2's list prices ($${DOLLARS_A_MILLION.A} for each million of ` +
    `Class A, $${DOLLARS_A_MILLION.B} of Class B), without what is free each month`
  );
}

/** @param {string} endpoint which may be anything */
function hostnameOf(endpoint) {
  return URL.canParse(endpoint) ? new URL(endpoint).hostname : '';
}

/** @param {readonly HostResult[]} hosts */
function hostsTable(hosts) {
  return table({
    caption: 'The hosts',
    columns: [
      { title: 'Host', kind: 'text', cell: ({ merge, host }) => merge?.name ?? host },
      { title: 'File', kind: 'text', cell: ({ merge }) => merge?.file ?? null },
      { title: 'Run', kind: 'text', cell: ({ run }) => run },
      { title: 'Shard', kind: 'text', cell: ({ shard }) => shard },
      { title: 'Began', kind: 'text', cell: ({ start }) => start },
    ],
    rows: hosts,
  });
}

/**
 * What a reader must know before the figures are believed.
 *
 * @param {Result} result
 */
function notes({ problems, merge }) {
  const warnings = (merge?.warnings ?? []).map(
    ({ file, line, message }) => `${file}${line === null ? '' : `:${line}`}: ${message}`,
  );
  const all = [...problems, ...warnings];
  return all.length === 0
    ? null
    : html`<h3>Warnings</h3>
        <ul class="warnings">
          ${all.map((text) => html`<li>${text}</li>`)}
        </ul> `;
}
