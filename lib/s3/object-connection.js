import { AttemptError } from './s3-error.js';

/**
 * @import { ObjectConnection } from './object-store.js'
 * @import { S3Call } from './s3-calls.js'
 */

// What the connections of both clients have in common.

/** No store answers with a longer document: 1,000 keys of 1,024 bytes take 5 MB if each byte of them is escaped. */
export const MAX_DOCUMENT_BYTES = 8 * 1024 * 1024;

const QUOTE = 0x22;
const FNV_OFFSET_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** @returns {AttemptError} of an answer that is not read to its end */
export function documentTooLong() {
  return new AttemptError({
    ...{ kind: 'protocol', handling: 'fail', outcomeUnknown: true },
    message: `the answer is longer than any that S3 knows: more than ${MAX_DOCUMENT_BYTES} bytes`,
  });
}

/**
 * A 32-bit FNV-1a digest of an ETag without its quotes, so that four bytes an object are enough to see whether a later
 * answer names the ETag that the write was answered with. Never 0, which stands for «not written».
 *
 * @param {Uint8Array} bytes that hold the header's value as it came
 * @param {number} [start] of the value
 * @param {number} [end]
 * @returns {number} an unsigned 32-bit integer, not 0
 */
export function etagDigest(bytes, start = 0, end = bytes.length) {
  let digest = FNV_OFFSET_BASIS;
  for (let offset = start; offset < end; offset++) {
    if (bytes[offset] !== QUOTE) {
      digest = Math.imul(digest ^ bytes[offset], FNV_PRIME);
    }
  }
  return digest >>> 0 || 1;
}

/**
 * @param {Readonly<Record<string, any>>} output of a call, as the SDK has it
 * @returns {number} the digest of the ETag of the object, or the copy, that it is about; 0 where it names none
 */
export function digestIn({ ETag, CopyObjectResult }) {
  const etag = ETag ?? CopyObjectResult?.ETag;
  return etag === undefined ? 0 : etagDigest(Buffer.from(etag, 'latin1'));
}

/**
 * XML has no place for most control characters, but a key may hold them: a list can be asked for with its keys encoded as in a
 * form, in which a plus stands for a blank.
 *
 * @param {Readonly<Record<string, any>>} output of a call, as the SDK has it
 * @returns {Readonly<Record<string, any>>} with keys as they are; those of which the encoding is not UTF-8 are ''
 */
export function withPlainKeys(output) {
  if (output.EncodingType !== 'url' || output.Contents === undefined) {
    return output;
  }
  const contents = /** @type {readonly { Key?: string }[]} */ (output.Contents);
  return { ...output, Contents: contents.map((object) => ({ ...object, Key: decodedKey(object.Key ?? '') })) };
}

/** @param {string} key */
function decodedKey(key) {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    return '';
  }
}

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

/** A store closes a connection that has carried nothing for a while; it has no reason to close one that was just busy. */
const IDLE_ENOUGH_TO_BE_CLOSED_MS = 1000;

/** That a connection had been closed before shows a round trip later: what breaks after longer was broken on its way. */
const SHOWN_TO_BE_CLOSED_MS = 1000;

/**
 * Whether a request may be sent again at once after a kept-alive connection ended without an answer. Reading twice does no
 * harm. A write may have been carried out before the connection broke, unless the connection had been idle long enough
 * for the store to have closed it before. What a POST does may be done twice by a second one (RFC 9110, section 9.2.2).
 *
 * @param {Pick<ObjectConnection, 'startedAt' | 'idleSince'>} connection
 * @param {Pick<S3Call, 'method'>} call
 * @param {number} now monotonic ms
 * @returns {boolean}
 */
export function mayResendAtOnce({ startedAt, idleSince }, { method }, now) {
  const wasIdle = startedAt - idleSince >= IDLE_ENOUGH_TO_BE_CLOSED_MS;
  return method !== 'POST' && (method !== 'PUT' || (wasIdle && now - startedAt < SHOWN_TO_BE_CLOSED_MS));
}
