import { counted } from '../text/figures.js';

/** @import { StageSum } from '../model/result.js' */

/**
 * Counts operations on existing objects that found them gone, replaced or archived.
 *
 * @param {Partial<Pick<StageSum, 'vanished' | 'changed' | 'archived'>>} stage
 * @returns {string[]} empty for a stage on the run's own objects
 */
export function foreignFindings({ vanished, changed, archived }) {
  return [
    ...(vanished ? [`${counted(vanished, 'operation')} found no object: removed, or listed under another name`] : []),
    ...(changed
      ? [
          `${counted(changed, 'operation')} found a different object from the one listed: something else writes to the bucket`,
        ]
      : []),
    ...(archived ? [`${counted(archived, 'operation')} found an archived object, which must be restored first`] : []),
  ];
}
