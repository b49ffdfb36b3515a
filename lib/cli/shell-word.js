/** What a shell takes as it stands. */
const PLAIN_WORD = /^[\w./:,@%+-]+$/;

/**
 * @param {string} word
 * @returns {string} as it has to be written for a shell to read that word
 */
export function shellWord(word) {
  return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
