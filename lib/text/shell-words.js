/** Blanks, text in quotation marks, an escaped character, a mark or backslash that is not complete, and other text. */
const TOKEN = /([ \t\n\r]+)|'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])|(['"\\])|[^ \t\n\r'"\\]+/g;

/** Characters that a backslash escapes within double quotation marks. Before any other character, it is literal. */
const ESCAPED = /\\(["\\$`])/g;

/** Text that a shell reads literally. */
const PLAIN_WORD = /^[\w./:,@%+-][\w./:,@%+=-]*$/;

/**
 * Splits a text into words like a shell: spaces separate them; quotation marks and backslashes keep them together.
 * Expands nothing, because the calling shell has already done so or was told not to.
 *
 * @param {string} text
 * @throws {RangeError} if a quotation mark is not closed, or a backslash comes last
 */
export function shellWords(text) {
  /** @type {string[]} */
  const words = [];
  /** The current word; null between words. @type {string | null} */
  let word = null;
  for (const [token, blanks, single, double, escaped, open] of text.matchAll(TOKEN)) {
    if (open !== undefined) {
      throw new RangeError(`expected a ${open === '\\' ? 'character after the last backslash' : `closing ${open}`}`);
    }
    if (blanks === undefined) {
      word = (word ?? '') + (single ?? double?.replace(ESCAPED, '$1') ?? escaped ?? token);
    } else {
      words.push(...(word === null ? [] : [word]));
      word = null;
    }
  }
  return word === null ? words : [...words, word];
}

/** Quotes a word for a shell if necessary. @param {string} word */
export function shellWord(word) {
  return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
