import { ftruncateSync, openSync, writeSync } from 'node:fs';
import { percentEncode } from './router.js';

/**
 * @import { Operation } from './router.js'
 *
 * @typedef {Exclude<Operation, 'OTHER'> | 'COPY'} LoggedOperation a copy is a PUT
 */

/** Names of the operations in an R2 Data Access Log and in an S3 server access log. */
const ACTIONS = /** @type {Readonly<Record<LoggedOperation, readonly [r2: string, s3: string]>>} */ ({
  PUT: ['PutObject', 'REST.PUT.OBJECT'],
  COPY: ['CopyObject', 'REST.COPY.OBJECT'],
  GET: ['GetObject', 'REST.GET.OBJECT'],
  HEAD: ['HeadObject', 'REST.HEAD.OBJECT'],
  DELETE: ['DeleteObject', 'REST.DELETE.OBJECT'],
  POST: ['DeleteObjects', 'BATCH.DELETE.OBJECT'],
  LIST: ['ListObjectsV2', 'REST.GET.BUCKET'],
  BUCKET: ['HeadBucket', 'REST.HEAD.BUCKET'],
  CREATE: ['CreateMultipartUpload', 'REST.POST.UPLOADS'],
  PART: ['UploadPart', 'REST.PUT.PART'],
  COMPLETE: ['CompleteMultipartUpload', 'REST.POST.UPLOAD'],
  ABORT: ['AbortMultipartUpload', 'REST.DELETE.UPLOAD'],
  UPLOADS: ['ListMultipartUploads', 'REST.GET.UPLOADS'],
});

const FIRST_FAILURE = 400;

/**
 * A request that has been answered.
 *
 * @typedef {object} Answered
 * @property {LoggedOperation} operation
 * @property {number} time epoch ms
 * @property {string} bucket
 * @property {string} method
 * @property {string} url
 * @property {readonly string[]} keys of its objects
 * @property {Record<string, string>} query
 * @property {number} status
 * @property {number} received bytes
 * @property {number} sent bytes
 * @property {number} size bytes of the object; 0 if there is none
 */

/**
 * Opens a log of requests, as R2 (`.ndjson`, `.json`) or S3 write it.
 *
 * @param {string} file is replaced by the first request, as a run may be refused before it
 * @returns {(answered: Answered) => void} adds a request
 */
export function openAccessLog(file) {
  const descriptor = openSync(file, 'a');
  const linesOf = /\.(ndjson|json)$/i.test(file) ? r2Lines : s3Lines;
  let requests = 0;
  // Not buffered: the process may be killed at any time.
  return (answered) => {
    if (requests === 0) {
      ftruncateSync(descriptor);
    }
    writeSync(descriptor, linesOf(answered, ++requests));
  };
}

/** @param {Answered} answered @returns {string} '' for a failure, which R2 does not log */
function r2Lines({ operation, time, bucket, method, url, keys, query, status, received, sent, size }) {
  if (status >= FIRST_FAILURE) {
    return '';
  }
  const event = {
    $metadata: { timestamp: time, service: bucket },
    action: ACTIONS[operation][0],
    bucket,
    interface: 'S3',
    request: { method, uri: url, bytes: received },
    response: { status, bytes: sent },
    ...(operation === 'POST' ? { objects: keys } : {}),
    ...(operation === 'LIST'
      ? { prefix: query.prefix ?? '', maxKeys: Number(query['max-keys'] ?? 0) }
      : { resource: { key: keys[0], size, type: 'object' } }),
  };
  return `${JSON.stringify(event)}\n`;
}

/** @param {Answered} answered @param {number} number of the request */
function s3Lines({ operation, time, bucket, method, url, keys, status, sent, size }, number) {
  const [, day, month, year, clock] = new Date(time).toUTCString().split(' ');
  const when = `[${day}/${month}/${year}:${clock} +0000]`;
  const start = `local ${bucket} ${when} 127.0.0.1 local ${number} ${ACTIONS[operation][1]}`;
  const end = `"${method} ${url} HTTP/1.1" ${status} - ${sent || '-'} ${size || '-'} - - "-" "-" - - SigV4 - AuthHeader - - - -`;
  return keys.map((key) => `${start} ${percentEncode(key) || '-'} ${end}\n`).join('');
}
