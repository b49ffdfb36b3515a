import { redact } from './redact.js';

const MAX_LENGTH = 200;

/** How much of a text is read, even if less is shown: an escaped secret is longer than the words that replace it. */
const MAX_READ_LENGTH = 1024;

/** Ends of lines, and what else moves the cursor as a blank does. */
const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;

/**
 * Characters that a terminal would obey, that nobody sees, or that let a text read otherwise than it is: controls, formats
 * (such as those that turn the direction of reading, or the zero-width blanks and byte order marks that come along when a
 * value is copied), halves of characters, characters without a meaning, and ends of lines.
 */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * What comes from outside (a store, a certificate, a log, the name of a file) is shown by this: on one line, with
 * everything visible but secrets, and never at length.
 *
 * @param {string} text
 * @param {number} [maxLength] characters
 * @returns {string}
 */
export function plainText(text, maxLength = MAX_LENGTH) {
  const trimmed = text.trim();
  const read = trimmed.slice(0, Math.max(maxLength, MAX_READ_LENGTH));
  const redacted = redact(read);
  const beginning = cut(redacted, maxLength);
  const line = escapeUnprintable(beginning.replace(BREAKS, ' '));
  const shown = cut(line, maxLength);
  const isWhole = read === trimmed && beginning === redacted && shown === line;
  return isWhole ? shown : `${shown}…`;
}

/**
 * @param {string} text
 * @returns {string} the same on one line, of whatever length
 */
export function plainLine(text) {
  return escapeUnprintable(text.replace(BREAKS, ' '));
}

/** @param {string} text */
export function escapeUnprintable(text) {
  return text.replace(
    UNPRINTABLE,
    (character) => `\\u{${/** @type {number} */ (character.codePointAt(0)).toString(16)}}`,
  );
}

/**
 * @param {string} text
 * @param {number} maxLength
 */
function cut(text, maxLength) {
  const beginning = text.slice(0, maxLength);
  // No character is cut in two.
  return beginning.length < text.length ? beginning.replace(/[\ud800-\udbff]$/, '') : beginning;
}

/**
 * @param {{ file: string, line: number | null }} place
 * @returns {string} as compilers write it, so that editors find it
 */
export function placeOf({ file, line }) {
  const name = plainLine(file);
  return line === null ? name : `${name}:${line}`;
}
