import { bucketFindings } from '../../result/bottleneck/bucket-findings.js';
import { bottleneckSentence } from '../../result/bottleneck/sentence.js';
import { DOLLARS_PER_MILLION, dollarsSpentOn, hasThesePrices } from '../../run/prices.js';
import { figuresOf } from '../../result/figures/catalogue.js';
import { stageTable } from '../../result/figures/stage-table.js';
import { hostsWithPercentiles } from '../../result/completeness.js';
import { writeResult } from '../../result/write-result.js';
import { commandOf } from '../../options/recorded-options.js';
import { decimal, percent } from '../../text/figures.js';
import { shellWord } from '../../text/shell-words.js';
import { coloLine, formatErrors, limitReasons, stageFindings } from '../stage-findings.js';
import { headlinesOf, problemsOf, warningText } from '../headline.js';
import { table } from './figures.js';
import { headings, html, withWholeOptions } from './markup.js';
import { formatPage } from './page.js';
import { latencySection, searchSection, timeSection } from './charts-sections.js';
import { connectionsSection, hostsSection, notedSection, thresholdsSection } from './table-sections.js';

/**
 * @import { HostResult, Result, StageSum } from '../../result/result.js'
 * @import { WritableResult } from '../../result/write-result.js'
 * @import { Column } from '../../result/figures/table.js'
 * @import { Content } from './markup.js'
 * @import { Section } from './page.js'
 */

/** Maximum characters of per-second histograms, about an hour of three stages: more would make the page slow. */
const MAX_HISTOGRAM_TEXT = 16 * 1024 * 1024;

/** Further problems are only in the text and the data below. */
const MAX_PROBLEMS = 3;

/**
 * The page of a result: a run, a search, or a merge of several hosts.
 *
 * @param {WritableResult} written
 * @returns {Generator<string, void, undefined>} the page in chunks
 */
export function reportPage(written) {
  const result = { ...written, stages: written.stages.map((stage) => ({ ...stage, seconds: [...stage.seconds] })) };
  const { embedded, isWhole } = withRoomFor(result);
  const sections = [
    stagesSection(result),
    searchSection(result),
    thresholdsSection(result),
    factsSection(result),
    timeSection(result),
    latencySection(result),
    hostsSection(result),
    connectionsSection(result),
    notedSection(result),
    methodSection(result, isWhole),
  ].filter((section) => section !== null);
  return formatPage({
    title: `r2-benchmark ${result.run ?? result.hosts.find(({ run }) => run !== null)?.run ?? ''}`.trim(),
    header: html`<p class="eyebrow">
        r2-benchmark
        report${result.start === null ? null : html`, <time datetime="${result.start}">${result.start}</time>`}
      </p>
      ${headings(headlinesOf(result))} ${statusNote(result)}`,
    sections,
    data: { result: writeResult(embedded) },
  });
}

/** Drops the per-second histograms if they are too large for a page. @param {Result} result */
function withRoomFor(result) {
  const length = result.stages.reduce(
    (sum, { seconds }) => sum + seconds.reduce((text, { histogram }) => text + (histogram?.length ?? 0), 0),
    0,
  );
  if (length <= MAX_HISTOGRAM_TEXT) {
    return { embedded: result, isWhole: true };
  }
  const stages = result.stages.map((stage) => ({
    ...stage,
    seconds: stage.seconds.map((second) => ({ ...second, histogram: null })),
  }));
  return { embedded: { ...result, stages }, isWhole: false };
}

/** The warning above incomplete figures: what is missing, failed or ended early. @param {Result} result */
function statusNote(result) {
  const problems = problemsOf(result);
  const more = problems.length - MAX_PROBLEMS;
  return problems.length === 0
    ? null
    : html`<p class="status" role="note">
        <strong>Incomplete.</strong>
        ${problems.slice(0, MAX_PROBLEMS).join('; ')}${more > 0 ? `; and ${more} more` : ''}.
        <a href="#run">How it was measured</a>
      </p>`;
}

/**
 * @param {Result} result
 * @returns {Section}
 */
function stagesSection({ stages }) {
  return {
    id: 'stages',
    title: 'Stages',
    body: html`${definitionList(stages.map((stage) => [stage.stage, findingsOf(stage)]))}
    ${table('Results by stage', stageTable(stages))}`,
  };
}

/** @param {StageSum} stage */
function findingsOf(stage) {
  const { bottleneck = null, buckets = [], errors, paused, end, merge } = stage;
  const hosts = hostsWithPercentiles(stage);
  const texts = [
    bottleneckSentence(stage.stage, bottleneck),
    ...(bottleneck?.evidence || merge === undefined ? [] : limitReasons(merge).map((reason) => `${reason}.`)),
    ...(end && end !== 'complete' ? [`The stage ended early: ${end}.`] : []),
    ...(hosts === null ? [] : [`Percentiles are from ${hosts}.`]),
    ...(paused
      ? [`The stage was suspended for ${decimal(paused / 1000)} s: that time is excluded from rates and percentiles.`]
      : []),
    ...stageFindings(stage).map((finding) => `${finding[0].toUpperCase()}${finding.slice(1)}.`),
    ...(Object.keys(errors).length === 0 ? [] : [`Failed attempts: ${formatErrors(errors)}.`]),
    ...bucketFindings(buckets),
  ];
  return texts.map((text) => html`<p>${withWholeOptions(text)}</p>`);
}

/**
 * @param {Result} result
 * @returns {Section}
 */
function factsSection(result) {
  const { run, host, start, clock, options, versions, hosts, stages, problems, merge } = result;
  const named = Object.entries(versions ?? {}).map(
    ([name, version]) => `${name} ${version ?? 'differs between hosts'}`,
  );
  /** @type {[term: string, content: Content][]} */
  const facts = [
    ['Run', run],
    ['Started', start],
    ['Command', options && html`<code>${withWholeOptions(commandOf(options, wordsOfShard(result)))}</code>`],
    ['Endpoint', options?.endpoint ?? null],
    ['Host', host],
    ['CPUs', cpusOf(stages)],
    ['Data centres', coloLine(stages)],
    [
      'Clock',
      clock && `the store's, ${decimal(clock.offset)} ms ahead of the host's, ±${decimal(clock.uncertainty)} ms`,
    ],
    ['Versions', named.join(', ') || null],
    ['Cost', costText(result)],
    ...[...problems, ...(merge?.warnings ?? []).map(warningText)].map(
      (text) => /** @type {[string, Content]} */ (['Warning', text]),
    ),
  ];
  return {
    id: 'run',
    title: 'How it was measured',
    body: html`${definitionList(facts.filter(([, content]) => content !== null))}
    ${hosts.length > 1 ? table('Merged hosts', { columns: HOST_COLUMNS, rows: hosts }) : null}`,
  };
}

/** @type {readonly Column<HostResult>[]} */
const HOST_COLUMNS = [
  { title: 'Host', value: ({ merge, host }) => merge?.name ?? host },
  { title: 'File', value: ({ merge }) => merge?.file },
  { title: 'Run', value: ({ run }) => run },
  { title: 'Shard', value: ({ shard }) => shard },
  { title: 'Started', value: ({ start }) => start },
];

/** Options with which a later run uses the same shard of the objects. @param {Result} result */
function wordsOfShard({ run, shard }) {
  const isSplit = shard !== null && !shard.endsWith('/1');
  return isSplit ? ['--shard', shard, '--run-id', run === null ? '?' : shellWord(run)] : [];
}

/** @param {readonly StageSum[]} stages */
function cpusOf(stages) {
  const loads = stages.flatMap(({ hostLoad }) => hostLoad?.cpu ?? []);
  const busiest = Math.max(...loads.map(({ busy }) => busy));
  return loads.length === 0 ? null : `${loads[0].usable} usable, up to ${percent(busiest)} busy`;
}

/** Null unless the store is R2. @param {Pick<Result, 'options' | 'stages'>} result */
function costText({ options, stages }) {
  const endpoint = options?.endpoint ?? '';
  return URL.canParse(endpoint) && hasThesePrices(new URL(endpoint).hostname)
    ? `$${decimal(dollarsSpentOn(stages), 4)} for the attempts of the stages at R2's list prices ($${DOLLARS_PER_MILLION.A} per million ` +
        `Class A and $${DOLLARS_PER_MILLION.B} per million Class B operations), before the monthly free tier`
    : null;
}

/** Besides those of the catalogue. @type {readonly [term: string, definition: string][]} */
const DEFINITIONS = [
  [
    'Rate',
    'The capacity if it was searched for; for several hosts, the mean of the whole seconds in which all of them were in the stage; otherwise the successful operations ÷ time, both without warm-up and drain. Nothing counts as a success until it has been verified.',
  ],
  [
    'ops/s in a second',
    "Operations that completed in that whole UTC second, by the store's clock if it could be measured. The count is not scaled.",
  ],
  ['MiB/s', 'Object data in units of 1024 × 1024 bytes.'],
  [
    'Latency',
    'From the first attempt of an operation to its success, including pauses between attempts. In an open loop, from the time at which the operation was due. Percentiles come from HdrHistograms, to within 0.1%; they are never averaged.',
  ],
  ['Knee', 'The fewest threads that reached the plateau of a search or ramp.'],
  ['Interval', 'Contains the true rate with the stated confidence.'],
  ['Limited by', 'The bottleneck: proven by the figures, or likely if one precondition of the proof is missing.'],
];

/**
 * @param {Result} result
 * @param {boolean} isWhole whether the page contains the whole result
 * @returns {Section}
 */
function methodSection({ hosts }, isWhole) {
  const files = [...new Set(hosts.flatMap(({ merge }) => merge?.file ?? []))].join(', ') || 'the output of --json';
  const ofFigures = figuresOf('stages').map(({ title, meaning }) => /** @type {const} */ ([title, `${meaning}.`]));
  return {
    id: 'method',
    title: 'Method, definitions and data',
    body: html`${definitionList(new Map([...ofFigures, ...DEFINITIONS]))}
      <p>
        This page contains the complete
        result${isWhole ? '' : `, except the per-second histograms, which are in ${files}`}:
        <a id="download-json" download="result.json">JSON</a>
      </p> `,
  };
}

/** @param {Iterable<readonly [term: string, content: Content]>} entries */
function definitionList(entries) {
  return html`<dl>
    ${[...entries].map(
      ([term, content]) =>
        html`<dt>${term}</dt>
          <dd>${content}</dd> `,
    )}
  </dl>`;
}
