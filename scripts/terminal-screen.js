const ESCAPE = '\x1b';
const ERASE_TO_END_OF_LINE = `${ESCAPE}[K`;
const TOKEN = new RegExp(`\\r\\n|${ESCAPE}\\[[\\d;]*[A-Za-z]|[^]`, 'gu');

/**
 * What stands on a terminal after a program has written to it: its lines, those that have scrolled away included.
 *
 * @param {string} output as it came from the terminal
 * @param {number} columns of the terminal; a longer line goes on in the next row
 * @returns {string[]} rows
 * @throws {Error} where the output holds a control character that this screen does not know
 */
export function screenRows(output, columns) {
  /** @type {string[]} */
  const rows = [];
  let row = '';
  let column = 0;
  for (const [token] of output.matchAll(TOKEN)) {
    if (token === '\r\n' || token === '\n') {
      rows.push(row);
      [row, column] = ['', 0];
    } else if (token === '\r') {
      column = 0;
    } else if (token === ERASE_TO_END_OF_LINE) {
      row = row.slice(0, column);
    } else if (/\p{Cc}/u.test(token)) {
      throw new Error(
        `expected text, line ends and ${JSON.stringify(ERASE_TO_END_OF_LINE)}, got ${JSON.stringify(token)}`,
      );
    } else {
      if (column === columns) {
        rows.push(row);
        [row, column] = ['', 0];
      }
      row = row.slice(0, column) + token + row.slice(column + 1);
      column += 1;
    }
  }
  return row === '' ? rows : [...rows, row];
}
