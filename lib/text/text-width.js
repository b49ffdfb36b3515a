const ESCAPE = '\x1b';

/** What this tool itself adds to a line for a terminal: colours, which take no room. */
const COLOURS = new RegExp(`${ESCAPE}\\[\\d+m`, 'g');

/** Marks that stand on the character before them. */
const MARK = /^\p{M}$/u;

/**
 * Characters that take two columns: those of East Asia that are wide, and pictures.
 * (https://www.unicode.org/reports/tr11/, classes W and F, in ranges that hold no narrow character in use)
 */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f1e6}-\u{1f1ff}\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]$/u;

/**
 * How many columns of a terminal a text takes.
 *
 * @param {string} text without line ends and control characters, but for colours
 * @returns {number}
 */
export function textWidth(text) {
  let width = 0;
  for (const character of text.replace(COLOURS, '')) {
    width += widthOf(character);
  }
  return width;
}

/** @param {string} character */
function widthOf(character) {
  // Most of what is measured is ASCII, or what bars are drawn with.
  if (character < '\x7f' || (character >= '\u2500' && character <= '\u259f')) {
    return 1;
  }
  return MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
}

/**
 * @param {string} text without colours
 * @param {number} columns
 * @param {string} [ellipsis] in place of what is cut off
 * @returns {string} a text that takes no more columns
 */
export function cutToWidth(text, columns, ellipsis = '…') {
  if (textWidth(text) <= columns) {
    return text;
  }
  const room = columns - textWidth(ellipsis);
  let shown = '';
  let width = 0;
  for (const character of text) {
    width += widthOf(character);
    if (width > room) {
      break;
    }
    shown += character;
  }
  return room < 0 ? '' : shown + ellipsis;
}

/**
 * @param {string} text without colours
 * @param {number} columns
 * @returns {string} the text with blanks after it, so that it takes that many columns
 */
export function padToWidth(text, columns) {
  return text + ' '.repeat(Math.max(columns - textWidth(text), 0));
}

/**
 * Breaks a text between its words. A word that is too long for a line is cut into parts.
 *
 * @param {string} text without colours
 * @param {number} columns at least 2 more than the indent has
 * @param {string} [indent] of every line but the first
 * @returns {string[]} lines
 */
export function wrapAtWords(text, columns, indent = '') {
  /** @type {string[]} */
  const lines = [];
  let line = '';
  const room = () => columns - (lines.length === 0 ? 0 : textWidth(indent));
  const end = () => {
    lines.push(lines.length === 0 ? line : indent + line);
    line = '';
  };
  for (const word of text.split(' ')) {
    if (line !== '' && textWidth(line) + 1 + textWidth(word) > room()) {
      end();
    }
    line += line === '' ? '' : ' ';
    for (const character of word) {
      if (textWidth(line) + widthOf(character) > room()) {
        end();
      }
      line += character;
    }
  }
  end();
  return lines;
}
