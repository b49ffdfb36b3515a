import { SHOWN } from '../../result/figures/quantities.js';
import { isKnown, shownColumns, textOf } from '../../result/figures/table.js';
import { html } from './markup.js';

/**
 * @import { Column, Table } from '../../result/figures/table.js'
 * @import { Markup } from './markup.js'
 */

/** For a figure that is unknown or not applicable. */
const UNKNOWN = html`<span class="muted" title="unknown">–</span>`;

/**
 * A table of the page: each row is a list on a phone. Figures are aligned right, with their exact values in an attribute
 * for programs. A text column can return markup.
 *
 * @template Row
 * @param {string} caption
 * @param {Omit<Table<Row>, 'columns'> & { columns: readonly (Column<Row> & { markup?: (row: Row) => Markup })[] }} table
 */
export function table(caption, { columns: all, rows }) {
  const columns = /** @type {typeof all} */ (shownColumns({ columns: all, rows }));
  const heads = columns.map(({ title, quantity }) => ({
    title,
    unit: quantity === undefined ? '' : SHOWN[quantity].unit,
    kind: quantity === undefined ? null : html` class="figure"`,
  }));
  const body = rows.map((row) => {
    const cells = columns.map((column, index) => {
      const { title, unit, kind } = heads[index];
      return index === 0
        ? html`<th scope="row" ${kind}>${contentOf(column, row)}</th>`
        : html`<td${kind} data-title="${`${title} ${unit}`.trim()}">${contentOf(column, row)}</td>`;
    });
    return html`<tr>
      ${cells}
    </tr> `;
  });
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${caption}">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${heads.map(({ title, unit, kind }) => html`<th scope="col" ${kind}>${title}${unit === '' ? null : html` <span class="unit">${unit}</span>`}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${body}
      </tbody>
    </table>
  </div> `;
}

/**
 * @template Row
 * @param {Column<Row> & { markup?: (row: Row) => Markup }} column
 * @param {Row} row
 */
function contentOf(column, row) {
  if (!isKnown(column, row)) {
    return UNKNOWN;
  }
  if (column.markup !== undefined) {
    return column.markup(row);
  }
  const value = column.value(row);
  const text = textOf(column, row);
  return typeof value === 'number' ? html`<data value="${value}">${text}</data>` : text;
}

/**
 * A folded table, such as that of a chart's figures for readers who cannot see the chart or want exact values.
 *
 * @param {Markup} content
 * @param {string} [title]
 */
export function chartTable(content, title = 'Show as a table') {
  return html`<details>
    <summary>${title}</summary>
    ${content}
  </details> `;
}

/** Labels of the lines that have their own colours. @type {Readonly<Record<string, string>>} */
const LINES = {
  p50: 'p50',
  p99: 'p99 (dashed)',
  longest: 'longest (dotted)',
  due: 'recorded (dotted)',
  throttled: 'throttled',
  other: 'other failures',
};

/** Number of stage colours in the page's style. */
const STAGE_COLORS = 6;

/**
 * The frame of a chart that the page's script draws.
 *
 * @param {string} name of the chart, for the script
 * @param {string} title with the unit
 * @param {readonly (keyof typeof LINES)[]} [lines] entries of the key; none if a separate key lists stages
 */
export function plot(name, title, lines = []) {
  return html`<figure class="chart">
    <figcaption>${title} ${keyOf(lines.map((line) => [line, LINES[line]]))}</figcaption>
    <div class="plot" data-chart="${name}" role="img" aria-label="${title}"></div>
  </figure> `;
}

/** @param {readonly { stage: string }[]} stages in colour order */
export function stageKey(stages) {
  return keyOf(stages.map(({ stage }, index) => [`stage-${index % STAGE_COLORS}`, stage]));
}

/** @param {readonly [color: string, label: string][]} lines */
function keyOf(lines) {
  return html`<ul class="key">
    ${lines.map(([color, label]) => html`<li><span class="line ${color}"></span>${label}</li>`)}
  </ul>`;
}

/** The figures of the point that the reader points to. @param {string} name of a chart or a group, for the script */
export function readout(name) {
  return html`<p class="readout" data-for="${name}" aria-live="polite">Point to a chart to see the figures there.</p> `;
}
