import { toUSVString } from 'node:util';
import { contentsOf, isWholeDocument, textOf } from '../text/xml.js';
import { OBJECT_CALL, S3_CALLS } from './s3-calls.js';

/** @import { S3Call } from './s3-calls.js' */

const BUCKET_CALL = Object.freeze({ ...OBJECT_CALL, method: 'GET', hasKey: false });

/** Unmeasured calls that administer a bucket. Unlike the calls of operations, they read every field of a list. */
export const BUCKET_CALLS = Object.freeze(
  /** @satisfies {Record<string, S3Call>} */ ({
    ListObjectsV2: { ...S3_CALLS.ListObjectsV2, readOutput: readObjects },
    // A deletion cannot be undone, so its document is always signed.
    DeleteObjects: { ...S3_CALLS.DeleteObjects, signsDocument: true },
    DeleteObject: S3_CALLS.DeleteObject,
    GetBucketVersioning: {
      ...BUCKET_CALL,
      name: 'GetBucketVersioning',
      query: { versioning: '' },
      readOutput: readVersioning,
    },
    HeadObject: { ...S3_CALLS.HeadObject, returnsVersion: true },
    ListObjectVersions: {
      ...BUCKET_CALL,
      name: 'ListObjectVersions',
      query: { versions: '' },
      queryNames: { Prefix: 'prefix', KeyMarker: 'key-marker', VersionIdMarker: 'version-id-marker' },
      readOutput: readVersions,
    },
    ListMultipartUploads: {
      ...BUCKET_CALL,
      name: 'ListMultipartUploads',
      query: { uploads: '' },
      queryNames: { Prefix: 'prefix', KeyMarker: 'key-marker', UploadIdMarker: 'upload-id-marker' },
      readOutput: readUploads,
    },
    AbortMultipartUpload: S3_CALLS.AbortMultipartUpload,
    PutObject: { ...S3_CALLS.PutObject, headerNames: { IfNoneMatch: 'if-none-match' } },
    GetObject: S3_CALLS.GetObject,
  }),
);

/** @param {string} document the response to ListObjectsV2 */
function readObjects(document) {
  return {
    Contents: Array.from(contentsOf(document, 'Contents'), (entry) => ({
      Key: nameIn(entry, 'Key'),
      Size: sizeIn(entry),
      LastModified: dateIn(entry, 'LastModified'),
      ETag: textOf(entry, 'ETag'),
    })),
    IsTruncated: truncationOf(document, 'ListBucketResult'),
    EncodingType: textOf(document, 'EncodingType')?.trim(),
  };
}

/** @param {string} document the response to GetBucketVersioning */
function readVersioning(document) {
  return { Status: textOf(document, 'Status')?.trim() };
}

/** @param {string} document the response to ListObjectVersions */
function readVersions(document) {
  return {
    Versions: Array.from(contentsOf(document, 'Version'), versionIn),
    DeleteMarkers: Array.from(contentsOf(document, 'DeleteMarker'), versionIn),
    IsTruncated: truncationOf(document, 'ListVersionsResult'),
    NextKeyMarker: nameIn(document, 'NextKeyMarker'),
    NextVersionIdMarker: textOf(document, 'NextVersionIdMarker'),
  };
}

/** @param {string} entry of a list of versions */
function versionIn(entry) {
  return {
    Key: nameIn(entry, 'Key'),
    VersionId: textOf(entry, 'VersionId'),
    IsLatest: textOf(entry, 'IsLatest')?.trim() === 'true',
  };
}

/** @param {string} document the response to ListMultipartUploads */
function readUploads(document) {
  return {
    Uploads: Array.from(contentsOf(document, 'Upload'), (entry) => ({
      Key: nameIn(entry, 'Key'),
      UploadId: textOf(entry, 'UploadId'),
      Initiated: dateIn(entry, 'Initiated'),
    })),
    IsTruncated: truncationOf(document, 'ListMultipartUploadsResult'),
    NextKeyMarker: nameIn(document, 'NextKeyMarker'),
    NextUploadIdMarker: textOf(document, 'NextUploadIdMarker'),
  };
}

/**
 * @param {string} document
 * @param {string} root its expected root element
 * @returns {boolean | undefined} whether there are more pages; undefined if it is not a complete list of this kind
 */
function truncationOf(document, root) {
  const text = textOf(document, 'IsTruncated')?.trim();
  const isList = document.includes(`<${root}`) && isWholeDocument(document);
  return isList && (text === 'true' || text === 'false') ? text === 'true' : undefined;
}

/**
 * @param {string} xml
 * @param {string} element
 * @returns {string | undefined} the element's text without unpaired surrogates, which a request's URL cannot contain
 */
function nameIn(xml, element) {
  const text = textOf(xml, element);
  return text === undefined ? undefined : toUSVString(text);
}

/** Bytes; undefined if absent, NaN if the text is not a number of bytes. @param {string} entry */
function sizeIn(entry) {
  const text = textOf(entry, 'Size')?.trim();
  if (text === undefined) {
    return undefined;
  }
  return /^\d+$/.test(text) ? Number(text) : NaN;
}

/**
 * @param {string} entry
 * @param {string} element
 * @returns {Date | undefined} undefined if the element is absent or not a date
 */
function dateIn(entry, element) {
  const time = Date.parse(textOf(entry, element)?.trim() ?? '');
  return Number.isNaN(time) ? undefined : new Date(time);
}
