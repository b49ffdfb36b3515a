import { shownStep } from '../figures/shown-step.js';
import { HOLD_MS } from '../search/capacity-search.js';
import { agrees } from '../search/plateau.js';
import { counted } from '../text/figures.js';
import { column, percentile } from './stage-lines.js';

/**
 * @import { RampStep, RateSearchResult, SearchDimension, SearchResult, SearchStep, StageResult } from '../model/result.js'
 */

// Human-readable lines of a search or a ramp: one row per step, then the result. No program reads them back.

/** Column widths in characters. A row fits into 80 characters, whatever its verdict. */
const WIDTHS = [9, 10, 10, 11, 7, 7];

/**
 * @param {{ stage: string, objects: number, threads: number, buckets: number }} plan
 * @param {SearchDimension} [dimension] that a search varies; absent in a ramp
 */
export function stepsHeading({ stage, objects, threads, buckets }, dimension) {
  const wanted = dimension === 'rate' ? 'the highest rate' : 'its capacity';
  const most = `${counted(threads, 'thread')} and ${counted(buckets, 'bucket')}`;
  const columns = [dimension === 'rate' ? 'Rate' : 'Threads', 'Ops/s', 'p50', 'p99', 'Errors', 'Client'];
  const search = `${stage}: searching for ${wanted} with ${counted(objects, 'object')} and up to ${most}`;
  return [...(dimension === undefined ? [] : [search]), row('Stage', columns, 'Step')];
}

/**
 * @param {string} stage
 * @param {RampStep | SearchStep} step
 * @param {SearchDimension} [dimension] threads by default
 */
export function stepLine(stage, step, dimension) {
  const { what, x, operationsPerSecond, p50, p99, errors, client } = shownStep(step, dimension);
  const varied = x === null ? '-' : dimension === 'rate' ? x.toFixed(1) : x;
  const busy = client === null ? '-' : `${Math.round(100 * client)}%`;
  return row(stage, [varied, operationsPerSecond.toFixed(1), percentile(p50), percentile(p99), errors, busy], what);
}

/**
 * @param {string} stage
 * @param {readonly (string | number)[]} figures
 * @param {string} what
 */
function row(stage, figures, what) {
  const cells = figures.map((figure, index) => column(WIDTHS[index], figure)).join('');
  return `${stage.padEnd('Remove'.length)}${cells}  ${what}`;
}

/**
 * @param {StageResult} result
 * @param {SearchResult} search
 */
export function foundLine(result, search) {
  const { rate } = search;
  return rate === undefined ? capacityLine(result, search) : rateLine(result.stage, rate);
}

/**
 * @param {string} stage
 * @param {RateSearchResult} rate
 */
function rateLine(stage, { bound, operationsPerSecond, slo, interval, evidence }) {
  const limit = `within ${slo.toFixed(2)}ms p99`;
  if (bound === 'none' || operationsPerSecond === null) {
    return `${stage}: no rate is known to stay ${limit}; ${evidence}`;
  }
  const rate = `${bound === 'exact' ? '' : `${bound} `}${operationsPerSecond.toFixed(1)} ops/s`;
  return `${stage} sustains ${rate} ${limit}${interval === null ? '' : boundText(interval)}; ${evidence}`;
}

/** @param {NonNullable<RateSearchResult['interval']>} interval `high` failed if `confidence` is null */
function boundText({ low, high, confidence }) {
  return confidence === null ? ` (${high.toFixed(1)} was too high)` : intervalText({ low, high });
}

/**
 * @param {StageResult} result
 * @param {SearchResult} search
 */
function capacityLine({ stage, end, threads, average }, { hasPlateau, capacity, best, operationsNeeded }) {
  const isContradicted = capacity !== null && !agrees(capacity.operationsPerSecond, best);
  const notes = [
    ...(isContradicted
      ? [`the best step reached ${best.toFixed(1)} ops/s, which the hold contradicts: run again`]
      : []),
    ...(end === 'complete' ? [] : [`the search ended early (${end})`]),
    ...(capacity !== null && 1000 * capacity.seconds < HOLD_MS
      ? [`held for only ${capacity.seconds.toFixed(1)}s`]
      : []),
    ...(capacity === null && end === 'complete' ? ['it was not held long enough'] : []),
    ...(operationsNeeded === null ? [] : [`try again with ${operationsNeeded} <objects>`]),
  ];
  const bound = (hasPlateau && capacity !== null) || isContradicted ? '' : 'at least ';
  const rate = `${(capacity?.operationsPerSecond ?? average).toFixed(1)} ops/s`;
  const interval = capacity === null ? '' : intervalText(capacity);
  const used = capacity?.threads ?? threads;
  const note = notes.map((each) => `; ${each}`).join('');
  return `${stage} capacity: ${bound}${rate}${interval} at ${counted(used, 'thread')}${note}`;
}

/** @param {{ low: number, high: number }} interval */
function intervalText({ low, high }) {
  return ` (95% CI ${low.toFixed(1)} to ${high.toFixed(1)})`;
}
