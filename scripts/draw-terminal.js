import { screenRows } from './terminal-screen.js';

/** @import { Span } from './terminal-screen.js' */

const CELL_WIDTH = 7.8;
const ROW_HEIGHT = 18;
const FONT_SIZE = 13;
const PADDING = 16;
const TITLE_BAR = 28;

/** The fill of each class, and the window's edge. Not every SVG viewer supports CSS variables. */
const LIGHT = {
  window: '#fbfbfa',
  bar: '#ececea',
  button: '#8c8c86',
  ink: '#24292f',
  edge: '#d0d0cc',
  red: '#cf222e',
  yellow: '#9a6700',
};
const DARK = {
  window: '#161b22',
  bar: '#21262d',
  button: '#7d8590',
  ink: '#d7dde4',
  edge: '#30363d',
  red: '#ff7b72',
  yellow: '#d29922',
};

/**
 * Draws a terminal window as SVG. Its colours follow the reader's light or dark scheme.
 *
 * @param {object} terminal
 * @param {string} terminal.command as typed
 * @param {readonly (readonly Span[])[]} terminal.rows its output
 * @param {number} terminal.columns
 * @returns {string}
 */
export function drawTerminal({ command, rows, columns }) {
  const width = round(columns * CELL_WIDTH + 2 * PADDING);
  const prompt = screenRows(`$ ${command}`, columns);
  const height = TITLE_BAR + (prompt.length + rows.length) * ROW_HEIGHT + 2 * PADDING;
  const size = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${escape(`Output of ${command}`)}">`,
    '<style>',
    `text { font: ${FONT_SIZE}px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; }`,
    '.command { font-weight: bold; }',
    ...colourRules(LIGHT),
    '@media (prefers-color-scheme: dark) {',
    ...colourRules(DARK),
    '}',
    '</style>',
    `<rect class="window" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    `<path class="bar" d="M1 ${TITLE_BAR}V8.5a7.5 7.5 0 0 1 7.5 -7.5H${width - 8.5}a7.5 7.5 0 0 1 7.5 7.5V${TITLE_BAR}z"/>`,
    ...[18, 36, 54].map((x) => `<circle class="button" cx="${x}" cy="${TITLE_BAR / 2}" r="5"/>`),
    ...prompt.map((row, index) => textRow([{ text: row, colour: 'ink' }], index, 'ink command')),
    ...rows.flatMap((row, index) => (isBlank(row) ? [] : [textRow(row, prompt.length + index, 'ink')])),
    '</svg>',
    '',
  ].join('\n');
}

/**
 * @param {typeof LIGHT} colours
 * @returns {string[]}
 */
function colourRules({ edge, ...fills }) {
  const rules = Object.entries(fills).map(([name, colour]) => `.${name} { fill: ${colour}; }`);
  return [...rules, `.window { stroke: ${edge}; }`];
}

/** @param {readonly Span[]} row */
function isBlank(row) {
  return row.every(({ text }) => text.trim() === '');
}

/**
 * @param {readonly Span[]} row
 * @param {number} index from the top
 * @param {string} classes
 */
function textRow(row, index, classes) {
  const y = TITLE_BAR + PADDING + (index + 0.7) * ROW_HEIGHT;
  const text = row.map((span) => span.text).join('');
  const content = row
    .map((span) =>
      span.colour === 'ink' ? escape(span.text) : `<tspan class="${span.colour}">${escape(span.text)}</tspan>`,
    )
    .join('');
  // Keeps the columns aligned in any font.
  const length = `textLength="${round([...text].length * CELL_WIDTH)}" lengthAdjust="spacingAndGlyphs"`;
  return `<text class="${classes}" x="${PADDING}" y="${round(y)}" xml:space="preserve" ${length}>${content}</text>`;
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 10) / 10;
}

/** @param {string} text */
function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
