const ESCAPE = '\x1b';
const ERASE_TO_END_OF_LINE = `${ESCAPE}[K`;
const ERASE_BELOW = `${ESCAPE}[J`;
const CURSOR_UP = new RegExp(`^${ESCAPE}\\[(\\d+)A$`);
const TOKEN = new RegExp(`\\r\\n|${ESCAPE}\\[[\\d;]*[A-Za-z]|[^]`, 'gu');

/** The colours that the program uses, by what switches them on. @type {Readonly<Record<string, Colour>>} */
const COLOURS = Object.freeze({ [`${ESCAPE}[31m`]: 'red', [`${ESCAPE}[33m`]: 'yellow', [`${ESCAPE}[39m`]: 'ink' });

const KNOWN = [ERASE_TO_END_OF_LINE, ERASE_BELOW, `${ESCAPE}[1A`, ...Object.keys(COLOURS)];

/**
 * @typedef {'ink' | 'red' | 'yellow'} Colour ink is the default
 *
 * @typedef {object} Span
 * @property {string} text
 * @property {Colour} colour
 *
 * @typedef {object} Cell
 * @property {string} character
 * @property {Colour} colour
 */

/**
 * Emulates a terminal: the lines on it after a program has written to it, including the scrollback.
 *
 * @param {string} output of the program
 * @param {number} columns of the terminal; longer lines wrap
 * @returns {string[]} rows
 * @throws {Error} if the output has an unknown control character
 */
export function screenRows(output, columns) {
  return screenSpans(output, columns).map((spans) => spans.map(({ text }) => text).join(''));
}

/**
 * Like screenRows(), with colours.
 *
 * @param {string} output
 * @param {number} columns
 * @returns {Span[][]} each row, split by colour
 * @throws {Error}
 */
export function screenSpans(output, columns) {
  /** @type {Cell[][]} */
  const rows = [[]];
  let [row, column] = [0, 0];
  /** @type {Colour} */
  let colour = 'ink';
  const nextRow = () => {
    row += 1;
    column = 0;
    rows[row] ??= [];
  };
  for (const [token] of output.matchAll(TOKEN)) {
    const up = CURSOR_UP.exec(token);
    if (token === '\r\n' || token === '\n') {
      nextRow();
    } else if (token === '\r') {
      column = 0;
    } else if (token === ERASE_TO_END_OF_LINE) {
      rows[row].splice(column);
    } else if (token === ERASE_BELOW) {
      rows[row].splice(column);
      rows.splice(row + 1);
    } else if (up !== null) {
      row = Math.max(row - Number(up[1]), 0);
    } else if (token in COLOURS) {
      colour = COLOURS[token];
    } else if (/\p{Cc}/u.test(token)) {
      const known = KNOWN.map((each) => JSON.stringify(each)).join(', ');
      throw new Error(`expected text, line ends and ${known}, got ${JSON.stringify(token)}`);
    } else {
      if (column === columns) {
        nextRow();
      }
      rows[row][column] = { character: token, colour };
      column += 1;
    }
  }
  return (rows[rows.length - 1].length === 0 ? rows.slice(0, -1) : rows).map(spansOf);
}

/**
 * @param {readonly Cell[]} cells
 * @returns {Span[]}
 */
function spansOf(cells) {
  /** @type {Span[]} */
  const spans = [];
  for (const { character, colour } of cells) {
    const last = spans.at(-1);
    if (last?.colour === colour) {
      last.text += character;
    } else {
      spans.push({ text: character, colour });
    }
  }
  return spans;
}
