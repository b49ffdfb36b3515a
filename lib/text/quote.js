import { escapeUnprintable } from './plain-text.js';

const MAX_LENGTH = 80;

/**
 * Shows what was given where something else was expected: between quotation marks, with everything visible, and never at
 * length.
 *
 * @param {string} given
 * @returns {string}
 */
export function quote(given) {
  if (given === '') {
    return 'nothing';
  }
  const shown = given.length > MAX_LENGTH ? `${given.slice(0, MAX_LENGTH)}…` : given;
  return escapeUnprintable(JSON.stringify(shown));
}
