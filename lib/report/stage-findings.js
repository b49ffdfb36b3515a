import { counted, decimal } from '../text/figures.js';

/** @import { StageSum } from '../model/result.js' */

/** Fewer repeated reads would be shown as 1.0 times. */
const LEAST_SHOWN = 1.05;

/**
 * How often objects were read, and what was found of objects that something else keeps or changes.
 *
 * @param {Partial<Pick<StageSum, 'vanished' | 'changed' | 'archived' | 'staleByCache' | 'reads' | 'bytes' | 'contenders' |
 *   'integrityErrors' | 'undecidedRaces'>>} stage
 * @returns {string[]} phrases
 */
export function stageFindings({ vanished, changed, archived, staleByCache, reads, bytes, contenders, ...races }) {
  const { first, repeated } = reads ?? {};
  const times = first && repeated?.operations ? 1 + repeated.operations / first.operations : 1;
  return [
    ...(times >= LEAST_SHOWN ? [`each object was ${bytes === 0 ? 'requested' : 'read'} ${decimal(times)} times`] : []),
    ...(staleByCache ? [`the cache served old versions in ${counted(staleByCache, 'read')}`] : []),
    ...(contenders
      ? [`${counted(races.integrityErrors ?? 0, 'violation')}, ${counted(races.undecidedRaces ?? 0, 'undecided race')}`]
      : []),
    ...(vanished ? [`${counted(vanished, 'operation')} found no object: removed, or listed under another name`] : []),
    ...(changed
      ? [
          `${counted(changed, 'operation')} found a different object from the one listed: something else writes to the bucket`,
        ]
      : []),
    ...(archived ? [`${counted(archived, 'operation')} found an archived object, which must be restored first`] : []),
  ];
}
