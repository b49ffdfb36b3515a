import { quote } from '../log/quote.js';
import { listOf, wholeNumber, withoutUser } from './values.js';

// How the values of S3_… variables are read.

const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/;
const REGION = /^[A-Za-z0-9-]{1,64}$/;
const SECRET = /^[\x21-\x7e]+$/;

const YES = ['1', 'true', 'yes', 'on'];
const NO = ['0', 'false', 'no', 'off'];

export const port = wholeNumber(1, 65535);

/**
 * @param {string} given comma-separated
 * @returns {string[]} a bucket may be named twice here
 */
export function bucketNames(given) {
  const names = listOf(given);
  const strange = names.find((name) => !BUCKET.test(name));
  if (names.length === 0 || strange !== undefined) {
    // A password may have commas in it: where there is one, no part of the text is a name for certain.
    const shown = given.includes('@') ? withoutUser(given) : (strange ?? given);
    throw new RangeError(`expected bucket names of 3 to 63 of A-Z a-z 0-9 . _ -, comma-separated, got ${quote(shown)}`);
  }
  return names;
}

/**
 * @param {string} given
 * @returns {string}
 */
export function region(given) {
  if (!REGION.test(given)) {
    throw new RangeError(`expected a region such as auto, got ${quote(withoutUser(given))}`);
  }
  return given;
}

/**
 * @param {string} given not to be shown
 * @returns {string}
 */
export function secret(given) {
  if (!SECRET.test(given)) {
    throw new RangeError('expected printable characters without blanks');
  }
  return given;
}

/**
 * @param {string} given
 * @returns {boolean}
 */
export function yesOrNo(given) {
  const lowerCase = given.toLowerCase();
  if (!YES.includes(lowerCase) && !NO.includes(lowerCase)) {
    throw new RangeError(`expected ${YES.join(', ')} or ${NO.join(', ')}, got ${quote(given)}`);
  }
  return YES.includes(lowerCase);
}
