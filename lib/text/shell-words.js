/** Characters that a backslash escapes within double quotation marks. Before any other character, it is literal. */
const ESCAPABLE = '"\\$`';

const BLANKS = ' \t\n\r';

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
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (BLANKS.includes(character)) {
      words.push(...(word === null ? [] : [word]));
      word = null;
    } else if (character === "'" || character === '"') {
      const { inner, end } = quoted(text, index);
      word = (word ?? '') + inner;
      index = end;
    } else if (character === '\\') {
      index += 1;
      word = (word ?? '') + escaped(text, index);
    } else {
      word = (word ?? '') + character;
    }
  }
  return word === null ? words : [...words, word];
}

/**
 * @param {string} text
 * @param {number} start of the opening quotation mark
 * @returns {{ inner: string, end: number }} the quoted text, and the offset of the closing mark
 */
function quoted(text, start) {
  const mark = text[start];
  let inner = '';
  for (let index = start + 1; index < text.length; index += 1) {
    if (text[index] === mark) {
      return { inner, end: index };
    }
    if (mark === '"' && text[index] === '\\' && ESCAPABLE.includes(escaped(text, index + 1))) {
      index += 1;
    }
    inner += text[index];
  }
  throw new RangeError(`expected a closing ${mark}`);
}

/**
 * @param {string} text
 * @param {number} index after a backslash
 */
function escaped(text, index) {
  if (index >= text.length) {
    throw new RangeError('expected a character after the last backslash');
  }
  return text[index];
}

/** Quotes a word for a shell if necessary. @param {string} word */
export function shellWord(word) {
  return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
