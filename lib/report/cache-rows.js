import { counted } from '../text/figures.js';

/**
 * @import { CacheSum, StageSum } from '../model/result.js'
 *
 * @typedef {object} CacheRow
 * @property {string} heading the stage, or an operation of its mix
 * @property {CacheSum} cache the figures of one cache status
 * @property {number} share of all operations that were read through the cache
 */

/** Rows by stage, or by operation of a mix. @param {readonly Pick<StageSum, 'stage' | 'cache' | 'kinds'>[]} stages */
export function cacheRows(stages) {
  return stages.flatMap(({ stage, cache, kinds = [] }) => [
    ...rowsOf(stage, kinds.length > 0 ? undefined : cache),
    ...kinds.flatMap((kind) => rowsOf(`${stage}: ${kind.operation}`, kind.cache)),
  ]);
}

/**
 * @param {string} heading
 * @param {readonly CacheSum[]} [cache]
 * @returns {CacheRow[]}
 */
function rowsOf(heading, cache = []) {
  const all = cache.reduce((sum, { operations }) => sum + operations, 0);
  return cache.map((each) => ({ heading, cache: each, share: all === 0 ? 0 : each.operations / all }));
}

/**
 * @param {readonly Pick<StageSum, 'stage' | 'staleByCache'>[]} stages
 * @returns {string[]} a sentence for each stage in which the cache served old versions
 */
export function oldCopyFindings(stages) {
  return stages.flatMap(({ stage, staleByCache }) =>
    staleByCache ? [`${stage}: the cache served old versions in ${counted(staleByCache, 'read')}.`] : [],
  );
}
