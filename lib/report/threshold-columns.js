/**
 * @import { ThresholdResult } from '../model/result.js'
 * @import { Column } from '../figures/table.js'
 */

/** @type {readonly Column<ThresholdResult>[]} */
export const THRESHOLD_COLUMNS = [
  { title: 'Threshold', value: ({ expression }) => expression },
  { title: 'Outcome', value: ({ outcome }) => outcome },
  { title: 'Figures', value: ({ message }) => message },
];
