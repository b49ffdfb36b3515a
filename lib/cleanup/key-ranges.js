import { setTimeout as wait } from 'node:timers/promises';
import { AttemptError } from '../s3/s3-error.js';

/**
 * @import { ListedObject } from '../s3/bucket-admin.js'
 * @import { BucketAccess } from './bucket-access.js'
 */

const HEXADECIMAL_DIGITS = [...'0123456789abcdef'];

/** Pages in a row without progress after which a list is given up. */
const MAX_FRUITLESS_PAGES = 100;

/** The pause after such a page. */
const FRUITLESS_PAUSE_MS = 20;

/** Bounds a list that continues although it shows nothing that is looked for. */
export class ListProgress {
  #bucket;
  #fruitless = 0;

  /** @param {string} bucket */
  constructor(bucket) {
    this.#bucket = bucket;
  }

  /**
   * To be called after each page that is not the last.
   *
   * @param {boolean} isFruitful whether the page shows anything that is looked for
   * @throws {AttemptError} if too many pages in a row did not
   */
  async page(isFruitful) {
    this.#fruitless = isFruitful ? 0 : this.#fruitless + 1;
    if (this.#fruitless === 0) {
      return;
    }
    if (this.#fruitless > MAX_FRUITLESS_PAGES) {
      throw new AttemptError({
        kind: 'protocol',
        handling: 'fail',
        message: `the list of bucket ${this.#bucket} continues after ${MAX_FRUITLESS_PAGES} pages in a row without anything that was looked for`,
      });
    }
    await wait(FRUITLESS_PAUSE_MS);
  }
}

/**
 * A part of a bucket's keys that is listed by itself.
 *
 * @typedef {object} KeyRange
 * @property {string} bucket
 * @property {string} prefix of all keys in question
 * @property {string} after the range begins after this key
 * @property {string} last it ends with this key
 * @property {ListProgress} progress of all ranges that were made together
 */

/**
 * The first range also holds what sorts before the first digit, the last one what sorts after the last: all that
 * is there is looked at, though only names that begin with a digit can be the run's.
 *
 * @param {string} bucket
 * @param {string} keyPrefix of a run
 * @returns {KeyRange[]} that can be listed at the same time
 */
export function rangesOf(bucket, keyPrefix) {
  const progress = new ListProgress(bucket);
  return HEXADECIMAL_DIGITS.map((digit, place) => ({
    bucket,
    progress,
    prefix: keyPrefix,
    after: place === 0 ? '' : keyPrefix + digit,
    last: place + 1 < HEXADECIMAL_DIGITS.length ? keyPrefix + HEXADECIMAL_DIGITS[place + 1] : '\uffff',
  }));
}

/**
 * @param {string} bucket
 * @param {string} keyPrefix of a run
 * @param {string} position a key
 * @returns {KeyRange[]} of what comes after that key
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
 * @param {string} after the page begins after this key
 * @returns {Promise<{ objects: ListedObject[], isLast: boolean }>}
 * @throws {AttemptError}
 */
export async function listPage({ admin, retry }, bucket, prefix, after) {
  const page = await retry(() => admin.listPage(bucket, prefix, after));
  // Another request would get the same answer for ever, and what it does not name would count as gone.
  if (page.objects.length === 0 && !page.isLast) {
    throw new AttemptError({
      kind: 'protocol',
      handling: 'fail',
      message: `the list of bucket ${bucket} says that there is more, and names nothing`,
    });
  }
  return page;
}

/**
 * Goes over the objects of a range, page by page.
 *
 * @param {KeyRange} range
 * @param {BucketAccess} access
 * @param {(bucket: string, objects: ListedObject[]) => Promise<boolean>} visit resolves with whether the page shows anything
 *   that is looked for
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
