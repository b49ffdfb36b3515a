import { truncationOf } from './documents.js';
import { OBJECT_CALL, S3_CALLS } from './s3-calls.js';

/**
 * @import { XmlElement } from '../text/xml.js'
 * @import { S3Call } from './s3-calls.js'
 */

const BUCKET_CALL = Object.freeze({ ...OBJECT_CALL, method: 'GET', hasKey: false });

/** Unmeasured calls that administer a bucket. Unlike the calls of operations, they read every field of a list. */
export const BUCKET_CALLS = Object.freeze(
  /** @satisfies {Record<string, S3Call>} */ ({
    ListObjectsV2: {
      ...S3_CALLS.ListObjectsV2,
      queryNames: { ...S3_CALLS.ListObjectsV2.queryNames, ContinuationToken: 'continuation-token', Marker: 'marker' },
      keyedEntry: null,
      readOutput: readObjects,
    },
    // A deletion cannot be undone, so its document is always signed.
    DeleteObjects: { ...S3_CALLS.DeleteObjects, signsDocument: true },
    DeleteObject: S3_CALLS.DeleteObject,
    GetBucketVersioning: {
      ...BUCKET_CALL,
      name: 'GetBucketVersioning',
      query: { versioning: '' },
      readOutput: readVersioning,
    },
    GetObjectLockConfiguration: {
      ...BUCKET_CALL,
      name: 'GetObjectLockConfiguration',
      query: { 'object-lock': '' },
      readOutput: readRetention,
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
    PutObject: S3_CALLS.PutObject,
    GetObject: S3_CALLS.GetObject,
  }),
);

/** @param {XmlElement} root of the response to ListObjectsV2 */
function readObjects(root) {
  const Contents = root.all('Contents').map((entry) => ({
    Key: entry.textOf('Key'),
    Size: sizeIn(entry),
    LastModified: dateIn(entry, 'LastModified'),
    ETag: entry.textOf('ETag')?.trim(),
  }));
  return {
    Contents,
    IsTruncated: truncationOf(root, Contents.length > 0),
    NextContinuationToken: root.textOf('NextContinuationToken')?.trim(),
    EncodingType: root.textOf('EncodingType')?.trim(),
  };
}

/** @param {XmlElement} root of the response to GetBucketVersioning */
function readVersioning(root) {
  return { Status: root.textOf('Status')?.trim() };
}

/** @param {XmlElement} root of the response to GetObjectLockConfiguration */
function readRetention(root) {
  const [rule] = root.all('Rule').flatMap((each) => each.all('DefaultRetention'));
  return {
    Mode: rule?.textOf('Mode')?.trim(),
    Days: rule?.textOf('Days')?.trim(),
    Years: rule?.textOf('Years')?.trim(),
  };
}

/** @param {XmlElement} root of the response to ListObjectVersions */
function readVersions(root) {
  const [Versions, DeleteMarkers] = ['Version', 'DeleteMarker'].map((name) => root.all(name).map(versionIn));
  return {
    Versions,
    DeleteMarkers,
    IsTruncated: truncationOf(root, Versions.length + DeleteMarkers.length > 0),
    NextKeyMarker: root.textOf('NextKeyMarker'),
    NextVersionIdMarker: root.textOf('NextVersionIdMarker')?.trim(),
  };
}

/** @param {XmlElement} entry of a list of versions */
function versionIn(entry) {
  return {
    Key: entry.textOf('Key'),
    VersionId: entry.textOf('VersionId')?.trim(),
    IsLatest: entry.textOf('IsLatest')?.trim().toLowerCase() === 'true',
  };
}

/** @param {XmlElement} root of the response to ListMultipartUploads */
function readUploads(root) {
  const Uploads = root.all('Upload').map((entry) => ({
    Key: entry.textOf('Key'),
    UploadId: entry.textOf('UploadId')?.trim(),
    Initiated: dateIn(entry, 'Initiated'),
  }));
  return {
    Uploads,
    IsTruncated: truncationOf(root, Uploads.length > 0),
    NextKeyMarker: root.textOf('NextKeyMarker'),
    NextUploadIdMarker: root.textOf('NextUploadIdMarker')?.trim(),
  };
}

/** Bytes; undefined if absent, NaN if the text is not a number of bytes. @param {XmlElement} entry */
function sizeIn(entry) {
  const text = entry.textOf('Size')?.trim();
  if (text === undefined) {
    return undefined;
  }
  return /^\d+$/.test(text) ? Number(text) : NaN;
}

/**
 * @param {XmlElement} entry
 * @param {string} element
 * @returns {Date | undefined} undefined if the element is absent or not a date
 */
function dateIn(entry, element) {
  const time = Date.parse(entry.textOf(element)?.trim() ?? '');
  return Number.isNaN(time) ? undefined : new Date(time);
}
