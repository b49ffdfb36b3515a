/** Share of letters that may be wrong in a misspelled name. */
const WRONG_SHARE = 0.4;

/**
 * @param {string} word as the user typed it
 * @param {readonly string[]} names
 * @returns {string | null} the most similar name; null if none is similar
 */
export function nearestName(word, names) {
  const written = word.toLowerCase();
  const ranked = names
    .map((name) => ({ name, distance: distanceBetween(written, name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(name.length, word.length) * WRONG_SHARE)
    .sort((one, other) => one.distance - other.distance);
  return ranked[0]?.name ?? null;
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
