import { quote } from '../log/quote.js';

// How values of any kind are read, of options and variables alike. Each reader takes the text as the user wrote it and
// throws a RangeError that says what was expected.

/**
 * @param {number} least
 * @param {number} most
 * @returns {(text: string) => number}
 */
export function wholeNumber(least, most) {
  return (given) => {
    const value = /^[0-9]{1,15}$/.test(given) ? Number(given) : NaN;
    if (!(value >= least && value <= most)) {
      throw new RangeError(`expected a whole number from ${least} to ${most}, got ${quote(given)}`);
    }
    return value;
  };
}

/**
 * @param {string} given
 * @returns {string}
 */
export function someText(given) {
  if (given === '') {
    throw new RangeError('expected a value, got nothing');
  }
  return given;
}

/**
 * @template {string} Choice
 * @param {readonly Choice[]} choices
 * @returns {(text: string) => Choice}
 */
export function oneOf(...choices) {
  return (given) => {
    const found = choices.find((choice) => choice === given);
    if (found === undefined) {
      throw new RangeError(`expected ${choices.join(' or ')}, got ${quote(given)}`);
    }
    return found;
  };
}

/**
 * @param {string} given comma-separated
 * @returns {string[]} without empty names
 */
export function listOf(given) {
  return given
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/**
 * @param {string} given that may be a URL with a password, which is not to be shown
 * @returns {string} what may be
 */
export function withoutUser(given) {
  const end = given.lastIndexOf('@');
  return end < 0 ? given : `…${given.slice(end)}`;
}
