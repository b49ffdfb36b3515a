import { formatMegabytes } from '../log/units.js';
import { formatStretch } from './peak-times.js';

/** @import { StageAggregate } from '../hosts/aggregate-stage.js' */

/**
 * What there is to say of a stage.
 *
 * @param {StageAggregate} stage
 * @param {boolean} isDated
 * @returns {[label: string, text: string][]}
 */
export function stageLines(stage, isDated) {
  const { peak, sustained, together, sumOfPeaks, hosts } = stage;
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
    [
      'Sum of own peaks',
      `${rates({ operationsPerSecond: sumOfPeaks, bytesPerSecond: null })}  an upper bound: peaks of different seconds`,
    ],
    ...overlapLine(stage),
    ['Operations', operationsText(stage)],
    ['Errors', errorsText(stage)],
    ...latencyLines(stage),
  ];
}

/**
 * @param {StageAggregate} stage
 * @returns {[label: string, text: string][]}
 */
function overlapLine({ overlap, hosts }) {
  if (hosts === 1) {
    return [];
  }
  if (overlap === null) {
    return [['Overlap', 'unknown: a log does not say when the stage was']];
  }
  const { together, any } = overlap;
  const share = `(${Math.floor(shareOf(overlap) * 100)}%)`;
  const text =
    together === 0
      ? `none: the ${hosts} hosts were never in the stage all at once`
      : `all ${hosts} hosts for ${seconds(together)} of ${seconds(any)} ${share}`;
  return [['Overlap', text]];
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

/** @param {StageAggregate} stage */
function errorsText({ errors }) {
  const kinds = Object.entries(errors).map(([kind, count]) => `${kind} ${count}`);
  return kinds.length === 0 ? 'none' : kinds.join(', ');
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
  return [['Latency', `missing: ${file}:${line}: ${reason}${more}`]];
}

/**
 * @param {import('../hosts/overlap.js').Overlap} overlap
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

/**
 * @param {number} count
 * @param {string} what
 */
function counted(count, what) {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** @param {number} ms */
function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}
