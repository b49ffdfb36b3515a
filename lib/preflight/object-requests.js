/** @import { ObjectConnection } from '../s3/object-store.js' */

/**
 * What can be asked about an object, named as the stage that does it.
 *
 * @typedef {'write' | 'read' | 'stat' | 'remove'} Action
 *
 * @typedef {object} AskedObject
 * @property {string} bucket
 * @property {string} key
 * @property {number} size bytes
 * @property {() => Buffer | Iterable<Buffer>} makeBody of so many bytes
 */

/** In the order of the stages. */
export const ACTIONS = Object.freeze(/** @type {const} */ (['write', 'read', 'stat', 'remove']));

/**
 * One attempt each; what is read is not looked at.
 *
 * @type {Readonly<Record<Action, (connection: ObjectConnection, asked: AskedObject) => Promise<void>>>}
 */
export const REQUESTS = Object.freeze({
  write: (connection, { bucket, key, size, makeBody }) => connection.put(bucket, key, makeBody(), size),
  read: (connection, { bucket, key }) => connection.get(bucket, key, { accept() {} }),
  stat: (connection, { bucket, key }) => connection.head(bucket, key),
  remove: (connection, { bucket, key }) => connection.remove(bucket, key),
});
