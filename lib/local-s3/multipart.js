import { encoder, element, optional } from './list-objects.js';
import { S3Error } from './s3-error.js';
import { unescapeXml, xmlDocument } from './xml.js';

/** @import { ObjectTable } from './object-table.js' */
/** @import { NamedChecksum } from './checksums.js' */
/** @import { NamedPart, PendingUpload, UploadTable } from './upload-table.js' */

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

/** S3's maximum number of uploads per page. */
const MAX_UPLOADS = 1000;

const DOCUMENT = /^\s*(?:<\?xml[^>]*\?>\s*)?<CompleteMultipartUpload(?:\s[^>]*)?>(.*)<\/CompleteMultipartUpload>\s*$/s;
const PART = /<Part>(.*?)<\/Part>/gs;
const PART_NUMBER = /<PartNumber>\s*([0-9]{1,5})\s*<\/PartNumber>/;
const ETAG = /<ETag>([^<]+)<\/ETag>/;
const CHECKSUM = /<Checksum(CRC32C|CRC64NVME)>([^<]+)<\/Checksum\1>/;

/**
 * @param {string} bucket
 * @param {string} key
 * @param {string} id
 * @returns {string} the response to CreateMultipartUpload
 */
export function uploadCreated(bucket, key, id) {
  return xmlDocument(
    `<InitiateMultipartUploadResult xmlns="${NAMESPACE}">${element('Bucket', bucket)}${element('Key', key)}` +
      `${element('UploadId', id)}</InitiateMultipartUploadResult>`,
  );
}

/**
 * @param {string} bucket
 * @param {string} key
 * @param {string} etag in quotes
 * @returns {string} the response to CompleteMultipartUpload
 */
function uploadCompleted(bucket, key, etag) {
  return xmlDocument(
    `<CompleteMultipartUploadResult xmlns="${NAMESPACE}">${element('Bucket', bucket)}${element('Key', key)}` +
      `${element('ETag', etag)}</CompleteMultipartUploadResult>`,
  );
}

/**
 * @param {{ uploads: UploadTable, table: ObjectTable, bucket: string, key: string, id: string, body: Buffer,
 *   now: number, checksum: NamedChecksum | null }} upload `now`: epoch ms; `checksum`: of the whole object
 * @throws {S3Error}
 */
export function completeUpload({ uploads, table, bucket, key, id, body, now, checksum }) {
  const object = uploads.complete(key, id, namedParts(body.toString('utf8')), checksum);
  table.put(key, object.body, now, object.etag);
  return uploadCompleted(bucket, key, object.etag);
}

/**
 * ListMultipartUploads, without support for a delimiter.
 *
 * @param {string} bucket
 * @param {UploadTable} uploads
 * @param {Readonly<Record<string, string>>} query supports `prefix`, `key-marker`, `upload-id-marker`, `max-uploads`
 *   and `encoding-type`
 * @throws {S3Error} InvalidArgument or NotImplemented
 */
export function listUploads(bucket, uploads, query) {
  if (query.delimiter) {
    throw new S3Error('NotImplemented', 'This endpoint lists without a delimiter.');
  }
  const { prefix = '', 'key-marker': afterKey = '', 'upload-id-marker': afterId = '' } = query;
  const maximum = maximumUploads(query['max-uploads']);
  const { entries, isTruncated } = uploads.page({ prefix, afterKey, afterId, maximum });
  const encode = encoder(query['encoding-type']);
  const last = entries.at(-1);
  const parts = [
    element('Bucket', bucket),
    element('Prefix', encode(prefix)),
    element('KeyMarker', encode(afterKey)),
    element('UploadIdMarker', afterId),
    ...optional('EncodingType', query['encoding-type']),
    ...(isTruncated && last !== undefined
      ? [element('NextKeyMarker', encode(last.key)), element('NextUploadIdMarker', last.id)]
      : []),
    element('MaxUploads', maximum),
    element('IsTruncated', isTruncated),
    ...entries.map((upload) => uploadElement(encode(upload.key), upload)),
  ];
  return xmlDocument(`<ListMultipartUploadsResult xmlns="${NAMESPACE}">${parts.join('')}</ListMultipartUploadsResult>`);
}

/**
 * @param {string} key encoded
 * @param {PendingUpload} upload
 */
function uploadElement(key, { id, initiated }) {
  const date = new Date(initiated).toISOString();
  return `<Upload>${element('Key', key)}${element('UploadId', id)}${element('Initiated', date)}</Upload>`;
}

/**
 * @param {string} text XML of a CompleteMultipartUpload request
 * @returns {NamedPart[]}
 * @throws {S3Error} MalformedXML
 */
function namedParts(text) {
  const content = DOCUMENT.exec(text)?.[1] ?? '';
  const parts = [...content.matchAll(PART)].map(([, part]) => {
    const [number, etag] = [PART_NUMBER.exec(part)?.[1], ETAG.exec(part)?.[1]];
    if (number === undefined || etag === undefined) {
      throw malformed();
    }
    const [, , checksum = null] = CHECKSUM.exec(part) ?? [];
    return { number: Number(number), etag: unescapeXml(etag).replaceAll('"', ''), checksum };
  });
  if (parts.length === 0) {
    throw malformed();
  }
  return parts;
}

function malformed() {
  return new S3Error('MalformedXML', 'The XML you provided was not well-formed or does not name a part.');
}

/** @param {string | undefined} text */
function maximumUploads(text) {
  if (!text) {
    return MAX_UPLOADS;
  }
  if (!/^[1-9][0-9]{0,8}$/.test(text)) {
    throw new S3Error('InvalidArgument', 'max-uploads must be an integer between 1 and 2147483647');
  }
  return Math.min(Number(text), MAX_UPLOADS);
}
