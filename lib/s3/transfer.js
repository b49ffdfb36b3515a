/** @import { ObjectConnection } from './object-store.js' */

/**
 * How far the object of an attempt has come.
 *
 * @typedef {object} Transfer
 * @property {'sent' | 'received'} direction
 * @property {number} bytes
 * @property {number} total bytes of the object; -1 where it is not known
 */

/**
 * @param {Pick<ObjectConnection, 'moved' | 'movedBefore' | 'reply'>} connection
 * @param {number | null} size bytes of the object that it writes; null where it does not write
 * @returns {Transfer | null} null where nothing has been moved
 */
export function transferOf({ moved, movedBefore, reply }, size) {
  const bytes = moved - movedBefore;
  if (bytes === 0) {
    return null;
  }
  return size === null
    ? { direction: 'received', bytes, total: reply.contentLength }
    : { direction: 'sent', bytes, total: size };
}
