const ESCAPE = '\x1b';

/** The colours that this tool prints, which have no width. */
const COLOURS = new RegExp(`${ESCAPE}\\[\\d+m`, 'g');

const MARK = /^\p{M}$/u;

/**
 * Characters that take two columns: wide East Asian characters and emoji. From https://www.unicode.org/reports/tr11/:
 * classes W and F, joined into ranges that contain no commonly used narrow characters.
 */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f1e6}-\u{1f1ff}\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]$/u;

/** @param {string} text without line ends or control characters except colours */
export function textWidth(text) {
  let width = 0;
  for (const character of text.replace(COLOURS, '')) {
    width += widthOf(character);
  }
  return width;
}

/** @param {string} character */
function widthOf(character) {
  // Most text is ASCII or box-drawing characters.
  if (character < '\x7f' || (character >= '\u2500' && character <= '\u259f')) {
    return 1;
  }
  return MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
}

/**
 * @param {string} text without colours
 * @param {number} columns
 * @param {string} [ellipsis] replaces the cut-off text
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
 */
export function padToWidth(text, columns) {
  return text + ' '.repeat(Math.max(columns - textWidth(text), 0));
}

/**
 * Wraps a text at spaces. Splits a word that is longer than a line.
 *
 * @param {string} text without colours
 * @param {number} columns at least 2 more than the indent
 * @param {string} [indent] of every line except the first
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
