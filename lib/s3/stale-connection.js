/** @import { ObjectConnection } from './object-store.js' */

/** A store closes a connection that has carried nothing for a while; one that was busy a moment ago it has no cause to. */
const IDLE_ENOUGH_TO_BE_CLOSED_MS = 1000;

/**
 * Whether a request that a kept-alive connection ended without an answer may be sent anew at once. Reading twice does no
 * harm. A write may have been carried out before the connection broke, unless the connection had been idle long enough
 * for the store to have closed it beforehand.
 *
 * @param {ObjectConnection} connection
 * @param {boolean} isWrite
 * @returns {boolean}
 */
export function mayResendAtOnce(connection, isWrite) {
  return !isWrite || connection.startedAt - connection.idleSince >= IDLE_ENOUGH_TO_BE_CLOSED_MS;
}
