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
 * Counts the insertions, deletions and replacements between two words (Levenshtein).
 *
 * @param {string} one
 * @param {string} other
 */
function distanceBetween(one, other) {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let index = 0; index < one.length; index += 1) {
    const next = [index + 1];
    for (let column = 1; column < row.length; column += 1) {
      const replaced = row[column - 1] + Number(one[index] !== other[column - 1]);
      next.push(Math.min(row[column] + 1, next[column - 1] + 1, replaced));
    }
    row = next;
  }
  return row[other.length];
}
