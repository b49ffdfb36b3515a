/** What a backslash between double quotation marks takes the meaning from; before anything else it stands for itself. */
const ESCAPABLE = '"\\$`';

const BLANKS = ' \t\n\r';

/** What a shell reads literally. */
const PLAIN_WORD = /^[\w./:,@%+-][\w./:,@%+=-]*$/;

/**
 * Splits a text into words as a shell does: blanks separate them, quotation marks and backslashes keep them together. It
 * expands nothing: the shell that called the program has done so, or was told not to.
 *
 * @param {string} text
 * @returns {string[]}
 * @throws {RangeError} where a quotation mark is not closed, or nothing follows a backslash
 */
export function shellWords(text) {
  /** @type {string[]} */
  const words = [];
  /** The word under way; null between two words, where an empty one has not begun either. @type {string | null} */
  let word = null;
  for (let place = 0; place < text.length; place += 1) {
    const character = text[place];
    if (BLANKS.includes(character)) {
      words.push(...(word === null ? [] : [word]));
      word = null;
    } else if (character === "'" || character === '"') {
      const { inner, end } = quoted(text, place);
      word = (word ?? '') + inner;
      place = end;
    } else if (character === '\\') {
      place += 1;
      word = (word ?? '') + escaped(text, place);
    } else {
      word = (word ?? '') + character;
    }
  }
  return word === null ? words : [...words, word];
}

/**
 * @param {string} text
 * @param {number} start of the opening quotation mark
 * @returns {{ inner: string, end: number }} what is between the marks, and where the closing one is
 */
function quoted(text, start) {
  const mark = text[start];
  let inner = '';
  for (let place = start + 1; place < text.length; place += 1) {
    if (text[place] === mark) {
      return { inner, end: place };
    }
    if (mark === '"' && text[place] === '\\' && ESCAPABLE.includes(escaped(text, place + 1))) {
      place += 1;
    }
    inner += text[place];
  }
  throw new RangeError(`expected a closing ${mark}`);
}

/**
 * @param {string} text
 * @param {number} place after a backslash
 */
function escaped(text, place) {
  if (place >= text.length) {
    throw new RangeError('expected a character after the last backslash');
  }
  return text[place];
}

/**
 * @param {string} word
 * @returns {string} as it has to be written for a shell to read that word
 */
export function shellWord(word) {
  return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
