import { counted } from '../log/figures.js';
import { plainLine } from '../log/plain-text.js';
import { formatMegabytes } from '../log/units.js';
import { errorsText } from './error-words.js';
import { limitsText } from './peak-hosts.js';
import { formatStretch } from './peak-times.js';

/**
 * @import { StageAggregate } from '../merge/aggregate-stage.js'
 * @import { Overlap } from '../merge/overlap.js'
 */

/**
 * What there is to say of a stage.
 *
 * @param {StageAggregate} stage
 * @param {boolean} isDated
 * @returns {[label: string, text: string][]}
 */
export function stageLines(stage, isDated) {
  const { peak, sustained, together, hosts } = stage;
  const when =
    peak.second === null
      ? 'the mean of the stage, which no whole second of it reaches'
      : `${formatStretch(peak.second, 1, isDated)}, ${peak.hosts} of ${counted(hosts, 'host')}`;
  const all = hosts > 1 ? 'all hosts in' : 'whole seconds';
  return [
    ['Peak second', `${rates(peak)}  ${when}`],
    [
      'Best 10 seconds',
      sustained === null
        ? 'none: no ten seconds in a row'
        : `${rates(sustained)}  ${formatStretch(sustained.from, sustained.seconds, isDated)}`,
    ],
    [
      `Mean, ${all}`,
      together === null
        ? `none: no whole second ${hosts > 1 ? 'in which all hosts were in the stage' : 'in the stage'}`
        : `${rates(together)}  over ${counted(together.seconds, 'whole second')}`,
    ],
    ...(hosts === 1 ? [] : linesOfSeveral(stage)),
    ['Operations', operationsText(stage)],
    ['Errors', errorsText(stage.errors)],
    ...limitsLine(stage),
    ...latencyLines(stage),
  ];
}

/**
 * What would repeat the peak, or say nothing, of one host alone.
 *
 * @param {StageAggregate} stage
 * @returns {[label: string, text: string][]}
 */
function linesOfSeveral({ sumOfPeaks, overlap, hosts }) {
  const sum = rates({ operationsPerSecond: sumOfPeaks, bytesPerSecond: null });
  return [
    ['Sum of own peaks', `${sum}  an upper bound: peaks of different seconds`],
    ['Overlap', overlapText(overlap, hosts)],
  ];
}

/**
 * @param {StageAggregate['overlap']} overlap
 * @param {number} hosts
 */
function overlapText(overlap, hosts) {
  if (overlap === null) {
    return 'unknown: a log does not say when the stage was';
  }
  if (overlap.together === 0) {
    return `none: the ${hosts} hosts were never in the stage all at once`;
  }
  const [together, any] = [overlap.together, overlap.any].map((ms) => Math.round(ms / 10));
  // Of the figures that stand beside it: 3.04 s of 3.04 s are not 99%.
  const percentage = any === 0 ? 100 : Math.floor((100 * together) / any);
  return `all ${hosts} hosts for ${seconds(together)} of ${seconds(any)} (${percentage}%)`;
}

/**
 * @param {StageAggregate} stage
 * @returns {[label: string, text: string][]}
 */
function limitsLine(stage) {
  const limits = limitsText(stage);
  return limits === null ? [] : [['Limited by', limits]];
}

/** @param {StageAggregate} stage */
function operationsText({ counts, isAtLeast }) {
  const parts = [
    `${isAtLeast ? 'at least ' : ''}${counts.operations}, ${formatMegabytes(counts.bytes)} MB, in ${counts.attempts} attempts`,
    ...[
      [counts.throttled, 'throttled'],
      [counts.failed, 'given up'],
      [counts.integrityErrors, 'with wrong content'],
      [counts.skipped, 'skipped'],
      [counts.abandoned, 'abandoned'],
    ].flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`])),
  ];
  return parts.join(', ');
}

/**
 * @param {StageAggregate} stage
 * @returns {[label: string, text: string][]}
 */
function latencyLines({ latency, missingLatency }) {
  if (latency !== null) {
    const { p50, p90, p99, p999, count } = latency;
    const values = Object.entries({ p50, p90, p99, 'p99.9': p999 });
    return [
      ['Latency', `${values.map(([name, ms]) => `${name} ${ms.toFixed(2)}ms`).join('  ')}  of ${count} operations`],
    ];
  }
  if (missingLatency.length === 0) {
    return [['Latency', 'none: no operations']];
  }
  const [{ file, line, reason }] = missingLatency;
  const more = missingLatency.length > 1 ? ` (and ${missingLatency.length - 1} more)` : '';
  return [['Latency', `missing: ${plainLine(file)}:${line}: ${reason}${more}`]];
}

/**
 * @param {Overlap} overlap
 * @returns {number} of the time in which hosts were in the stage: how much of it they all were, from 0 to 1
 */
export function shareOf({ together, any }) {
  return any === 0 ? 1 : together / any;
}

/** @param {{ operationsPerSecond: number, bytesPerSecond: number | null }} rate */
function rates({ operationsPerSecond, bytesPerSecond }) {
  const megabytes = bytesPerSecond === null ? '' : `${formatMegabytes(bytesPerSecond)} MB/s`;
  return `${operationsPerSecond.toFixed(1).padStart(9)} ops/s ${megabytes.padStart(13)}`;
}

/** @param {number} hundredths of a second */
function seconds(hundredths) {
  return `${(hundredths / 100).toFixed(2)} s`;
}
