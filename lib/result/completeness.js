import { counted } from '../text/figures.js';
import { missedAllSlots } from './ramp.js';

/**
 * @import { CleanupResult, StageSum } from './result.js'
 * @import { WritableStage } from './write-result.js'
 */

/**
 * @param {Pick<CleanupResult, 'left' | 'otherBuckets' | 'uploadsLeft'>} cleanup
 * @returns {boolean} whether the run is known to have left nothing behind
 */
export function isClean({ left, otherBuckets, uploadsLeft = 0 }) {
  return left === 0 && uploadsLeft === 0 && otherBuckets === null;
}

/**
 * Lists the reasons why a stage is not fully successful. Skipped operations are not among them: their objects failed in
 * Write, or were still being written when Write ended.
 *
 * @param {Pick<WritableStage, 'stage' | 'end' | 'operations' | 'attempts' | 'skipped' | 'failed' | 'integrityErrors' |
 *   'staleReads' | 'foreignReads' | 'tornReads' | 'ramp' | 'search' | 'latency' | 'merge'>} stage possibly with an unknown end
 * @returns {string[]} phrases; empty if no problem is known
 */
export function shortcomingsOf(stage) {
  const { end = null, operations, failed, integrityErrors } = stage;
  const hosts = hostsWithPercentiles(stage);
  const [lost, wrong] = [failed ?? 0, integrityErrors ?? 0];
  return [
    ...(end === null || end === 'complete' ? [] : [`it ended before its work was done (${end})`]),
    ...(operations === 0 && !hadNothingToRemove(stage) ? ['no operation succeeded'] : []),
    ...(lost > 0 ? [`${counted(lost, 'operation')} failed`] : []),
    ...(wrong > 0 ? [`${counted(wrong, 'response')} had the wrong content${kindsOfErrors(stage)}`] : []),
    ...stalledStep(stage),
    ...(hosts === null ? [] : [`its percentiles are from ${hosts}`]),
  ];
}

/** @param {Pick<WritableStage, 'ramp' | 'search'>} stage @returns {string[]} the phrase, if a step had no success */
export function stalledStep({ ramp, search }) {
  const hasStalled =
    ramp?.steps.some(({ shortfall }) => shortfall === 'stalled') ||
    search?.steps.some((step) => step.operations === 0 && step.errors > 0);
  return hasStalled ? ['a step had no successful operation'] : [];
}

/**
 * A replayed log can itself remove all objects.
 *
 * @param {Pick<WritableStage, 'stage' | 'end' | 'attempts' | 'skipped'>} stage
 */
function hadNothingToRemove({ stage, end, attempts, skipped }) {
  return stage === 'Remove' && end === 'complete' && attempts === 0 && skipped === 0;
}

/** Such as ` (2 stale)`. @param {Pick<WritableStage, 'staleReads' | 'foreignReads' | 'tornReads'>} counts */
export function kindsOfErrors({ staleReads, foreignReads, tornReads }) {
  const kinds = Object.entries({ stale: staleReads, foreign: foreignReads, torn: tornReads });
  const named = kinds.flatMap(([name, count]) => (count ? [`${count} ${name}`] : []));
  return named.length === 0 ? '' : ` (${named.join(', ')})`;
}

/** Whether the log ends during the stage. @param {Pick<StageSum, 'startedAt' | 'duration' | 'ramp'>} stage of a log */
export function isCut({ startedAt, duration, ramp }) {
  return typeof startedAt !== 'number' && typeof duration !== 'number' && !missedAllSlots(ramp);
}

/**
 * @param {Pick<StageSum, 'latency' | 'merge'>} stage
 * @returns {string | null} such as `3 of 4 hosts`, if the percentiles are not those of all hosts
 */
function hostsWithPercentiles({ latency, merge }) {
  const without = new Set(merge?.missingLatency.map(({ host }) => host));
  return merge === undefined || without.size === 0 || latency.operations === null
    ? null
    : `${merge.hosts - without.size} of ${merge.hosts} hosts`;
}

/**
 * @param {Pick<StageSum, 'operations' | 'warmupOperations' | 'latency'>} stage of one host
 * @returns {string | null} why the stage has no percentiles; null if it has them, or had no operations to measure
 */
export function missingPercentiles({ operations, warmupOperations, latency }) {
  const measured = operations - (warmupOperations ?? 0);
  const count = latency.operations?.count ?? 0;
  if (measured <= 0) {
    return null;
  }
  if (latency.histogram.operations === null) {
    return 'no histogram';
  }
  return count === measured ? null : `the histogram holds ${count} latencies of ${measured} operations`;
}
