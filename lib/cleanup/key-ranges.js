import { AttemptError } from '../s3/s3-error.js';

/**
 * @import { ListedObject } from '../s3/bucket-admin.js'
 * @import { BucketAccess } from './bucket-access.js'
 */

const HEXADECIMAL_DIGITS = [...'0123456789abcdef'];

/**
 * A part of a bucket's keys that is listed by itself.
 *
 * @typedef {object} KeyRange
 * @property {string} bucket
 * @property {string} prefix of all keys in question
 * @property {string} after the range begins after this key
 * @property {string} last it ends with this key
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
  return HEXADECIMAL_DIGITS.map((digit, place) => ({
    bucket,
    prefix: keyPrefix,
    after: place === 0 ? '' : keyPrefix + digit,
    last: place + 1 < HEXADECIMAL_DIGITS.length ? keyPrefix + HEXADECIMAL_DIGITS[place + 1] : '\uffff',
  }));
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
 * @param {(bucket: string, objects: ListedObject[]) => Promise<void>} visit
 */
export async function walkRange({ bucket, prefix, after, last }, access, visit) {
  let position = after;
  for (;;) {
    const { objects, isLast } = await listPage(access, bucket, prefix, position);
    const inside = objects.filter(({ key }) => key <= last);
    await visit(bucket, inside);
    if (isLast || inside.length < objects.length) {
      return;
    }
    position = objects[objects.length - 1].key;
  }
}
