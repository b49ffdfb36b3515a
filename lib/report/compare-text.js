import { MIN_SECONDS } from '../statistics/dependent-mean.js';
import { counted, decimal } from '../text/figures.js';
import { plainLine, plainText } from '../text/plain-text.js';
import { formatMegabytes } from '../text/units.js';

/**
 * @import { ComparedDifference, ComparedMetric, ComparedSide, Comparison } from '../model/comparison.js'
 * @import { MetricComparison, StageComparison } from '../model/comparison.js'
 */

const WIDTH = 80;
const INDENT = '  ';

/** Longer texts get their own lines. */
const MAX_WHAT = 28;
const MAX_CELL = 22;

const SIDE_WIDTH = 'before'.length + 2;

/** Short enough for a table. @type {Readonly<Record<ComparedMetric, string>>} */
export const LABELS = Object.freeze({
  rate: 'ops/s',
  throughput: 'MiB/s',
  p50: 'p50',
  p90: 'p90',
  p99: 'p99',
  p999: 'p99.9',
  errors: 'errors',
  cpu: 'CPU/op',
});

const LATENCIES = ['p50', 'p90', 'p99', 'p999'];

/** Lines without control characters. @param {Comparison} comparison */
export function formatComparison(comparison) {
  const { before, after, mismatches, stages, margin } = comparison;
  const blocks = [
    [...sideLines('before', before), ...sideLines('after', after)],
    paragraph(
      'These verdicts hold for these two runs only: two runs cannot show how much one run differs from the next.',
    ),
    differenceLines(comparison.differences),
    ...(mismatches.length === 0
      ? []
      : [['Compared anyway (--force), despite mismatches:', ...mismatches.flatMap(item)]]),
    ...shortStages(stages),
    ...stages.filter((stage) => !isTooShort(stage)).map((stage) => stageLines(stage, margin)),
    ...onlyIn(comparison.stagesOfOne),
    paragraph(
      `The same: the whole interval is within ${percentage(margin)} of no change. Faster, slower, fewer, more: proven with 95% confidence for all figures together (Holm).`,
    ),
  ];
  return blocks.map((lines) => lines.map((line) => `${plainLine(line).trimEnd()}\n`).join('')).join('\n');
}

/** The first and the last second of a stage are incomplete. */
const PARTIAL_SECONDS = 2;

/**
 * Whether the stage is too short for a verdict, and its share of failed attempts did not change.
 *
 * @param {StageComparison} comparison
 */
function isTooShort({ seconds, metrics }) {
  const hasOtherErrors = metrics.some(({ verdict }) => verdict === 'more' || verdict === 'fewer');
  return Math.min(seconds.before, seconds.after) < MIN_SECONDS && !hasOtherErrors;
}

/** One block for all stages that are too short; empty if there are none. @param {readonly StageComparison[]} stages */
function shortStages(stages) {
  const short = stages.filter((stage) => isTooShort(stage) && stage.kindOf === undefined);
  if (short.length === 0) {
    return [];
  }
  const shown = short.map(({ stage, seconds, metrics }) => {
    const ratio = metrics.find(({ metric }) => metric === 'rate')?.ratio ?? null;
    const rate = ratio === null ? '' : `, ops/s × ${ratioText(ratio)}`;
    return `${stage} (${seconds.before} and ${seconds.after} whole seconds${rate})`;
  });
  const needed = MIN_SECONDS + PARTIAL_SECONDS;
  return [
    paragraph(
      `Too short to compare: ${shown.join(', ')}. A comparison needs ${MIN_SECONDS} whole seconds: run both with --duration ${needed}s or longer, plus any --warmup time, and with enough <objects>: writes stop when all are written, and Remove ends when none is left.`,
    ),
  ];
}

/**
 * @param {Omit<StageComparison, 'seconds'> & Partial<StageComparison>} comparison
 * @param {number} margin
 */
export function stageSentence({ stage, metrics }, margin) {
  const [rate] = metrics.filter(({ metric }) => metric === 'rate').map((each) => rateClause(each, margin));
  const [errors] = metrics.filter(({ metric }) => metric === 'errors');
  const latencies = ['faster', 'slower', 'the same'].flatMap((verdict) => {
    const names = metrics
      .filter((each) => LATENCIES.includes(each.metric) && each.verdict === verdict)
      .map(({ metric }) => LABELS[metric]);
    return names.length === 0 ? [] : [`${names.join(', ')} ${verdict}`];
  });
  const clauses = [
    rate ?? 'no rate',
    ...(latencies.length === 0 ? [] : [latencies.join(', ')]),
    ...(errors?.verdict === 'more' || errors?.verdict === 'fewer' ? [`${errors.verdict} attempts failed`] : []),
  ];
  return `${stage}: ${clauses.join('; ')}.`;
}

/** In a mix, only the errors of an operation have a verdict. @param {StageComparison} comparison of an operation */
function kindSentence({ stage, kindOf, metrics }) {
  const verdict = metrics.find(({ metric }) => metric === 'errors')?.verdict;
  const errors = verdict === 'more' || verdict === 'fewer' ? `; ${verdict} attempts failed` : '';
  return `${stage}, part of ${kindOf}${errors}.`;
}

/**
 * @param {MetricComparison} rate
 * @param {number} margin
 */
function rateClause({ verdict, ratio }, margin) {
  if (verdict === 'the same') {
    return `the same operations per second, within ${percentage(margin)}`;
  }
  if (verdict === 'cannot tell' || ratio === null) {
    return 'cannot tell whether the rate changed';
  }
  return `${percentage(Math.abs(ratio - 1))} ${ratio > 1 ? 'more' : 'fewer'} operations per second`;
}

/**
 * @param {'before' | 'after'} label
 * @param {ComparedSide} compared
 */
function sideLines(label, { name, run, hosts, start }) {
  const facts = [
    run === null ? null : `run ${plainText(run)}`,
    counted(hosts, 'host'),
    start === null ? null : `${plainText(start).slice(0, '2026-01-31T12:00:00'.length).replace('T', ' ')} UTC`,
  ].filter((fact) => fact !== null);
  const room = WIDTH - SIDE_WIDTH;
  const [shown, known] = [plainText(name), facts.join(', ')];
  const lines = shown.length + known.length + 2 <= room ? [`${shown}: ${known}`] : [cut(shown, room), cut(known, room)];
  return lines.map((line, index) => (index === 0 ? label : '').padEnd(SIDE_WIDTH) + line);
}

/** @param {readonly ComparedDifference[]} differences */
function differenceLines(differences) {
  if (differences.length === 0) {
    return ['As far as the results show, the runs differ only in their figures.'];
  }
  const rows = differences.map(({ what, before, after }) => ({
    what: plainText(what),
    cells: [before, after].map((text) => (text === null ? '-' : plainText(text))),
  }));
  const isShort = (/** @type {typeof rows[number]} */ { what, cells }) =>
    what.length <= MAX_WHAT && cells.every((cell) => cell.length <= MAX_CELL);
  const row = (/** @type {string} */ what, /** @type {readonly string[]} */ [before, after]) =>
    `${INDENT}${what.padEnd(MAX_WHAT)} ${before.padEnd(MAX_CELL)} ${after}`;
  return [
    'Differences between the runs',
    row('', ['before', 'after']),
    ...rows.flatMap((each) =>
      isShort(each)
        ? [row(each.what, each.cells)]
        : [
            cut(INDENT + each.what, WIDTH),
            ...['before', 'after'].map((label, index) =>
              cut(INDENT + INDENT + label.padEnd(SIDE_WIDTH) + each.cells[index], WIDTH),
            ),
          ],
    ),
  ];
}

/**
 * @param {StageComparison} comparison
 * @param {number} margin
 */
function stageLines(comparison, margin) {
  const { seconds, metrics } = comparison;
  /** Metrics by reason. @type {Map<string, string[]>} */
  const missing = new Map();
  for (const { metric, reason } of metrics) {
    if (reason !== null) {
      missing.set(reason, [...(missing.get(reason) ?? []), LABELS[metric]]);
    }
  }
  return [
    ...paragraph(comparison.kindOf === undefined ? stageSentence(comparison, margin) : kindSentence(comparison)),
    columns(['', 'before', 'after', 'ratio', '95% interval', '']),
    columns(['seconds', String(seconds.before), String(seconds.after), '', '', '']),
    ...metrics.map(metricRow),
    ...[...missing].flatMap(([reason, labels]) => item(`cannot tell for ${labels.join(', ')}: ${reason}`)),
  ];
}

/** @param {MetricComparison} comparison */
export function metricRow({ metric, before, after, ratio, low, high, verdict }) {
  const isOpen = low === null && high === null;
  const interval = isOpen
    ? '-'
    : `${low === null ? '0' : ratioText(low)} to ${high === null ? 'any' : ratioText(high)}`;
  const figures = [before, after].map((figure) => (figure === null ? '-' : figureText(metric, figure)));
  // The interval excludes 1, but with this many figures, one interval can do so by chance.
  const isDoubtful = verdict === 'cannot tell' && ((low ?? 0) > 1 || (high ?? Infinity) < 1);
  const shown = isDoubtful ? 'maybe chance' : verdict;
  return columns([LABELS[metric], ...figures, ratio === null ? '-' : ratioText(ratio), interval, shown]);
}

/** @param {readonly string[]} cells */
export function columns([label, before, after, ratio, interval, verdict]) {
  return `${INDENT}${label.padEnd(8)}${before.padStart(13)}${after.padStart(13)}${ratio.padStart(9)}  ${interval.padStart(17)}  ${verdict}`;
}

/**
 * @param {ComparedMetric} metric
 * @param {number} figure in the metric's unit
 */
function figureText(metric, figure) {
  if (metric === 'throughput') {
    return formatMegabytes(figure);
  }
  if (metric === 'errors') {
    return `${(100 * figure).toFixed(3)}%`;
  }
  if (metric === 'cpu') {
    return `${decimal(figure)}µs`;
  }
  return metric === 'rate' ? decimal(figure) : `${figure.toFixed(2)}ms`;
}

/** @param {number} ratio */
function ratioText(ratio) {
  return ratio < 1000 ? ratio.toFixed(3) : ratio.toExponential(1);
}

/** @param {number} share */
export function percentage(share) {
  return `${Number((100 * share).toFixed(1))}%`;
}

/** @param {Comparison['stagesOfOne']} stages */
function onlyIn({ before, after }) {
  const lines = [
    ...(before.length === 0 ? [] : paragraph(`Only before: ${before.join(', ')}.`)),
    ...(after.length === 0 ? [] : paragraph(`Only after: ${after.join(', ')}.`)),
  ];
  return lines.length === 0 ? [] : [lines];
}

/** @param {string} text */
export function item(text) {
  return paragraph(text, INDENT);
}

/**
 * @param {string} text
 * @param {string} [indent] of the first line; doubled for the rest
 */
export function paragraph(text, indent = '') {
  /** @type {string[]} */
  const lines = [];
  let line = indent;
  for (const word of plainText(text, Infinity).split(' ')) {
    if (line.trim() !== '' && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = indent + indent;
    }
    line += line.trim() === '' ? word : ` ${word}`;
  }
  return [...lines, line];
}

/**
 * @param {string} line
 * @param {number} room
 */
function cut(line, room) {
  return line.length <= room ? line : `${line.slice(0, room - 1)}…`;
}
