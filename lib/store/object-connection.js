import { AttemptError } from './s3-error.js';

/**
 * @import { ObjectConnection, ObjectRequest } from './object-store.js'
 * @import { S3Call } from './s3-calls.js'
 */

// What the connections of the direct client and the SDK client share.

/** No S3 document is longer: 1,000 keys of 1,024 bytes take 5 MB if every byte is escaped. */
export const MAX_DOCUMENT_BYTES = 8 * 1024 * 1024;

const QUOTE = 0x22;
const SLASH = 0x2f;
const LOWER_CASE = 0x20;
const FNV_OFFSET_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

export function documentTooLong() {
  return new AttemptError({
    kind: 'protocol',
    handling: 'fail',
    outcomeUnknown: true,
    message: `the response is longer than any S3 document: more than ${MAX_DOCUMENT_BYTES} bytes`,
  });
}

/**
 * An unsigned 32-bit FNV-1a digest of an ETag without its quotes, the mark of a weak one, and its case, which proxies
 * change. Four bytes per object are enough to check whether a later response has the ETag that the write returned. 0 if
 * the ETag is empty.
 *
 * @param {Uint8Array} bytes contain the header's raw value, from `start` to `end`
 * @param {number} [start]
 * @param {number} [end]
 */
export function etagDigest(bytes, start = 0, end = bytes.length) {
  let digest = FNV_OFFSET_BASIS;
  for (let offset = bytes[start + 1] === SLASH ? start + 2 : start; offset < end; offset++) {
    if (bytes[offset] !== QUOTE) {
      digest = Math.imul(digest ^ (bytes[offset] | LOWER_CASE), FNV_PRIME);
    }
  }
  return digest === FNV_OFFSET_BASIS ? 0 : digest >>> 0 || 1;
}

/**
 * @param {Readonly<Record<string, any>>} output of a call, in the SDK's form
 * @returns {number} the digest of the ETag of the object or copy; 0 if the output has no ETag
 */
export function digestIn({ ETag, CopyObjectResult }) {
  const etag = ETag ?? CopyObjectResult?.ETag;
  return etag === undefined ? 0 : etagDigest(Buffer.from(etag, 'latin1'));
}

/**
 * Decodes the keys of a list that was requested with form-encoded keys, in which a plus means a space. A key can
 * contain control characters, most of which XML cannot represent. Some stores encode keys without declaring it, which
 * only the requested prefix reveals.
 *
 * @param {Readonly<Record<string, any>>} output of a call, in the SDK's form
 * @param {ObjectRequest['input']} input of the call
 * @returns {Readonly<Record<string, any>>} with decoded keys; a key that does not decode to UTF-8 becomes ''
 */
export function withPlainKeys(output, { Prefix = '' } = {}) {
  const contents = /** @type {readonly { Key?: string }[]} */ (output.Contents ?? []);
  const { Key = '' } = contents[0] ?? {};
  const isEncoded = output.EncodingType === 'url' || (!Key.startsWith(Prefix) && decodedKey(Key).startsWith(Prefix));
  if (!isEncoded || contents.length === 0) {
    return output;
  }
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

/** A store closes only connections that have been idle for a while. */
const IDLE_ENOUGH_TO_BE_CLOSED_MS = 1000;

/** A request on a connection that the store had already closed fails within a round trip, so well within this time. */
const SHOWN_TO_BE_CLOSED_MS = 1000;

/**
 * Whether it is safe to resend a request at once after a kept-alive connection ended without a response. Reading twice
 * does no harm. A write may have been carried out before the connection broke, unless the connection had been idle long
 * enough for the store to have closed it earlier. A repeated POST may take effect twice (RFC 9110, section 9.2.2).
 *
 * @param {Pick<ObjectConnection, 'startedAt' | 'idleSince'>} connection
 * @param {Pick<S3Call, 'method'>} call
 * @param {number} now monotonic ms
 */
export function mayResendAtOnce({ startedAt, idleSince }, { method }, now) {
  const wasIdle = startedAt - idleSince >= IDLE_ENOUGH_TO_BE_CLOSED_MS;
  return method !== 'POST' && (method !== 'PUT' || (wasIdle && now - startedAt < SHOWN_TO_BE_CLOSED_MS));
}
