/** @import { XmlElement } from '../text/xml.js' */

// Writes and reads the XML that operations send and receive. Object members have the SDK's names. Stores differ in the
// names of root elements, so a response is recognised by what it contains.

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
 * @param {XmlElement} root of the response to DeleteObjects
 * @param {readonly string[]} keys of its deleted objects
 * @returns {{ Deleted: { Key: string }[], Errors: RefusedDeletion[] }} empty lists if the document is something else
 */
export function readDeletion(root, keys) {
  return { Deleted: keys.map((Key) => ({ Key })), Errors: root.all('Error').map(refusedDeletion) };
}

/**
 * @param {XmlElement} entry
 * @returns {RefusedDeletion}
 */
function refusedDeletion(entry) {
  const message = entry.textOf('Message');
  return {
    Key: entry.textOf('Key') ?? '',
    Code: entry.textOf('Code') ?? '',
    ...(message === undefined ? {} : { Message: message }),
  };
}

/** @param {string} text */
function escaped(text) {
  return text.replace(/[&<>\r]/g, (character) => ENTITIES[character]);
}

/** Empty if the document is something else. @param {XmlElement} root of the response to CreateMultipartUpload */
export function readUpload(root) {
  return { UploadId: root.textOf('UploadId')?.trim() };
}

/** The body of a CompleteMultipartUpload request. @param {Readonly<Record<string, any>>} input */
export function writeCompletion({ MultipartUpload: { Parts } }) {
  const parts = Parts.map((/** @type {Record<string, string | number>} */ part) => {
    const members = Object.entries(part).map(([name, value]) => `<${name}>${escaped(String(value))}</${name}>`);
    return `<Part>${members.join('')}</Part>`;
  });
  return `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`;
}

/** Empty if the document is something else. @param {XmlElement} root of the response to CompleteMultipartUpload */
export function readCompletion(root) {
  return { ETag: root.textOf('ETag')?.trim() };
}

/** Empty if the document is something else. @param {XmlElement} root of the response to CopyObject */
export function readCopy(root) {
  return { CopyObjectResult: { ETag: root.textOf('ETag')?.trim() } };
}

/**
 * @param {XmlElement} root of the response to ListObjectsV2
 * @param {readonly string[]} keys of its objects
 */
export function readList(root, keys) {
  return {
    Contents: keys.map((Key) => ({ Key })),
    IsTruncated: truncationOf(root, keys.length > 0),
    EncodingType: root.textOf('EncodingType')?.trim(),
    NextContinuationToken: root.textOf('NextContinuationToken'),
  };
}

/** Elements that every list has some of, even if nothing is listed. */
const LIST_ELEMENTS = ['IsTruncated', 'Name', 'Bucket', 'Prefix', 'KeyCount', 'MaxKeys', 'MaxUploads'];

/**
 * @param {XmlElement} root
 * @param {boolean} hasEntries
 * @returns {boolean | undefined} whether there are more pages; undefined if it is not a list
 */
export function truncationOf(root, hasEntries) {
  const isList = hasEntries || LIST_ELEMENTS.some((name) => root.textOf(name) !== undefined);
  const text = (root.textOf('IsTruncated') ?? 'false').trim().toLowerCase();
  return isList && (text === 'true' || text === 'false') ? text === 'true' : undefined;
}
