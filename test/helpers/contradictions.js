/** @import { StageResult } from '../../lib/result/result.js' */

/** How far a plain run may exceed the capacity that a search held, because it is shorter. */
const MAX_EXCESS = 1.1;

/** A search knows the knee only within this factor, because it tests no closer thread counts. */
const KNEE_RESOLUTION = 1.25;

/**
 * Causes of a plain run, and the causes that a search with the same setup must then not find.
 *
 * @type {Partial<Record<string, readonly string[]>>}
 */
const CONTRADICTORY = {
  concurrency: ['store', 'bandwidth', 'store throttling', 'client CPU', 'host CPU'],
  'client CPU': ['store', 'bandwidth', 'concurrency'],
  'host CPU': ['store', 'bandwidth', 'concurrency'],
  'network link': ['store', 'concurrency'],
  'beyond this host': ['concurrency', 'client CPU', 'host CPU'],
  'store throttling': ['concurrency', 'bandwidth'],
};

/**
 * @param {Pick<StageResult, 'bottleneck' | 'average' | 'threads'>} plain of a plain run
 * @param {Pick<StageResult, 'bottleneck' | 'search'>} searched of a search up to the same number of threads
 * @returns {string | null} the contradiction, if any
 */
export function contradiction(plain, searched) {
  const { cause, evidence } = plain.bottleneck;
  const found = searched.bottleneck;
  return CONTRADICTORY[cause]?.includes(found.cause)
    ? `plain: ${cause} (${evidence}), search: ${found.cause} (${found.evidence})`
    : contradictionInThreads(plain, searched);
}

/**
 * @param {Pick<StageResult, 'bottleneck' | 'average' | 'threads'>} plain of a plain run
 * @param {Pick<StageResult, 'search'>} searched of a search up to at least the same number of threads
 * @returns {string | null} the contradiction, if any
 */
export function contradictionInThreads({ bottleneck: { cause }, threads, average }, { search }) {
  if (!search?.hasPlateau) {
    return null;
  }
  if (cause === 'concurrency' && threads > KNEE_RESOLUTION * Number(search.knee)) {
    return `plain: ${threads} threads are too few, search: ${search.knee} threads do as much as any`;
  }
  const held = search.capacity?.operationsPerSecond ?? Infinity;
  return average > MAX_EXCESS * held ? `plain: ${average} ops/s, search: no more than ${held}` : null;
}
