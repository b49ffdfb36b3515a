import { contentsOf, decodeEntities, textOf } from '../text/xml.js';

// Writes and reads the XML that operations send and receive. Object members have the SDK's names.

const TRUNCATED = /<IsTruncated>\s*(true|false)\s*<\/IsTruncated>/;
const ENCODING = /<EncodingType>\s*([^<\s]*)\s*<\/EncodingType>/;
const LISTED_KEY = /<Key>([^<]*)<\/Key>/g;

const UPLOAD_ID = /<UploadId>([^<]+)<\/UploadId>/;
const ETAG = /<ETag>([^<]+)<\/ETag>/;

/** An unescaped carriage return would be read as a line feed. @type {Readonly<Record<string, string>>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#xD;' };

/** The body of a DeleteObjects request. @param {Readonly<Record<string, any>>} input */
export function writeDeletion({ Delete: { Objects, Quiet = false } }) {
  const objects = Objects.map(
    (/** @type {{ Key: string, VersionId?: string }} */ { Key, VersionId }) =>
      `<Object><Key>${escaped(Key)}</Key>${VersionId === undefined ? '' : `<VersionId>${escaped(VersionId)}</VersionId>`}</Object>`,
  );
  const quiet = Quiet ? '<Quiet>true</Quiet>' : '';
  return `<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${objects.join('')}${quiet}</Delete>`;
}

/** @typedef {{ Key: string, Code: string, Message?: string }} RefusedDeletion `Key` and `Code` are '' if absent */

/**
 * @param {string} document the response to DeleteObjects
 * @returns {{ Deleted: { Key: string }[], Errors: RefusedDeletion[] }} empty lists if the document is something else
 */
export function readDeletion(document) {
  if (!document.includes('<DeleteResult')) {
    return { Deleted: [], Errors: [] };
  }
  return {
    Deleted: Array.from(contentsOf(document, 'Deleted'), (entry) => ({ Key: textOf(entry, 'Key') ?? '' })),
    Errors: Array.from(contentsOf(document, 'Error'), refusedDeletion),
  };
}

/**
 * @param {string} entry
 * @returns {RefusedDeletion}
 */
function refusedDeletion(entry) {
  const message = textOf(entry, 'Message');
  return {
    Key: textOf(entry, 'Key') ?? '',
    Code: textOf(entry, 'Code') ?? '',
    ...(message === undefined ? {} : { Message: message }),
  };
}

/** @param {string} text */
function escaped(text) {
  return text.replace(/[&<>\r]/g, (character) => ENTITIES[character]);
}

/**
 * @param {string} document the response to CreateMultipartUpload
 * @returns {{ UploadId?: string }} empty if the document is something else
 */
export function readUpload(document) {
  const id = document.includes('<InitiateMultipartUploadResult') ? UPLOAD_ID.exec(document)?.[1] : undefined;
  return id === undefined ? {} : { UploadId: decodeEntities(id) };
}

/** The body of a CompleteMultipartUpload request. @param {Readonly<Record<string, any>>} input */
export function writeCompletion({ MultipartUpload: { Parts } }) {
  const parts = Parts.map((/** @type {Record<string, string | number>} */ part) => {
    const members = Object.entries(part).map(([name, value]) => `<${name}>${escaped(String(value))}</${name}>`);
    return `<Part>${members.join('')}</Part>`;
  });
  return `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`;
}

/**
 * @param {string} document the response to CompleteMultipartUpload
 * @returns {{ ETag?: string }} empty if the document is something else
 */
export function readCompletion(document) {
  const etag = document.includes('<CompleteMultipartUploadResult') ? ETAG.exec(document)?.[1] : undefined;
  return etag === undefined ? {} : { ETag: decodeEntities(etag) };
}

const COPY = /<CopyObjectResult[\s>].*?<ETag>([^<]*)<\/ETag>/s;

/**
 * @param {string} document the response to CopyObject
 * @returns {{ CopyObjectResult?: { ETag: string } }} empty if the document is something else
 */
export function readCopy(document) {
  const etag = COPY.exec(document)?.[1];
  return etag === undefined ? {} : { CopyObjectResult: { ETag: decodeEntities(etag) } };
}

/**
 * @param {string} document the response to ListObjectsV2
 * @returns {{ Contents: { Key: string }[], IsTruncated: boolean | undefined, EncodingType?: string }} `IsTruncated`:
 *   undefined if the document is not a list; `EncodingType`: absent if the keys are not encoded
 */
export function readList(document) {
  const truncated = document.includes('<ListBucketResult') ? TRUNCATED.exec(document)?.[1] : undefined;
  const encoding = ENCODING.exec(document)?.[1];
  return {
    Contents: Array.from(document.matchAll(LISTED_KEY), ([, key]) => ({ Key: decodeEntities(key) })),
    IsTruncated: truncated === undefined ? undefined : truncated === 'true',
    ...(encoding === undefined ? {} : { EncodingType: encoding }),
  };
}
