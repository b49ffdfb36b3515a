import { WITHHELD, redact } from './redact.js';

const MAX_LENGTH = 200;

/** Characters to search for secrets even if fewer are shown: the cut may be inside an encoded secret. */
const MAX_READ_LENGTH = 1024;

/** Line ends and tabs. A space replaces each run of them. */
const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;

/**
 * Characters that control a terminal, are invisible, or disguise the text: control and format characters (such as text
 * direction marks, zero-width spaces, and byte order marks in copied values), lone surrogates, unassigned characters,
 * and line ends.
 */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * Prepares text from outside (a store, a certificate, a log, a file name) for display: on one line, of limited length,
 * with invisible characters escaped. A text that contains a secret is withheld.
 *
 * @param {string} text
 * @param {number} [maxLength] characters
 */
export function plainText(text, maxLength = MAX_LENGTH) {
  const trimmed = text.trim();
  const read = trimmed.slice(0, Math.max(maxLength, MAX_READ_LENGTH));
  if (redact(read) === WITHHELD) {
    return WITHHELD;
  }
  const beginning = cut(trimmed, maxLength);
  const line = escapeUnprintable(beginning.replace(BREAKS, ' '));
  const shown = cut(line, maxLength);
  const isWhole = beginning === trimmed && shown === line;
  return isWhole ? shown : `${shown}…`;
}

/** Puts a text of any length on one line, with invisible characters escaped. @param {string} text */
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
  // Do not split a surrogate pair.
  return beginning.length < text.length ? beginning.replace(/[\ud800-\udbff]$/, '') : beginning;
}

/** Such as `run.log:12`, which editors recognize. @param {{ file: string, line: number | null }} place */
export function placeOf({ file, line }) {
  const name = plainLine(file);
  return line === null ? name : `${name}:${line}`;
}
