import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * A request in a log of a test.
 *
 * @typedef {object} Traffic
 * @property {number} at epoch ms
 * @property {string} does action of an R2 Data Access Log
 * @property {string} [key]
 * @property {readonly string[]} [keys] of a batch
 * @property {number} [size]
 * @property {number} [bytes] sent
 * @property {number} [status]
 * @property {number} [maxKeys]
 */

/** @param {Traffic} traffic @returns {string} with nested names */
export function r2Line({ at, does, key, keys, size = 0, bytes = 0, status = 200, maxKeys }) {
  return JSON.stringify({
    $metadata: { timestamp: at, service: 'media' },
    action: does,
    bucket: 'media',
    interface: 'S3',
    request: { bytes: 0, method: 'GET' },
    response: { bytes, status },
    ...(key === undefined ? {} : { resource: { key, size, type: 'object' } }),
    ...(keys === undefined ? {} : { objects: keys }),
    ...(maxKeys === undefined ? {} : { prefix: 'a/', maxKeys }),
  });
}

/** @param {Traffic} traffic @returns {string} with dotted names */
export function dottedR2Line(traffic) {
  const { $metadata, request, response, resource = {}, ...event } = JSON.parse(r2Line(traffic));
  const groups = Object.entries({ $metadata, request, response, resource });
  const fields = groups.flatMap(([group, values]) =>
    Object.entries(values).map(([name, value]) => [`${group}.${name}`, value]),
  );
  return JSON.stringify({ ...event, ...Object.fromEntries(fields) });
}

/** @type {Readonly<Record<string, string>>} */
const S3_OPERATIONS = {
  GetObject: 'REST.GET.OBJECT',
  HeadObject: 'REST.HEAD.OBJECT',
  PutObject: 'REST.PUT.OBJECT',
  CopyObject: 'REST.COPY.OBJECT',
  DeleteObject: 'REST.DELETE.OBJECT',
  DeleteObjects: 'BATCH.DELETE.OBJECT',
  ListObjectsV2: 'REST.GET.BUCKET',
  UploadPart: 'REST.PUT.PART',
};

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** @param {Traffic & { request?: string }} traffic */
export function s3Line({
  at,
  does,
  key = '-',
  size,
  bytes,
  status = 200,
  maxKeys = 1000,
  request = '3E57427F3EXAMPLE',
}) {
  const time = new Date(at);
  const clock = time.toISOString().slice(11, 19);
  const day = String(time.getUTCDate()).padStart(2, '0');
  const when = `${day}/${MONTHS[time.getUTCMonth()]}/${time.getUTCFullYear()}:${clock} +0000`;
  const uri = does.startsWith('List')
    ? `/media?list-type=2&prefix=a%2F&max-keys=${maxKeys}`
    : `/media/${encodeURIComponent(key)}`;
  const name = encodeURIComponent(encodeURIComponent(key));
  return `79a59df900b949e5 media [${when}] 192.0.2.3 arn:aws:iam::123:user/x ${request} ${S3_OPERATIONS[does] ?? does} ${name} "GET ${uri} HTTP/1.1" ${status} - ${bytes ?? '-'} ${size ?? '-'} 7 6 "-" "agent \\"x\\" 1" - hostid= SigV4 ECDHE AuthHeader media.s3.amazonaws.com TLSv1.2 - -`;
}

/** @param {Traffic} traffic for a CSV with the columns of {@link CSV_HEADER} */
export function csvLine({ at, does, key = '', size, bytes }) {
  return `${new Date(at).toISOString()},${does},"${key.replaceAll('"', '""')}",${size ?? ''},${bytes ?? ''}`;
}

export const CSV_HEADER = 'time,operation,key,size,bytes';

/**
 * @param {Readonly<Record<string, string | Uint8Array>>} files content by name
 * @returns {string[]} paths, in a separate folder
 */
export function writeFiles(files) {
  const folder = mkdtempSync(path.join(tmpdir(), 'traffic-'));
  return Object.entries(files).map(([name, content]) => {
    const file = path.join(folder, name);
    writeFileSync(file, content);
    return file;
  });
}
