import { plainLine } from '../../text/plain-text.js';
import { padToWidth, textWidth } from '../../text/text-width.js';
import { lineOf, valueBar } from './drawing.js';
import { SHOWN } from './quantities.js';

/**
 * @import { Look, Part } from './drawing.js'
 * @import { QuantityName } from './quantities.js'
 */

/**
 * A figure of the catalogue is a column, too.
 *
 * @template Row
 * @typedef {object} Column
 * @property {string} title
 * @property {string} [heading] where there is little room; the title by default
 * @property {QuantityName | 'ratio'} [quantity] of a number; absent for a text
 * @property {(row: Row) => number | string | null | undefined} value null or undefined if it is unknown
 * @property {number} [rank] if space is short, the columns of the highest rank are dropped first; absent: never
 * @property {(row: Row) => Part['meaning']} [colour]
 */

/**
 * The first column names the row. Columns without any known value are left out.
 *
 * @template Row
 * @typedef {object} Table
 * @property {readonly Column<Row>[]} columns
 * @property {readonly Row[]} rows
 * @property {string} [bars] title of the column after which text has a bar per row
 */

const BETWEEN = '  ';
const MIN_BAR = 10;
const MAX_BAR = 40;

/** For a log or a pipe, without bars. @type {Look} */
export const PLAIN = { columns: 121, rows: 0, isUnicode: false, hasColour: false };

/**
 * @template Row
 * @param {Table<Row>} table
 */
export function shownColumns({ columns, rows }) {
  return columns.filter((column, index) => index === 0 || rows.some((row) => isKnown(column, row)));
}

/**
 * A throughput of 0 means that no bytes are moved.
 *
 * @template Row
 * @param {Column<Row>} column
 * @param {Row} row
 */
export function isKnown({ quantity, value }, row) {
  const found = value(row);
  return found !== null && found !== undefined && !(quantity === 'throughput' && found === 0);
}

/**
 * @template Row
 * @param {Column<Row>} column whose value is known
 * @param {Row} row
 * @returns {string} without a unit
 */
export function textOf({ quantity, value }, row) {
  const found = value(row);
  return quantity === undefined || typeof found !== 'number' ? String(found) : SHOWN[quantity].textOf(found);
}

/** Latencies keep their unit in the cell, because their headings have no room for it. @type {typeof textOf} */
export function textWithUnit(column, row) {
  const text = textOf(column, row);
  return column.quantity === 'time' && typeof column.value(row) === 'number' ? `${text}ms` : text;
}

/**
 * Lays out a table as text. Never wraps or shortens a number; drops columns if space is short.
 *
 * @template Row
 * @param {Table<Row>} table
 * @param {Look} look
 * @returns {string[]} lines: the headings, then the rows
 */
export function textTable(table, look) {
  const { rows, bars } = table;
  const room = look.columns - 1;
  const all = shownColumns(table).map((column) => {
    const texts = rows.map((row) => (isKnown(column, row) ? plainLine(textWithUnit(column, row)) : '-'));
    const heading = column.heading ?? column.title;
    return { column, texts, heading, width: Math.max(...[heading, ...texts].map(textWidth)) };
  });
  const hasBars = bars !== undefined && look.rows > 0;
  const widthOf = (/** @type {typeof all} */ columns) =>
    columns.reduce((sum, { width }) => sum + width + BETWEEN.length, -BETWEEN.length);
  const needed = hasBars ? BETWEEN.length + MIN_BAR : 0;
  const ranked = all.filter(({ column }) => column.rank !== undefined);
  ranked.sort((one, other) => Number(other.column.rank) - Number(one.column.rank));
  let shown = all;
  for (const dropped of ranked) {
    shown = widthOf(shown) + needed > room ? shown.filter((each) => each !== dropped) : shown;
  }
  const barWidth = hasBars ? Math.max(Math.min(room - widthOf(shown) - BETWEEN.length, MAX_BAR), 0) : 0;
  const scaled = all.find(({ column }) => column.title === bars)?.column;
  const values = rows.map((row) => Number(scaled?.value(row)) || 0);
  const largest = Math.max(...values);
  return [-1, ...rows.keys()].map((index) => {
    const parts = shown.flatMap(({ column, texts, heading, width }, at) => {
      const text = index < 0 ? heading : texts[index];
      const blanks = ' '.repeat(width - textWidth(text));
      const isText = column.quantity === undefined;
      const bar = index < 0 ? '' : valueBar(values[index], largest, barWidth, look);
      return [
        { text: (at === 0 ? '' : BETWEEN) + (isText ? '' : blanks) },
        { text, meaning: index < 0 ? undefined : column.colour?.(rows[index]) },
        { text: isText ? blanks : '' },
        { text: hasBars && column === scaled ? BETWEEN + padToWidth(bar, barWidth) : '' },
      ];
    });
    return lineOf(parts, look);
  });
}

/**
 * @template Row
 * @param {Table<Row>} table
 * @param {(text: string) => string} escape
 * @returns {string[]} lines of Markdown; empty without rows
 */
export function markdownTable(table, escape) {
  const columns = shownColumns(table);
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.join(' | ')} |`;
  const rows = table.rows.map((row) =>
    columns.map((column) => {
      const text = isKnown(column, row) ? textWithUnit(column, row) : '–';
      return (text.startsWith(' ') ? '&emsp;' : '') + escape(text);
    }),
  );
  const alignments = columns.map(({ quantity }) => (quantity === undefined ? '---' : '--:'));
  return rows.length === 0
    ? []
    : [line(columns.map(({ title, heading = title }) => heading)), line(alignments), ...rows.map(line)];
}

const CHUNK_LENGTH = 64 * 1024;

/**
 * @template Row
 * @param {Pick<Table<Row>, 'columns'> & { rows: Iterable<Row> }} table
 * @returns {Generator<string, void, undefined>} CSV, several rows at a time
 */
export function* csvTable({ columns, rows }) {
  let text = csvLine(columns.map(({ title }) => title));
  for (const row of rows) {
    text += csvLine(columns.map(({ value }) => value(row) ?? ''));
    if (text.length > CHUNK_LENGTH) {
      yield text;
      text = '';
    }
  }
  yield text;
}

/** CSV fields with one of these need quotes (RFC 4180). */
const SPECIAL = /[",\r\n]/;

/** Spreadsheets read such a field as a formula, even in quotes, unless an apostrophe precedes it. */
const FORMULA = /^[=+\-@\t\r]/;

/** @param {readonly (string | number)[]} values */
function csvLine(values) {
  const fields = values.map((value) => {
    const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value);
    return SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${fields.join(',')}\n`;
}
