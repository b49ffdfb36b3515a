import { requestedRange } from './byte-range.js';
import { checksumIn, needsChecksums } from './checksums.js';
import { deleteObjects } from './delete-objects.js';
import { listObjects } from './list-objects.js';
import { completeUpload, listUploads, uploadCreated } from './multipart.js';
import { decode } from './router.js';
import { S3Error } from './s3-error.js';
import { element, xmlDocument } from './xml.js';

/**
 * @import { IncomingHttpHeaders } from 'node:http'
 * @import { ByteRange } from './byte-range.js'
 * @import { ObjectTable, StoredObject } from './object-table.js'
 * @import { Operation, Target } from './router.js'
 * @import { UploadTable } from './upload-table.js'
 *
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
      : xmlResult(200, copyObject(request));
  },
  GET: ({ table, target, headers }) => {
    const object = existing(table, target.key);
    const range = requestedRange(headers.range, object.body.length);
    return range === null ? { status: 200, headers: headersOf(object), body: object.body } : partOf(object, range);
  },
  HEAD: ({ table, target }) => ({ status: 200, headers: headersOf(existing(table, target.key)) }),
  DELETE: ({ table, target }) => {
    table.delete(target.key);
    return { status: 204, headers: [] };
  },
  POST: ({ table, body }) => xmlResult(200, deleteObjects(table, body)),
  LIST: ({ table, target }) => xmlResult(200, listObjects(target.bucket, table, target.query)),
  BUCKET: () => ({ status: 200, headers: ['Content-Length', 0] }),
  CREATE: ({ uploads, target: { bucket, key }, headers, now }) =>
    xmlResult(200, uploadCreated(bucket, key, uploads.create(key, now, needsChecksums(headers)))),
  PART: ({ uploads, target: { key, query }, body, headers }) => {
    if (headers['x-amz-copy-source'] !== undefined) {
      throw new S3Error('NotImplemented', 'This endpoint copies no parts.');
    }
    const etag = uploads.putPart(key, query.uploadId, Number(query.partNumber), body, checksumIn(headers));
    return { status: 200, headers: ['ETag', etag, 'Content-Length', 0] };
  },
  COMPLETE: ({ uploads, table, target: { bucket, key, query }, headers, body, now }) =>
    xmlResult(
      200,
      completeUpload({ uploads, table, bucket, key, id: query.uploadId, body, now, checksum: checksumIn(headers) }),
    ),
  ABORT: ({ uploads, target: { key, query } }) => {
    uploads.abort(key, query.uploadId);
    return { status: 204, headers: [] };
  },
  UPLOADS: ({ uploads, target: { bucket, query } }) => xmlResult(200, listUploads(bucket, uploads, query)),
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
 * @returns {string} the XML response
 * @throws {S3Error} InvalidArgument, InvalidURI, NoSuchBucket or NoSuchKey
 */
function copyObject({ table, target, now, headers, tableOf }) {
  const [, bucket, key] = COPY_SOURCE.exec(decode(String(headers['x-amz-copy-source']))) ?? [];
  if (bucket === undefined) {
    throw new S3Error('InvalidArgument', 'The copy source must be a bucket and a key, percent-encoded.');
  }
  const { etag, lastModified } = table.put(target.key, existing(tableOf(bucket), key).body, now);
  const date = element('LastModified', new Date(lastModified).toISOString());
  return xmlDocument('CopyObjectResult', `${date}${element('ETag', etag)}`);
}

/**
 * @param {number} status
 * @param {string} document
 * @returns {Result & { body: Buffer }}
 */
export function xmlResult(status, document) {
  const body = Buffer.from(document, 'utf8');
  return { status, headers: ['Content-Type', 'application/xml', 'Content-Length', body.length], body };
}

/**
 * @param {StoredObject} object
 * @param {ByteRange} range
 * @returns {Result}
 */
function partOf(object, { first, last }) {
  const headers = headersOf(object, last - first + 1);
  return {
    status: 206,
    headers: ['Content-Range', `bytes ${first}-${last}/${object.body.length}`, ...headers],
    body: object.body.subarray(first, last + 1),
  };
}

/**
 * @param {StoredObject} object
 * @param {number} [length] of the response body, in bytes
 */
function headersOf({ body, etag, lastModified }, length = body.length) {
  return [
    'ETag',
    etag,
    'Content-Length',
    length,
    'Content-Type',
    'application/octet-stream',
    'Last-Modified',
    new Date(lastModified).toUTCString(),
  ];
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
