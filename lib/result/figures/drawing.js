import { cutToWidth, textWidth } from '../../text/text-width.js';

/** @typedef {{ columns: number, rows: number, isUnicode: boolean, hasColour: boolean }} Look `isUnicode`: shows block elements, not only ASCII */

/** `levels` are the characters of a sparkline, from empty to full. */
const BLOCKS = Object.freeze({ levels: ' ▁▂▃▄▅▆▇█', full: '█', empty: '░', ellipsis: '…' });

/** For a terminal without Unicode. */
const ASCII = Object.freeze({ levels: ' .:-=+*#@', full: '#', empty: '.', ellipsis: '...' });

/** Colours always have a meaning: errors, or throttling by the store. */
const COLOURS = Object.freeze({ error: '\x1b[31m', throttling: '\x1b[33m' });

const DEFAULT_COLOUR = '\x1b[39m';

/** @typedef {{ text: string, meaning?: keyof typeof COLOURS }} Part */

/** @param {Look} look */
function glyphsOf({ isUnicode }) {
  return isUnicode ? BLOCKS : ASCII;
}

/**
 * @param {number} share 0 to 1
 * @param {number} width columns
 * @param {Look} look
 */
export function progressBar(share, width, look) {
  const { full, empty } = glyphsOf(look);
  const filled = Math.floor(share * width);
  return full.repeat(filled) + empty.repeat(width - filled);
}

/**
 * @param {number} value 0 or more
 * @param {number} largest value of all bars
 * @param {number} width columns of the largest bar
 * @param {Look} look
 * @returns {string} at least one column long unless the value is 0
 */
export function valueBar(value, largest, width, look) {
  const length = value > 0 ? Math.max(Math.round((value / largest) * width), 1) : 0;
  return glyphsOf(look).full.repeat(length);
}

/**
 * @param {readonly number[]} values 0 or more; only the last values that fit are drawn
 * @param {number} width columns
 * @param {Look} look
 * @returns {string} one column per value, scaled to the largest
 */
export function sparkline(values, width, look) {
  const { levels } = glyphsOf(look);
  const shown = width > 0 ? values.slice(-width) : [];
  const largest = Math.max(...shown);
  const top = levels.length - 1;
  return shown.map((value) => levels[value > 0 ? Math.max(Math.round((value / largest) * top), 1) : 0]).join('');
}

/**
 * @param {readonly Part[]} parts
 * @param {Look} look
 * @returns {string} one line, cut to what fits the terminal without wrapping
 */
export function lineOf(parts, look) {
  let room = look.columns - 1;
  return parts
    .map(({ text, meaning }) => {
      const shown = cutToWidth(text, room, glyphsOf(look).ellipsis);
      room -= textWidth(shown);
      const isPlain = meaning === undefined || !look.hasColour || shown === '';
      return isPlain ? shown : `${COLOURS[meaning]}${shown}${DEFAULT_COLOUR}`;
    })
    .join('')
    .trimEnd();
}
