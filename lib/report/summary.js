import { formatEvidence, shortLimit } from '../text/figures.js';
import { counted, decimal, percent, rounded } from '../text/figures.js';
import { plainLine } from '../text/plain-text.js';
import { formatMegabytes, formatSize } from '../text/units.js';
import { isClean, shortcomingsOf } from '../model/completeness.js';
import { failedAttemptsOf } from '../model/failed-attempts.js';
import { answerOf } from './answer.js';
import { bindingRows } from './binding-rows.js';
import { cacheRows, statusFindings, statusTitle } from './cache-rows.js';
import { limitReasons } from './limit-reasons.js';

/**
 * @import { KindSum, LatencySummary, ThresholdResult } from '../model/result.js'
 * @import { WritableResult, WritableStage } from '../model/write-result.js'
 * @import { ResultReporter } from './reporter.js'
 */

/** Further problems, warnings and hosts are only in the JSON result. */
const MAX_LISTED = 20;

const UNKNOWN = '–';

/** Characters that Markdown might read as emphasis, code, a cell, a formula, a link or a mention. */
const PUNCTUATION = /[\\`*_[\]|~$#@]|:(?=\S)|(?<=www)\./gi;

/** Line starts that Markdown might read as a list, the underline of a heading, or a rule. */
const BLOCK_START = /^[-+=]|(?<=^\d+)[.)](?=\s|$)/;

const STAGE_COLUMNS = [
  ...['Stage', 'Operations', 'Mean ops/s', 'Peak ops/s', 'MiB/s', 'p50', 'p90', 'p95', 'p99', 'p99.9', 'max', 'Errors'],
  'Limited by',
];

const CACHE_LATENCIES = /** @type {const} */ (['p50', 'p90', 'p99', 'maximum']);

const CACHE_COLUMNS = ['Stage', 'Status', 'Operations', 'Share', 'ops/s', 'p50', 'p90', 'p99', 'max'];

/** A page of Markdown for CI jobs. @satisfies {ResultReporter} */
export const summaryReporter = {
  option: 'summary',
  *format(result) {
    yield `## r2-benchmark: ${outcomeOf(result)}\n\n${escapeMarkdown(answerOf(result))}\n`;
    yield* section(null, thresholdTable(result.thresholds ?? []));
    yield* section(null, stageTable(result.stages));
    yield* section(statusTitle(result.stages), cacheLines(result.stages));
    yield* section('Binding of the Worker', bindingLines(result.stages));
    yield* section('Bottlenecks', limitLines(result.stages));
    yield* section('Problems', problemLines(result));
    yield* section('How it was measured', factLines(result));
  },
};

/**
 * @param {string | null} title
 * @param {readonly string[]} lines of Markdown; without any, the section is left out
 */
function* section(title, lines) {
  if (lines.length > 0) {
    yield `\n${title === null ? '' : `### ${title}\n\n`}${lines.join('\n')}\n`;
  }
}

/** @param {WritableResult} result */
function outcomeOf(result) {
  const thresholds = result.thresholds ?? [];
  const count = (/** @type {ThresholdResult['outcome']} */ wanted) =>
    thresholds.filter(({ outcome }) => outcome === wanted).length;
  const parts = [
    ...(problemLines(result).length > 0 ? ['something went wrong'] : []),
    ...(count('missed') > 0 ? [`${counted(count('missed'), 'threshold')} missed`] : []),
    ...(count('inconclusive') > 0 ? [`${counted(count('inconclusive'), 'threshold')} inconclusive`] : []),
  ];
  if (parts.length > 0) {
    return parts.join(', ');
  }
  return thresholds.length === 0 ? 'no problems' : `no problems, ${counted(thresholds.length, 'threshold')} met`;
}

/** @param {readonly ThresholdResult[]} thresholds */
function thresholdTable(thresholds) {
  const rows = thresholds.map(({ expression, outcome, message }) => [
    escapeMarkdown(expression),
    outcome === 'passed' ? 'passed' : `**${outcome}**`,
    escapeMarkdown(message),
  ]);
  return table(['Threshold', 'Outcome', 'Figures'], rows);
}

/** @param {readonly WritableStage[]} stages */
function stageTable(stages) {
  const rows = stages.flatMap((stage) => [
    rowOf(stage.stage, stage),
    ...(stage.kinds ?? []).map((kind) => rowOf(`${stage.stage}: ${kind.operation}`, kind)),
  ]);
  return table(STAGE_COLUMNS, rows);
}

/** Empty if nothing was read through a cache. @param {readonly WritableStage[]} stages */
function cacheLines(stages) {
  const rows = cacheRows(stages).map(({ heading, cache, share }) => [
    escapeMarkdown(heading),
    escapeMarkdown(cache.status),
    rounded(cache.operations),
    percent(share),
    known(cache.average, decimal),
    ...CACHE_LATENCIES.map((field) => milliseconds(cache.latency, field)),
  ]);
  return rows.length === 0 ? [] : [...table(CACHE_COLUMNS, rows), '', ...statusFindings(stages).map(escapeMarkdown)];
}

/** Empty without a Worker. @param {readonly WritableStage[]} stages */
function bindingLines(stages) {
  const rows = bindingRows(stages).map(({ stage, timed, user, binding }) => [
    escapeMarkdown(stage),
    ...[milliseconds(user, 'p50'), milliseconds(user, 'p99')],
    timed,
    ...[milliseconds(binding, 'p50'), milliseconds(binding, 'p99')],
  ]);
  return table(['Stage', 'p50', 'p99', 'Binding', 'Binding p50', 'Binding p99'], rows);
}

/**
 * @param {string} name
 * @param {WritableStage | KindSum} figures
 * @returns {string[]} one cell per column
 */
function rowOf(name, figures) {
  const { operations, average, peak, averageBytes, latency, bottleneck } = figures;
  const summary = latency.operations;
  const times = /** @type {const} */ (['p50', 'p90', 'p95', 'p99', 'p999', 'maximum']).map((field) =>
    milliseconds(summary, field),
  );
  return [
    escapeMarkdown(name),
    known(operations, rounded),
    known(average, decimal),
    known(peak, decimal),
    known(averageBytes || null, formatMegabytes),
    ...times,
    rounded(failedAttemptsOf(/** @type {WritableStage} */ (figures))),
    known(bottleneck && shortLimit(bottleneck), escapeMarkdown),
  ];
}

/**
 * @template Value
 * @param {Value | null | undefined} value
 * @param {(value: Value) => string} format
 */
function known(value, format) {
  return value === null || value === undefined ? UNKNOWN : format(value);
}

/**
 * @param {LatencySummary | null} summary
 * @param {Exclude<keyof LatencySummary, 'count'>} field
 */
function milliseconds(summary, field) {
  return summary === null ? UNKNOWN : `${summary[field].toFixed(2)}ms`;
}

/**
 * @param {readonly string[]} columns
 * @param {readonly (readonly string[])[]} rows
 * @returns {string[]} empty without rows
 */
function table(columns, rows) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.join(' | ')} |`;
  return rows.length === 0 ? [] : [line(columns), line(columns.map(() => '---')), ...rows.map(line)];
}

/** @param {readonly WritableStage[]} stages */
function limitLines(stages) {
  return stages.flatMap(({ stage, bottleneck, merge }) => {
    const of = (/** @type {string} */ text) => `- **${escapeMarkdown(stage)}**: ${escapeMarkdown(text)}`;
    if (bottleneck && bottleneck.evidence !== null) {
      return [of(`${bottleneck.cause}: ${formatEvidence(bottleneck)}`)];
    }
    return merge === undefined ? [] : limitReasons(merge).map(of);
  });
}

/** @param {WritableResult} result */
function problemLines({ problems, stages, cleanup, merge }) {
  const left = cleanup === null || isClean(cleanup) ? [] : [`clean-up: ${cleanupText(cleanup.left)}`];
  const all = [
    ...problems,
    ...stages.flatMap((stage) => shortcomingsOf(stage).map((shortcoming) => `${stage.stage}: ${shortcoming}`)),
    ...left,
    ...(merge?.warnings ?? [])
      .filter(({ incomplete }) => incomplete)
      .map(({ file, line, message }) => `${file}${line === null ? '' : `:${line}`}: ${message}`),
  ];
  return limited(
    all.map((problem) => `- ${escapeMarkdown(problem)}`),
    '- and',
  );
}

/** @param {number} left objects; negative if they could not be counted */
function cleanupText(left) {
  return left < 0 ? 'the remaining objects could not be counted' : `${counted(left, 'object')} left`;
}

/**
 * @param {readonly string[]} lines
 * @param {string} before text before the number of further lines
 */
function limited(lines, before) {
  const more = lines.length - MAX_LISTED;
  return more > 0 ? [...lines.slice(0, MAX_LISTED), `${before} ${rounded(more)} more`] : [...lines];
}

/** @param {WritableResult} result */
function factLines({ run, hosts, start, versions, options }) {
  const names = limited([...new Set(hosts.map(({ merge, host }) => merge?.name ?? host ?? 'unknown'))], 'and').join(
    ', ',
  );
  const facts = [
    ['Run', run],
    [hosts.length === 1 ? 'Host' : 'Hosts', names],
    ['Started', start],
    ['Load', options === null ? null : loadText(options)],
    ['Versions', versions === null ? null : namedValues(versions)],
  ];
  return facts.flatMap(([name, value]) =>
    value === null || value === '' ? [] : [`- ${name}: ${escapeMarkdown(String(value))}`],
  );
}

/** @param {NonNullable<WritableResult['options']>} options */
function loadText({ objects, threads, size, sizes, access, existing, client, duration, rate, endpoint, buckets }) {
  return [
    known(objects, (value) => counted(value, 'object')),
    sizes && !existing ? `of ${sizes}` : known(size, (value) => `of ${existing ? 'up to ' : ''}${formatSize(value)}`),
    known(access, (value) => `read in ${value} order`),
    known(threads, (value) => `in ${counted(value, 'thread')}`),
    known(rate, (value) => `at ${decimal(value)} ops/s`),
    known(duration, (value) => `for ${value / 1000}s per stage`),
    known(client, (value) => `with the ${value} client`),
    known(buckets, (value) => `in ${counted(value, 'bucket')}`),
    known(endpoint, (value) => `at ${value}`),
  ]
    .filter((part) => part !== UNKNOWN)
    .join(' ');
}

/** @param {Readonly<Record<string, string | null>>} values */
function namedValues(values) {
  return Object.entries(values)
    .flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]))
    .join(', ');
}

/** Escapes text into one line for a paragraph, a list or a cell of Markdown. @param {string} text from any source */
export function escapeMarkdown(text) {
  // Markdown never shows leading blanks, and several of them start a code block.
  return plainLine(text)
    .trimStart()
    .replace(PUNCTUATION, String.raw`\$&`)
    .replace(BLOCK_START, String.raw`\$&`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
