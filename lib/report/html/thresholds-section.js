import { html } from './markup.js';
import { table } from './figures.js';

/**
 * @import { Result, ThresholdResult } from '../../model/result.js'
 * @import { Column } from './figures.js'
 * @import { Section } from './page.js'
 */

/** @type {readonly Column<ThresholdResult>[]} */
const COLUMNS = [
  { title: 'Threshold', kind: 'text', cell: ({ expression }) => html`<code>${expression}</code>` },
  { title: 'Outcome', kind: 'text', cell: ({ outcome }) => html`<span class="${outcome}">${outcome}</span>` },
  { title: 'Figures', kind: 'text', cell: ({ message }) => message },
];

/**
 * The thresholds of a result, or of the later of two results.
 *
 * @param {Pick<Result, 'thresholds'>} result
 * @returns {Section | null} null without thresholds
 */
export function thresholdsSection({ thresholds = [] }) {
  return thresholds.length === 0
    ? null
    : {
        id: 'thresholds',
        title: 'Thresholds',
        body: table({ caption: 'Thresholds and their outcomes', columns: COLUMNS, rows: thresholds }),
      };
}
