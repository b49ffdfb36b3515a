import { counted } from '../text/figures.js';

/**
 * @import { CacheSum, StageSum } from '../model/result.js'
 *
 * @typedef {object} CacheRow
 * @property {string} heading the stage, or an operation of its mix
 * @property {CacheSum} cache the figures of one cache status, or of one outcome of the writes of races
 * @property {number} share of all operations that were read through the cache, or of all these writes
 */

/**
 * Rows by stage, or by operation of a mix.
 *
 * @param {readonly Pick<StageSum, 'stage' | 'cache' | 'contenders' | 'kinds'>[]} stages
 */
export function cacheRows(stages) {
  return stages.flatMap(({ stage, cache, contenders, kinds = [] }) => [
    ...rowsOf(stage, kinds.length > 0 ? undefined : (cache ?? contenders)),
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
 * @param {readonly Pick<StageSum, 'stage' | 'staleByCache' | 'contenders' | 'integrityErrors' | 'undecidedRaces'>[]} stages
 * @returns {string[]} a sentence for each stage in which the cache served old versions, or whose operations are races
 */
export function statusFindings(stages) {
  return stages.flatMap(({ stage, staleByCache, contenders, integrityErrors, undecidedRaces }) => [
    ...(staleByCache ? [`${stage}: the cache served old versions in ${counted(staleByCache, 'read')}.`] : []),
    ...(contenders
      ? [`${stage}: ${counted(integrityErrors ?? 0, 'violation')}, ${counted(undecidedRaces ?? 0, 'undecided race')}.`]
      : []),
  ]);
}

/** What the rows are about. @param {readonly Pick<StageSum, 'contenders'>[]} stages */
export function statusTitle(stages) {
  return stages.some(({ contenders }) => contenders) ? 'Races' : 'Cache';
}
