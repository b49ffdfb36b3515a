import { counted } from '../text/figures.js';

/** @import { StageSum } from '../model/result.js' */

/**
 * What there is to say of a stage on objects that were there before the run: how many of its operations found them gone,
 * replaced or archived, and how many could check their bytes by nothing but their number.
 *
 * @param {Partial<Pick<StageSum, 'operations' | 'sizeOnly' | 'vanished' | 'changed' | 'archived'>>} stage
 * @returns {string[]} a phrase for each; none of a stage on objects of the run's own
 */
export function foreignFindings({ operations = 0, sizeOnly, vanished, changed, archived }) {
  return [
    ...(sizeOnly
      ? [`${counted(sizeOnly, 'operation')} of ${operations} checked by size only: no MD5 of the bytes is known`]
      : []),
    ...(vanished ? [`${counted(vanished, 'operation')} found that the object had vanished since it was listed`] : []),
    ...(changed
      ? [`${counted(changed, 'operation')} found something else than was listed: others write to the bucket`]
      : []),
    ...(archived
      ? [
          `${counted(archived, 'operation')} found that the object is in an archive, and would have to be restored first`,
        ]
      : []),
  ];
}
