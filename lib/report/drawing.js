import { cutToWidth, textWidth } from '../text/text-width.js';

/** @import { Look } from './reporter.js' */

/** What bars are drawn with; `levels` are those of a sparkline, from nothing to all. */
const BLOCKS = Object.freeze({ levels: ' ▁▂▃▄▅▆▇█', full: '█', empty: '░', ellipsis: '…' });

/** Likewise, for a terminal that shows nothing else. */
const ASCII = Object.freeze({ levels: ' .:-=+*#@', full: '#', empty: '.', ellipsis: '...' });

/** Colour has a meaning, and is used for nothing else: errors, and that the store asked for fewer requests. */
const COLOURS = Object.freeze({ error: '\x1b[31m', throttling: '\x1b[33m' });

const DEFAULT_COLOUR = '\x1b[39m';

/**
 * A text with what it means.
 *
 * @typedef {{ text: string, meaning?: keyof typeof COLOURS }} Part
 */

/** @param {Look} look */
function glyphsOf({ isUnicode }) {
  return isUnicode ? BLOCKS : ASCII;
}

/**
 * @param {number} share 0 to 1
 * @param {number} width columns
 * @param {Look} look
 * @returns {string} a bar that is full to its share
 */
export function progressBar(share, width, look) {
  const { full, empty } = glyphsOf(look);
  const filled = Math.floor(share * width);
  return full.repeat(filled) + empty.repeat(width - filled);
}

/**
 * @param {number} value 0 or more
 * @param {number} largest of all bars
 * @param {number} width columns of the largest
 * @param {Look} look
 * @returns {string} a bar whose length stands for the value; what is more than nothing has one
 */
export function valueBar(value, largest, width, look) {
  const length = value > 0 ? Math.max(Math.round((value / largest) * width), 1) : 0;
  return glyphsOf(look).full.repeat(length);
}

/**
 * @param {readonly number[]} values 0 or more; as many of the last ones are drawn as there is room for
 * @param {number} width columns
 * @param {Look} look
 * @returns {string} a column for each, from nothing to the largest of them
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
 * @returns {string} one line of as many columns as the terminal can take without a break
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
