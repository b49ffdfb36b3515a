import { S3Error } from './s3-error.js';
import { percentEncode } from './percent-encoding.js';
import { escapeXml, xmlDocument } from './xml.js';

/** @import { ObjectTable, StoredObject } from './object-table.js' */

/** S3's maximum number of keys per page. */
export const MAX_KEYS = 1000;

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

/**
 * ListObjectsV2, without support for a delimiter.
 *
 * @param {string} bucket
 * @param {ObjectTable} table
 * @param {Readonly<Record<string, string>>} query supports `prefix`, `start-after`, `continuation-token`, `max-keys`
 *   and `encoding-type`
 * @throws {S3Error} InvalidArgument or NotImplemented
 */
export function listObjects(bucket, table, query) {
  if (query.delimiter) {
    throw new S3Error('NotImplemented', 'This endpoint lists without a delimiter.');
  }
  const prefix = query.prefix ?? '';
  const maximum = maximumKeys(query['max-keys']);
  const token = query['continuation-token'];
  const after = token === undefined ? (query['start-after'] ?? '') : keyOfToken(token);
  // Do not mark an empty page as truncated: it has no last key from which a token could continue.
  const page = maximum === 0 ? { entries: [], isTruncated: false } : table.page({ prefix, after, maximum });
  const encode = encoder(query['encoding-type']);
  const parts = [
    element('Name', bucket),
    element('Prefix', encode(prefix)),
    element('KeyCount', page.entries.length),
    element('MaxKeys', maximum),
    element('IsTruncated', page.isTruncated),
    ...optional('EncodingType', query['encoding-type']),
    ...optional('StartAfter', query['start-after'] && encode(query['start-after'])),
    ...optional('ContinuationToken', token),
    ...(page.isTruncated ? [element('NextContinuationToken', tokenOf(page.entries[page.entries.length - 1].key))] : []),
    ...page.entries.map(({ key, object }) => contents(encode(key), object)),
  ];
  return xmlDocument(`<ListBucketResult xmlns="${NAMESPACE}">${parts.join('')}</ListBucketResult>`);
}

/**
 * @param {string} key encoded
 * @param {StoredObject} object
 */
function contents(key, { body, etag, lastModified }) {
  return (
    `<Contents>${element('Key', key)}${element('LastModified', new Date(lastModified).toISOString())}` +
    `${element('ETag', etag)}${element('Size', body.length)}<StorageClass>STANDARD</StorageClass></Contents>`
  );
}

/**
 * @param {string} name
 * @param {string | number | boolean} value
 */
export function element(name, value) {
  return `<${name}>${escapeXml(String(value))}</${name}>`;
}

/**
 * @param {string} name
 * @param {string | undefined} value
 * @returns {string[]} the element; empty without a value
 */
export function optional(name, value) {
  return value ? [element(name, value)] : [];
}

/**
 * @param {string | undefined} encodingType
 * @returns {(text: string) => string} encoder for keys
 * @throws {S3Error} InvalidArgument
 */
export function encoder(encodingType) {
  if (!encodingType) {
    return (/** @type {string} */ text) => text;
  }
  if (encodingType !== 'url') {
    throw new S3Error('InvalidArgument', 'Invalid Encoding Method specified in Request');
  }
  return percentEncode;
}

/** @param {string | undefined} text */
function maximumKeys(text) {
  if (!text) {
    return MAX_KEYS;
  }
  if (!/^[0-9]{1,9}$/.test(text)) {
    throw new S3Error('InvalidArgument', 'max-keys must be an integer between 0 and 2147483647');
  }
  return Math.min(Number(text), MAX_KEYS);
}

/** @param {string} key */
function tokenOf(key) {
  return Buffer.from(key, 'utf8').toString('base64url');
}

/** @param {string} token */
function keyOfToken(token) {
  const key = Buffer.from(token, 'base64url').toString('utf8');
  if (key === '' || tokenOf(key) !== token) {
    throw new S3Error('InvalidArgument', 'The continuation token provided is incorrect');
  }
  return key;
}
