import { S3Error } from './xml.js';

/**
 * The operation of a request: an object method, a listing (`LIST`), a batch deletion (`POST`), a bucket check
 * (`BUCKET`), multipart upload operations (`CREATE`, `PART`, `COMPLETE`, `ABORT`, and their listing, `UPLOADS`), and
 * anything unsupported (`OTHER`).
 *
 * @typedef {'PUT' | 'GET' | 'HEAD' | 'DELETE' | 'POST' | 'LIST' | 'BUCKET' | 'CREATE' | 'PART' | 'COMPLETE' | 'ABORT' |
 *   'UPLOADS' | 'OTHER'} Operation
 *
 * @typedef {object} Target
 * @property {string} path as received, percent-encoded
 * @property {string} bucket
 * @property {string} key '' for the bucket itself
 * @property {Record<string, string>} query decoded; if a name is repeated, its last value
 */

/** @type {readonly Operation[]} */
export const OPERATIONS = Object.freeze([
  .../** @type {const} */ (['PUT', 'GET', 'HEAD', 'DELETE', 'POST', 'LIST', 'BUCKET']),
  .../** @type {const} */ (['CREATE', 'PART', 'COMPLETE', 'ABORT', 'UPLOADS', 'OTHER']),
]);

/** Multipart upload operations by method and query parameters. @type {Readonly<Record<string, Operation>>} */
const UPLOAD_OPERATIONS = Object.freeze({
  'POST uploads': 'CREATE',
  'PUT partNumber uploadId': 'PART',
  'POST uploadId': 'COMPLETE',
  'DELETE uploadId': 'ABORT',
});

const OBJECT_METHODS = new Set(['PUT', 'GET', 'HEAD', 'DELETE']);
const MAX_KEY_BYTES = 1024;
const MAX_BYTES_PER_UNIT = 3;
const NO_QUERY = Object.freeze({});
const NOWHERE = Object.freeze({ path: '', bucket: '', key: '', query: NO_QUERY });

const NOT_IMPLEMENTED = new S3Error('NotImplemented', 'This endpoint does not implement the requested operation.');

/** Parameters without effect: the SDK puts its operation's name into `x-id`. */
const HARMLESS = new Set(['x-id']);

/** A Host header that names a bucket: a subdomain of localhost (RFC 6761, section 6.3), with any port. */
const BUCKET_IN_HOST = /^([^:]+)\.localhost(?::[0-9]+)?$/i;

/**
 * @typedef {object} Naming how requests name a bucket
 * @property {string} [basePath] path before the bucket
 * @property {string} [host] the Host header; `<bucket>.localhost` names the bucket, which is then not in the path
 *
 * @param {string} method
 * @param {string} url path and query as received
 * @param {Naming} [naming]
 * @returns {{ operation: Operation, target: Target, refusal: S3Error | null }} `refusal`: why `OTHER` is rejected
 */
export function route(method, url, naming = {}) {
  try {
    const target = parseTarget(url, naming);
    const operation = operationOf(method, target);
    return { operation, target, refusal: operation === 'OTHER' ? NOT_IMPLEMENTED : null };
  } catch (error) {
    if (error instanceof S3Error) {
      return { operation: 'OTHER', target: NOWHERE, refusal: error };
    }
    throw error;
  }
}

/**
 * @param {string} url
 * @param {Naming} naming
 * @returns {Target}
 * @throws {S3Error} InvalidURI or KeyTooLongError
 */
function parseTarget(url, { basePath = '', host = '' }) {
  const queryStart = url.indexOf('?');
  const path = queryStart < 0 ? url : url.slice(0, queryStart);
  const bucketInHost = BUCKET_IN_HOST.exec(host)?.[1];
  const resource = path.startsWith(basePath) ? path.slice(basePath.length) : '';
  const isInPath = bucketInHost === undefined;
  if (resource[0] !== '/' || (isInPath && resource.length === 1)) {
    throw new S3Error('InvalidURI', `Expected a path-style address: ${basePath}/bucket or ${basePath}/bucket/key.`);
  }
  const keyStart = isInPath ? resource.indexOf('/', 1) : 0;
  const bucket = bucketInHost ?? decode(keyStart < 0 ? resource.slice(1) : resource.slice(1, keyStart));
  const key = keyStart < 0 ? '' : decode(resource.slice(keyStart + 1));
  if (key.length * MAX_BYTES_PER_UNIT > MAX_KEY_BYTES && Buffer.byteLength(key) > MAX_KEY_BYTES) {
    throw new S3Error('KeyTooLongError', `Your key is too long: the limit is ${MAX_KEY_BYTES} bytes.`);
  }
  return {
    path,
    bucket,
    key,
    query: queryStart < 0 ? NO_QUERY : Object.fromEntries(new URLSearchParams(url.slice(queryStart))),
  };
}

/**
 * @param {string} method
 * @param {Target} target
 * @returns {Operation}
 */
function operationOf(method, { key, query }) {
  if (key !== '') {
    const names = Object.keys(query).filter((name) => !HARMLESS.has(name) && !name.startsWith('X-Amz-'));
    if (names.length > 0) {
      return UPLOAD_OPERATIONS[[method, ...names.sort()].join(' ')] ?? 'OTHER';
    }
    return OBJECT_METHODS.has(method) ? /** @type {Operation} */ (method) : 'OTHER';
  }
  if (method === 'GET' && query.uploads !== undefined) {
    return 'UPLOADS';
  }
  if (method === 'GET' && query['list-type'] === '2') {
    return 'LIST';
  }
  if (method === 'POST' && query.delete !== undefined) {
    return 'POST';
  }
  return method === 'HEAD' && Object.keys(query).length === 0 ? 'BUCKET' : 'OTHER';
}

/**
 * @param {string} text percent-encoded
 * @throws {S3Error} InvalidURI
 */
export function decode(text) {
  if (!text.includes('%')) {
    return text;
  }
  try {
    return decodeURIComponent(text);
  } catch {
    throw new S3Error('InvalidURI', "Couldn't parse the specified URI: its percent-encoding is not UTF-8.");
  }
}

const RESERVED_LEFT_OVER = /[!'()*]/g;
const NEEDS_NO_ENCODING = /^[A-Za-z0-9\-._~/]*$/;

/**
 * URI encoding of Signature Version 4 and S3 listings: encodes every byte of the UTF-8 form as `%XX`, except
 * `A-Z a-z 0-9 - . _ ~` and `/`, which S3 does not encode in paths.
 *
 * @param {string} text
 * @throws {URIError} if the text contains an unpaired surrogate
 */
export function percentEncode(text) {
  if (NEEDS_NO_ENCODING.test(text)) {
    return text;
  }
  return encodeURIComponent(text)
    .replace(RESERVED_LEFT_OVER, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%2F', '/');
}
