import { S3Error } from './s3-error.js';
import { percentEncode } from './percent-encoding.js';
import { element, xmlDocument } from './xml.js';

/** @import { ObjectTable } from './object-table.js' */

/** S3's maximum number of keys per page, and of uploads. */
export const MAX_KEYS = 1000;

/** @typedef {Readonly<Record<string, string>>} Query */

/**
 * ListObjectsV2, without common prefixes.
 *
 * @param {string} bucket
 * @param {ObjectTable} table
 * @param {Query} query supports `prefix`, `start-after`, `continuation-token`, `max-keys` and `encoding-type`
 * @throws {S3Error} InvalidArgument or NotImplemented
 */
export function listObjects(bucket, table, query) {
  const { prefix = '', 'start-after': start = '', 'continuation-token': token } = query;
  const { delimiter = '', ...others } = query;
  const { maximum, encode } = paging(others, 'max-keys');
  const after = token === undefined ? start : keyOfToken(token);
  const { entries, isTruncated } = table.page({ prefix, after, maximum });
  if (delimiter !== '' && entries.some(({ key }) => key.includes(delimiter, prefix.length))) {
    throw new S3Error('NotImplemented', 'This endpoint lists without common prefixes.');
  }
  const parts = [
    element('Name', bucket),
    element('Prefix', encode(prefix)),
    element('KeyCount', entries.length),
    element('MaxKeys', maximum),
    element('IsTruncated', isTruncated),
    element('EncodingType', query['encoding-type']),
    element('NextContinuationToken', isTruncated ? tokenOf(entries[entries.length - 1].key) : undefined),
    ...entries.map(({ key, object: { body, etag, lastModified } }) => {
      const modified = element('LastModified', new Date(lastModified).toISOString());
      return `<Contents>${element('Key', encode(key))}${modified}${element('ETag', etag)}${element('Size', body.length)}</Contents>`;
    }),
  ];
  return xmlDocument('ListBucketResult', parts.join(''));
}

/**
 * @param {Query} query of a list
 * @param {'max-keys' | 'max-uploads'} limit name of the parameter
 * @returns {{ maximum: number, encode: (text: string) => string }} `maximum`: entries per page; `encode`: for keys
 * @throws {S3Error} InvalidArgument or NotImplemented
 */
export function paging({ delimiter, 'encoding-type': encoding, ...query }, limit) {
  const { [limit]: maximum = String(MAX_KEYS) } = query;
  if (delimiter) {
    throw new S3Error('NotImplemented', 'This endpoint lists without a delimiter.');
  }
  if (!/^[1-9][0-9]{0,8}$/.test(maximum)) {
    throw new S3Error('InvalidArgument', `${limit} must be an integer from 1`);
  }
  if (encoding !== undefined && encoding !== 'url') {
    throw new S3Error('InvalidArgument', 'Invalid Encoding Method specified in Request');
  }
  return { maximum: Math.min(Number(maximum), MAX_KEYS), encode: encoding === 'url' ? percentEncode : String };
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
