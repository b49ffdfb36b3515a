import { setTimeout as wait } from 'node:timers/promises';
import { LIST_START, listPositionAfter } from '../s3/bucket-admin.js';
import { protocolError } from '../s3/s3-error.js';

/**
 * @import { ListPosition, ListedObject } from '../s3/bucket-admin.js'
 * @import { BucketAccess } from './bucket-access.js'
 */

const DIGITS = [...'0123456789abcdef'];

/** What precedes the keys of the digits that foreign keys may follow. @type {Readonly<Record<string, string>>} */
const NEAR = { 9: '8~', f: 'e~' };

/** Follows all keys. */
const LAST_KEY = '\uffff';

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
 * @property {ListPosition} from the start of the first page
 * @property {string} start inclusive lower bound
 * @property {string} end exclusive upper bound
 * @property {ListProgress} progress shared by all ranges of the same bucket
 */

/**
 * Splits the rest of a run's keys by their first digit, into ranges that can be listed concurrently. Foreign keys may
 * sort after the digits 9 and f, so these two ranges have no prefix of their own, but begin near their first key. If the
 * store begins at the first key of all instead, they skip what precedes them.
 *
 * @param {string} bucket
 * @param {string} keyPrefix of a run
 * @param {ListPosition} position after the first page
 * @returns {KeyRange[]}
 */
export function rangesAfter(bucket, keyPrefix, position) {
  const common = { bucket, progress: new ListProgress(bucket) };
  const starts = DIGITS.map((digit) => keyPrefix + digit).filter((start) => start > position.after);
  const ranges = starts.map((start, index) => {
    const before = NEAR[start.slice(keyPrefix.length)];
    const list =
      before === undefined
        ? { prefix: start, from: LIST_START }
        : { prefix: keyPrefix, from: listPositionAfter(keyPrefix + before) };
    return { ...common, ...list, start, end: starts[index + 1] ?? LAST_KEY };
  });
  return [{ ...common, prefix: keyPrefix, from: position, start: '', end: starts[0] ?? LAST_KEY }, ...ranges];
}

/**
 * @param {string} bucket
 * @param {string} prefix
 * @returns {KeyRange} all keys
 */
export function wholeRange(bucket, prefix) {
  return { bucket, prefix, from: LIST_START, start: '', end: LAST_KEY, progress: new ListProgress(bucket) };
}

/**
 * @param {KeyRange} range
 * @param {BucketAccess} access
 * @param {(bucket: string, inside: ListedObject[], page: ListedObject[]) => Promise<boolean>} visit gets the objects of a
 *   page that are in the range, and all of them; resolves to whether the page contains relevant objects
 */
export async function walkRange({ bucket, prefix, from, start, end, progress }, { admin, retry }, visit) {
  const pages = pagesOf((position) => retry(() => admin.listPage(bucket, prefix, position)), from);
  for await (const { objects, next } of pages) {
    const inside = objects.filter(({ key }) => key >= start && key < end);
    const isFruitful = await visit(bucket, inside, objects);
    if (next === null || objects.some(({ key }) => key >= end)) {
      return;
    }
    await progress.page(isFruitful);
  }
}

/**
 * @template {{ next: ListPosition | null }} Page
 * @param {(position: ListPosition) => Promise<Page>} request
 * @param {ListPosition} [from]
 * @returns {AsyncGenerator<Page>} to the end of the list
 */
export async function* pagesOf(request, from = LIST_START) {
  for (let position = /** @type {ListPosition | null} */ (from); position !== null;) {
    const page = await request(position);
    yield page;
    position = page.next;
  }
}
