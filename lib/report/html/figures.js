import { decimal } from '../../text/figures.js';
import { MEGABYTE } from '../../text/units.js';
import { html } from './markup.js';

/** @import { Markup } from './markup.js' */

/** For a figure that is unknown or not applicable. */
export const UNKNOWN = html`<span class="unknown" title="unknown">–</span>`;

/**
 * A formatted figure, with its exact value in an attribute for programs.
 *
 * @param {number | null | undefined} value
 * @param {(value: number) => string} format
 */
export function figure(value, format) {
  return value === null || value === undefined ? UNKNOWN : html`<data value="${value}">${format(value)}</data>`;
}

/** @param {number | null | undefined} value whole */
export function count(value) {
  return figure(value, (whole) => decimal(whole, Number.isInteger(whole) ? 0 : 1));
}

/** @param {number | null | undefined} value ops/s */
export function rate(value) {
  return figure(value, decimal);
}

const NO_BYTES = html`<span class="unknown" title="no bytes moved">–</span>`;

/** @param {number | null | undefined} value bytes/s */
export function megabytes(value) {
  return value === 0 ? NO_BYTES : figure(value, (bytes) => decimal(bytes / MEGABYTE));
}

/** @param {number | null | undefined} value ms */
export function milliseconds(value) {
  return figure(value, (ms) => decimal(ms, ms < 10 ? 2 : 1));
}

/** @param {number | null | undefined} value ms */
export function seconds(value) {
  return figure(value, (ms) => decimal(ms / 1000, 1));
}

/** @param {number | null | undefined} value share, 0 to 1 */
export function share(value) {
  return figure(value, (part) => `${decimal(100 * part, part > 0 && part < 0.1 ? 2 : 0)}%`);
}

/**
 * Figures are aligned right, so that their digits line up.
 *
 * @template Row
 * @typedef {object} Column
 * @property {string} title
 * @property {string} [unit]
 * @property {(row: Row) => Markup | string | null} cell
 * @property {'text' | 'figure'} [kind] figure by default
 */

/**
 * @template Row
 * @param {object} parts
 * @param {string} parts.caption
 * @param {readonly Column<Row>[]} parts.columns the first one names the row
 * @param {Iterable<Row>} parts.rows
 * @param {(row: Row) => string} [parts.groupOf] heading above consecutive rows of a group
 * @param {boolean} [parts.isOfCards] shows each row as a list on a phone, for a table that is too wide
 */
export function table({ caption, columns, rows, groupOf, isOfCards = false }) {
  const head = columns.map(
    ({ title, unit, kind = 'figure' }) =>
      html`<th scope="col" class="${kind}">
        ${title}${unit === undefined ? null : html` <span class="unit">${unit}</span>`}
      </th>`,
  );
  /** @type {{ heading: string | null, lines: Markup[] }[]} */
  const groups = [];
  for (const row of rows) {
    const cells = columns.map(({ title, unit = '', cell, kind = 'figure' }, index) => {
      const name = `${title} ${unit}`.trim();
      const attributes = isOfCards ? html`class="${kind}" data-title="${name}"` : html`class="${kind}"`;
      return index === 0
        ? html`<th scope="row" class="${kind}">${cell(row)}</th>`
        : html`<td ${attributes}>${cell(row)}</td>`;
    });
    const heading = groupOf?.(row) ?? null;
    if (groups.at(-1)?.heading !== heading) {
      groups.push({ heading, lines: heading === null ? [] : [headingRow(heading, columns.length)] });
    }
    groups.at(-1)?.lines.push(
      html`<tr>
        ${cells}
      </tr>`,
    );
  }
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${caption}">
    <table${isOfCards ? html` class="cards"` : null}>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${head}
        </tr>
      </thead>
      ${groups.map(
        ({ lines }) =>
          html`<tbody>
            ${lines.map((line) => html`${line} `)}
          </tbody>`,
      )}
    </table>
  </div> `;
}

/**
 * @param {string} heading
 * @param {number} columns
 */
function headingRow(heading, columns) {
  return html`<tr class="group">
    <th scope="rowgroup" colspan="${columns}">${heading}</th>
  </tr>`;
}

/** A chart's figures as a table, for readers who cannot see the chart or want exact values. @param {Markup} content */
export function chartTable(content) {
  return html`<details class="behind">
    <summary>Show as a table</summary>
    ${content}
  </details> `;
}
