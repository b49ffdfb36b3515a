import { paging } from './list-objects.js';
import { element, itemsIn, malformed, xmlDocument } from './xml.js';

/** @import { ObjectTable } from './object-table.js' */
/** @import { XmlElement } from '../text/xml.js' */
/** @import { NamedPart, UploadTable } from './upload-table.js' */

/**
 * @param {string} bucket
 * @param {string} key
 * @param {string} id
 * @returns {string} the response to CreateMultipartUpload
 */
export function uploadCreated(bucket, key, id) {
  const parts = [element('Bucket', bucket), element('Key', key), element('UploadId', id)];
  return xmlDocument('InitiateMultipartUploadResult', parts.join(''));
}

/**
 * @param {{ uploads: UploadTable, table: ObjectTable, bucket: string, key: string, id: string, body: Buffer,
 *   now: number, checksum: string | null }} upload `now`: epoch ms; `checksum`: of the whole object
 * @returns {string} the response to CompleteMultipartUpload
 * @throws {S3Error}
 */
export function completeUpload({ uploads, table, bucket, key, id, body, now, checksum }) {
  const named = itemsIn(body, 'CompleteMultipartUpload', 'Part').items.map(namedPart);
  const object = uploads.complete(key, id, named, checksum);
  table.put(key, object.body, now, object.etag);
  const parts = [element('Bucket', bucket), element('Key', key), element('ETag', object.etag)];
  return xmlDocument('CompleteMultipartUploadResult', parts.join(''));
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
  const checksum = part.textOf('ChecksumCRC64NVME') ?? null;
  return { number, etag: etag.replaceAll('"', ''), checksum };
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
  const { prefix = '', 'key-marker': afterKey = '', 'upload-id-marker': afterId = '' } = query;
  const { maximum, encode } = paging(query, 'max-uploads');
  const { entries, isTruncated } = uploads.page({ prefix, afterKey, afterId, maximum });
  const last = isTruncated ? entries[entries.length - 1] : undefined;
  const parts = [
    element('Bucket', bucket),
    element('Prefix', encode(prefix)),
    element('EncodingType', query['encoding-type']),
    element('NextKeyMarker', last && encode(last.key)),
    element('NextUploadIdMarker', last?.id),
    element('MaxUploads', maximum),
    element('IsTruncated', isTruncated),
    ...entries.map(({ key, id, initiated }) => {
      const date = element('Initiated', new Date(initiated).toISOString());
      return `<Upload>${element('Key', encode(key))}${element('UploadId', id)}${date}</Upload>`;
    }),
  ];
  return xmlDocument('ListMultipartUploadsResult', parts.join(''));
}
