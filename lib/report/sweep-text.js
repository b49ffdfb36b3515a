import { plainLine } from '../text/plain-text.js';
import { padToWidth, textWidth, wrapAtWords } from '../text/text-width.js';
import { SWEPT_FIGURES, linesOf, spreadText, sweepSentences } from './sweep-figures.js';

/**
 * @import { Sweep } from '../series/sweep-plan.js'
 * @import { SweptStage } from './sweep-figures.js'
 */

const WIDTH = 80;
const GAP = '  ';

/**
 * Two variables make a grid, if it fits; others make rows. Lines of up to 80 characters, unless a value is longer.
 *
 * @param {Sweep} sweep
 * @param {readonly SweptStage[]} stages
 */
export function formatSweep(sweep, stages) {
  const blocks = [
    ...stages.map((stage) => {
      const grid = sweep.variables.length === 2 ? gridOf(sweep, stage) : null;
      return grid?.every((line) => textWidth(line) <= WIDTH)
        ? grid
        : [stage.stage, ...aligned(cellRows(sweep, stage), sweep.variables.length)];
    }),
    sweepSentences(sweep, stages).flatMap((sentence) => wrapAtWords(plainLine(sentence), WIDTH, GAP)),
  ];
  return blocks.map((lines) => lines.map((line) => `${line.trimEnd()}\n`).join('')).join('\n');
}

/**
 * @param {Sweep} sweep
 * @param {SweptStage} stage
 */
function gridOf(sweep, stage) {
  const [down, across] = sweep.variables;
  const lines = linesOf(sweep, stage, across);
  const body = knownFigures(stage).flatMap((figure) =>
    lines.map(({ points }, row) => [
      row === 0 ? figure.title : '',
      down.values[row],
      ...points.map((point) => cellText(figure, point)),
    ]),
  );
  const heading = ['', '', across.label, ...across.values.slice(1).fill('')];
  return [stage.stage, ...aligned([heading, ['', down.label, ...across.values], ...body], 2)];
}

/**
 * @param {Sweep} sweep
 * @param {SweptStage} stage
 * @returns {string[][]} headings, and a row per cell
 */
export function cellRows(sweep, stage) {
  const { variables } = sweep;
  const shown = knownFigures(stage);
  const head = [...variables.map(({ label }) => label), ...shown.map(({ title }) => title)];
  const body = linesOf(sweep, stage, variables[variables.length - 1]).flatMap(({ points }) =>
    points.map((point) => [
      ...variables.map(({ name }) => point.cell.settings[name]),
      ...shown.map((figure) => cellText(figure, point)),
    ]),
  );
  return [head, ...body];
}

/** Those that at least one cell has. @param {SweptStage} stage */
function knownFigures({ cells }) {
  return SWEPT_FIGURES.filter(({ value }) => cells.some((found) => found !== null && value(found) !== null));
}

/**
 * @param {(typeof SWEPT_FIGURES)[number]} figure
 * @param {Pick<ReturnType<typeof linesOf>[number]['points'][number], 'found' | 'hasFailed'>} point
 */
function cellText({ value, format, interval }, { found, hasFailed }) {
  const figure = found && value(found);
  if (found === null || figure === null) {
    return hasFailed ? 'failed' : '-';
  }
  return format(figure) + spreadText(figure, interval?.(found));
}

/**
 * @param {readonly (readonly string[])[]} rows
 * @param {number} names columns that are aligned left; the others are aligned right
 */
function aligned(rows, names) {
  const plain = rows.map((row) => row.map(plainLine));
  const widths = plain[0].map((_, column) => Math.max(...plain.map((row) => textWidth(row[column]))));
  const cell = (/** @type {string} */ text, /** @type {number} */ column) =>
    column < names ? padToWidth(text, widths[column]) : ' '.repeat(widths[column] - textWidth(text)) + text;
  return plain.map((row) => row.map(cell).join(GAP));
}
