/** Share of letters that may be wrong in a misspelled name. */
const WRONG_SHARE = 0.4;

/**
 * @param {string} word as the user typed it
 * @param {readonly string[]} names
 * @returns {string} the end of a line about the word, with the most similar name; '' if none is similar
 */
export function didYouMean(word, names) {
  const [{ name, distance }] = ranked(word, names);
  return distance > Math.max(name.length, word.length) * WRONG_SHARE ? '' : `; did you mean ${name}?`;
}

/**
 * @param {string} word
 * @param {readonly string[]} names at least one
 * @returns {{ name: string, distance: number }[]} the most similar names first
 */
export function ranked(word, names) {
  const written = word.toLowerCase();
  return names
    .map((name) => {
      const known = name.toLowerCase();
      return {
        name,
        distance: known.startsWith(written) ? Number(known !== written) : distanceBetween(written, known),
      };
    })
    .sort((one, other) => one.distance - other.distance);
}

/**
 * Counts the insertions, deletions, replacements and swaps of neighbours between two words (optimal string alignment).
 *
 * @param {string} one
 * @param {string} other
 */
function distanceBetween(one, other) {
  /** Rows are letters of `one`, columns letters of `other`. */
  const table = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= one.length; row += 1) {
    table.push([row]);
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      table[row].push(
        Math.min(
          table[row - 1][column] + 1,
          table[row][column - 1] + 1,
          table[row - 1][column - 1] + Number(!isSame),
          isSwapped ? table[row - 2][column - 2] + 1 : Infinity,
        ),
      );
    }
  }
  return table[one.length][other.length];
}
