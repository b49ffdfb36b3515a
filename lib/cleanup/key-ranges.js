import { setTimeout as wait } from 'node:timers/promises';
import { protocolError } from '../s3/s3-error.js';

/**
 * @import { ListedObject } from '../s3/bucket-admin.js'
 * @import { BucketAccess } from './bucket-access.js'
 */

const HEXADECIMAL_DIGITS = [...'0123456789abcdef'];

/** Clean-up gives up on a list after this many pages in a row without progress. */
const MAX_FRUITLESS_PAGES = 100;
const FRUITLESS_PAUSE_MS = 20;

/** Stops a list that continues for too long without showing a relevant object. */
export class ListProgress {
  #bucket;
  #fruitless = 0;

  /** @param {string} bucket */
  constructor(bucket) {
    this.#bucket = bucket;
  }

  /**
   * Must be called after each page except the last.
   *
   * @param {boolean} isFruitful whether the page shows anything relevant
   * @throws {AttemptError} if too many pages in a row show nothing relevant
   */
  async page(isFruitful) {
    this.#fruitless = isFruitful ? 0 : this.#fruitless + 1;
    if (this.#fruitless === 0) {
      return;
    }
    if (this.#fruitless > MAX_FRUITLESS_PAGES) {
      throw protocolError(
        `the list of bucket ${this.#bucket} continues after ${MAX_FRUITLESS_PAGES} pages in a row without anything relevant`,
      );
    }
    await wait(FRUITLESS_PAUSE_MS);
  }
}

/**
 * @typedef {object} KeyRange a part of a bucket's keys that is listed separately
 * @property {string} bucket
 * @property {string} prefix of all keys
 * @property {string} after exclusive lower bound
 * @property {string} last inclusive upper bound
 * @property {ListProgress} progress shared by all ranges of the same bucket
 */

/**
 * Splits a run's keys by their first digit, into ranges that can be listed concurrently. The first and last ranges also
 * include everything that sorts before or after the digits, so that foreign objects are found.
 *
 * @param {string} bucket
 * @param {string} keyPrefix of a run
 * @returns {KeyRange[]}
 */
export function rangesOf(bucket, keyPrefix) {
  const progress = new ListProgress(bucket);
  return HEXADECIMAL_DIGITS.map((digit, index) => ({
    bucket,
    progress,
    prefix: keyPrefix,
    after: index === 0 ? '' : keyPrefix + digit,
    last: index + 1 < HEXADECIMAL_DIGITS.length ? keyPrefix + HEXADECIMAL_DIGITS[index + 1] : '\uffff',
  }));
}

/**
 * @param {string} bucket
 * @param {string} keyPrefix of a run
 * @param {string} position a key
 * @returns {KeyRange[]} ranges of the keys after the position
 */
export function rangesAfter(bucket, keyPrefix, position) {
  return rangesOf(bucket, keyPrefix)
    .map((range) => ({ ...range, after: range.after > position ? range.after : position }))
    .filter(({ after, last }) => after < last);
}

/**
 * @param {BucketAccess} access
 * @param {string} bucket
 * @param {string} prefix
 * @param {string} after exclusive lower bound of the page
 * @returns {Promise<{ objects: ListedObject[], isLast: boolean }>}
 * @throws {AttemptError}
 */
export async function listPage({ admin, retry }, bucket, prefix, after) {
  const page = await retry(() => admin.listPage(bucket, prefix, after));
  // Continuing would repeat this page forever. Ending the list here would count unlisted objects as removed.
  if (page.objects.length === 0 && !page.isLast) {
    throw protocolError(`the list of bucket ${bucket} claims to continue but contains no objects`);
  }
  return page;
}

/**
 * @param {KeyRange} range
 * @param {BucketAccess} access
 * @param {(bucket: string, objects: ListedObject[]) => Promise<boolean>} visit resolves to whether a page contains
 *   relevant objects
 */
export async function walkRange({ bucket, prefix, after, last, progress }, access, visit) {
  let position = after;
  for (;;) {
    const { objects, isLast } = await listPage(access, bucket, prefix, position);
    const inside = objects.filter(({ key }) => key <= last);
    const isFruitful = await visit(bucket, inside);
    if (isLast || inside.length < objects.length) {
      return;
    }
    await progress.page(isFruitful);
    position = objects[objects.length - 1].key;
  }
}
