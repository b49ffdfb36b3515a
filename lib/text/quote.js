import { escapeUnprintable } from './plain-text.js';

const MAX_LENGTH = 80;

/** Shows an unexpected value in quotation marks, escaped and of limited length. @param {string} given */
export function quote(given) {
  if (given === '') {
    return 'nothing';
  }
  const shown = given.length > MAX_LENGTH ? `${given.slice(0, MAX_LENGTH)}…` : given;
  return escapeUnprintable(JSON.stringify(shown));
}
