import { decode, percentEncode } from './router.js';
import { S3Error, elements, itemsIn, malformed, xmlResult } from './xml.js';

/**
 * @import { IncomingHttpHeaders } from 'node:http'
 * @import { XmlElement } from '../text/xml.js'
 * @import { NamedPart, ObjectTable, StoredObject, UploadTable } from './object-table.js'
 * @import { Operation, Target } from './router.js'
 */

/**
 * @typedef {object} Request an accepted request with its complete body
 * @property {Target} target
 * @property {ObjectTable} table of the bucket
 * @property {UploadTable} uploads of the bucket
 * @property {(bucket: string) => ObjectTable} tableOf any bucket; throws an S3Error if it does not exist
 * @property {IncomingHttpHeaders} headers
 * @property {Buffer} body
 * @property {number} now epoch ms
 *
 * @typedef {(string | number)[]} HeaderList alternating names and values
 *
 * @typedef {{ status: number, headers: HeaderList, body?: Buffer }} Result the response
 */

/**
 * @type {Record<Exclude<Operation, 'OTHER'>, (request: Request) => Result>}
 * @throws {S3Error}
 */
export const OPERATION_TABLE = Object.freeze({
  PUT: (request) => {
    const { table, target, body, now, headers } = request;
    checkConditions(request);
    return headers['x-amz-copy-source'] === undefined
      ? { status: 200, headers: ['ETag', table.put(target.key, body, now).etag, 'Content-Length', 0] }
      : copyObject(request);
  },
  GET: ({ table, target, headers }) => {
    const object = existing(table, target.key);
    const range = requestedRange(headers.range, object.body.length);
    if (range === null) {
      return { status: 200, headers: headersOf(object), body: object.body };
    }
    const { first, last } = range;
    const contentRange = ['Content-Range', `bytes ${first}-${last}/${object.body.length}`];
    return {
      status: 206,
      headers: [...contentRange, ...headersOf(object, last - first + 1)],
      body: object.body.subarray(first, last + 1),
    };
  },
  HEAD: ({ table, target }) => ({ status: 200, headers: headersOf(existing(table, target.key)) }),
  DELETE: ({ table, target }) => {
    table.delete(target.key);
    return { status: 204, headers: [] };
  },
  POST: deleteObjects,
  LIST: listObjects,
  BUCKET: () => ({ status: 200, headers: ['Content-Length', 0] }),
  CREATE: ({ uploads, target: { bucket, key }, now }) => {
    const UploadId = uploads.create(key, now);
    return xmlResult('InitiateMultipartUploadResult', elements({ Bucket: bucket, Key: key, UploadId }));
  },
  PART: ({ uploads, target: { key, query }, body, headers }) => {
    if (headers['x-amz-copy-source'] !== undefined) {
      throw new S3Error('NotImplemented', 'This endpoint copies no parts.');
    }
    const etag = uploads.putPart(key, query.uploadId, Number(query.partNumber), body);
    return { status: 200, headers: ['ETag', etag, 'Content-Length', 0] };
  },
  COMPLETE: ({ uploads, table, target: { bucket, key, query }, body, now }) => {
    const named = itemsIn(body, 'CompleteMultipartUpload', 'Part').items.map(namedPart);
    const object = uploads.complete(key, query.uploadId, named);
    table.put(key, object.body, now, object.etag);
    return xmlResult('CompleteMultipartUploadResult', elements({ Bucket: bucket, Key: key, ETag: object.etag }));
  },
  ABORT: ({ uploads, target: { key, query } }) => {
    uploads.abort(key, query.uploadId);
    return { status: 204, headers: [] };
  },
  UPLOADS: listUploads,
});

/**
 * @param {Pick<Request, 'table' | 'target' | 'headers'>} request that writes an object
 * @throws {S3Error} if one of its conditions does not hold
 */
export function checkConditions({ table, target, headers }) {
  const { 'if-match': expected, 'if-none-match': excluded } = headers;
  const etag = (expected === undefined ? table.get(target.key) : existing(table, target.key))?.etag;
  if ((expected ?? etag) !== etag || (excluded === '*' && etag !== undefined)) {
    throw new S3Error('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold');
  }
}

/** @param {Request['headers']} headers @returns {Request['headers']} without conditions */
export function unconditional({ 'if-match': _match, 'if-none-match': _noneMatch, ...headers }) {
  return headers;
}

const COPY_SOURCE = /^\/?([^/]+)\/(.+)$/s;

/**
 * @param {Request} request
 * @returns {Result}
 * @throws {S3Error} InvalidArgument, InvalidURI, NoSuchBucket or NoSuchKey
 */
function copyObject({ table, target, now, headers, tableOf }) {
  const [, bucket, key] = COPY_SOURCE.exec(decode(String(headers['x-amz-copy-source']))) ?? [];
  if (bucket === undefined) {
    throw new S3Error('InvalidArgument', 'The copy source must be a bucket and a key, percent-encoded.');
  }
  const { etag, lastModified } = table.put(target.key, existing(tableOf(bucket), key).body, now);
  return xmlResult('CopyObjectResult', elements({ LastModified: new Date(lastModified).toISOString(), ETag: etag }));
}

/**
 * @param {StoredObject} object
 * @param {number} [length] of the response body, in bytes
 */
function headersOf({ body, etag, lastModified }, length = body.length) {
  const modified = new Date(lastModified).toUTCString();
  return ['ETag', etag, 'Content-Length', length, 'Last-Modified', modified];
}

/**
 * @param {ObjectTable} table
 * @param {string} key
 */
function existing(table, key) {
  const object = table.get(key);
  if (object === undefined) {
    throw new S3Error('NoSuchKey', 'The specified key does not exist.');
  }
  return object;
}

/** @typedef {{ first: number, last: number }} ByteRange offsets of the first and the last byte */

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * Parses a Range header with a single range (RFC 9110, section 14.1.2). Like S3, it ignores any other header, such as
 * one with several ranges.
 *
 * @param {string | undefined} header
 * @param {number} size bytes of the object
 * @returns {ByteRange | null} null for the whole object
 * @throws {S3Error} InvalidRange if the range is outside the object
 */
function requestedRange(header, size) {
  const [, start = '', end = ''] = RANGE.exec(header ?? '') ?? [];
  if ((start === '' && end === '') || (start !== '' && end !== '' && Number(end) < Number(start))) {
    return null;
  }
  const first = start === '' ? Math.max(size - Number(end), 0) : Number(start);
  const last = start === '' || end === '' ? size - 1 : Math.min(Number(end), size - 1);
  if (first > last) {
    throw new S3Error('InvalidRange', 'The requested range is not satisfiable.');
  }
  return { first, last };
}

/**
 * @param {XmlElement} part
 * @returns {NamedPart}
 * @throws {S3Error} MalformedXML
 */
function namedPart(part) {
  const [number, etag] = [Number(part.textOf('PartNumber')), part.textOf('ETag')];
  if (!Number.isInteger(number) || etag === undefined) {
    throw malformed('Part');
  }
  return { number, etag: etag.replaceAll('"', '') };
}

/**
 * ListMultipartUploads. Supports `prefix`, `key-marker`, `upload-id-marker`, `max-uploads` and `encoding-type`.
 *
 * @param {Pick<Request, 'uploads' | 'target'>} request
 * @throws {S3Error} InvalidArgument
 */
function listUploads({ uploads, target: { bucket, query } }) {
  const { prefix = '', 'key-marker': afterKey = '', 'upload-id-marker': afterId = '' } = query;
  const { maximum, encode } = paging(query, 'max-uploads');
  const { entries, isTruncated } = uploads.page({ prefix, afterKey, afterId, maximum });
  const last = isTruncated ? entries[entries.length - 1] : undefined;
  const head = elements({
    Bucket: bucket,
    Prefix: encode(prefix),
    EncodingType: query['encoding-type'],
    NextKeyMarker: last && encode(last.key),
    NextUploadIdMarker: last?.id,
    MaxUploads: maximum,
    IsTruncated: isTruncated,
  });
  const found = entries.map(({ key, id, initiated }) =>
    elements({ Key: encode(key), UploadId: id, Initiated: new Date(initiated).toISOString() }),
  );
  return xmlResult('ListMultipartUploadsResult', `${head}${found.map((each) => `<Upload>${each}</Upload>`).join('')}`);
}

/** S3's maximum number of keys per page, and of uploads. */
const MAX_KEYS = 1000;

/**
 * DeleteObjects: a key that does not exist counts as deleted. In quiet mode, the response lists no keys.
 *
 * @param {Pick<Request, 'table' | 'body'>} request
 * @throws {S3Error} MalformedXML
 */
export function deleteObjects({ table, body }) {
  const { root } = itemsIn(body, 'Delete', 'Object');
  const keys = keysToDelete(body);
  if (keys.includes('') || keys.length > MAX_KEYS) {
    throw malformed('Object');
  }
  keys.forEach((key) => table.delete(key));
  const shown = root.textOf('Quiet') === 'true' ? [] : keys;
  return xmlResult('DeleteResult', shown.map((Key) => `<Deleted>${elements({ Key })}</Deleted>`).join(''));
}

/** @param {Buffer} body of a DeleteObjects request */
export function keysToDelete(body) {
  return itemsIn(body, 'Delete', 'Object').items.map((object) => object.textOf('Key') ?? '');
}

/**
 * ListObjectsV2, without common prefixes. Supports `prefix`, `start-after`, `continuation-token`, `max-keys` and
 * `encoding-type`.
 *
 * @param {Pick<Request, 'table' | 'target'>} request
 * @throws {S3Error} InvalidArgument or NotImplemented
 */
function listObjects({ table, target: { bucket, query } }) {
  const { prefix = '', 'start-after': start = '', 'continuation-token': token, delimiter = '' } = query;
  const { maximum, encode } = paging(query, 'max-keys');
  const after = token === undefined ? start : keyOfToken(token);
  const { entries, isTruncated } = table.page({ prefix, after, maximum });
  if (delimiter !== '' && entries.some(({ key }) => key.includes(delimiter, prefix.length))) {
    throw new S3Error('NotImplemented', 'This endpoint lists without common prefixes.');
  }
  const head = elements({
    Name: bucket,
    Prefix: encode(prefix),
    KeyCount: entries.length,
    MaxKeys: maximum,
    IsTruncated: isTruncated,
    EncodingType: query['encoding-type'],
    NextContinuationToken: isTruncated ? tokenOf(entries[entries.length - 1].key) : undefined,
  });
  const found = entries.map(({ key, object: { body, etag, lastModified } }) => {
    const LastModified = new Date(lastModified).toISOString();
    return `<Contents>${elements({ Key: encode(key), LastModified, ETag: etag, Size: body.length })}</Contents>`;
  });
  return xmlResult('ListBucketResult', `${head}${found.join('')}`);
}

/**
 * @param {Target['query']} query of a list
 * @param {'max-keys' | 'max-uploads'} limit name of the parameter
 * @returns {{ maximum: number, encode: (text: string) => string }} `maximum`: entries per page; `encode`: for keys
 * @throws {S3Error} InvalidArgument
 */
function paging(query, limit) {
  const { 'encoding-type': encoding, [limit]: maximum = String(MAX_KEYS) } = query;
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
