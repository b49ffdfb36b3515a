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
function readDeletion(root, keys) {
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
function readUpload(root) {
  return { UploadId: root.textOf('UploadId')?.trim() };
}

/** The body of a CompleteMultipartUpload request. @param {Readonly<Record<string, any>>} input */
function writeCompletion({ MultipartUpload: { Parts } }) {
  const parts = Parts.map((/** @type {Record<string, string | number>} */ part) => {
    const members = Object.entries(part).map(([name, value]) => `<${name}>${escaped(String(value))}</${name}>`);
    return `<Part>${members.join('')}</Part>`;
  });
  return `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`;
}

/** Empty if the document is something else. @param {XmlElement} root of the response to CompleteMultipartUpload */
function readCompletion(root) {
  return { ETag: root.textOf('ETag')?.trim() };
}

/** Empty if the document is something else. @param {XmlElement} root of the response to CopyObject */
function readCopy(root) {
  return { CopyObjectResult: { ETag: root.textOf('ETag')?.trim() } };
}

/**
 * @param {XmlElement} root of the response to ListObjectsV2
 * @param {readonly string[]} keys of its objects
 */
function readList(root, keys) {
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

/**
 * A call of the S3 API, and how it is sent over HTTP:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html
 *
 * @typedef {object} S3Call
 * @property {string} name in the S3 API; the SDK's command is `<name>Command`
 * @property {string} method
 * @property {boolean} hasKey whether the path names an object, and not a bucket
 * @property {Readonly<Record<string, string>> | null} query common to all requests; null if there is no query
 * @property {Readonly<Record<string, string>>} queryNames query parameters, keyed by member of a request's `input`
 * @property {Readonly<Record<string, string>> | null} headerNames signed headers, keyed by member of the `input`, and
 *   as RequestSigner.signHeaders() requires; null if no member is sent as a header
 * @property {boolean} sendsObject whether the body of the request is an object, or a part of one
 * @property {boolean} receivesObject whether the body of a successful response is an object, for the request's sink
 * @property {boolean} returnsEtag whether the output contains the unchanged ETag header, because a later request must
 *   quote it; for other calls its digest is enough
 * @property {boolean} returnsVersion whether the output contains the version from the response's header
 * @property {((input: Readonly<Record<string, any>>) => string) | null} writeInput turns the members of the call's
 *   input into an XML request body; null if they are sent in query and headers
 * @property {boolean} [signsDocument] whether the XML request body is signed even over TLS
 * @property {boolean} needsDigest whether the store requires a checksum of the XML request body
 * @property {string | null} keyedEntry name of the entries in the response of which only the keys are read
 * @property {((root: XmlElement, keys: readonly string[]) => Record<string, unknown>) | null} readOutput reads the
 *   members of the call's output, with the SDK's names, from the XML of a successful response, and from the keys of its
 *   entries; null if the response is not XML
 */

/** Defaults: a call for one object, without a query, whose response has only headers. */
export const OBJECT_CALL = {
  hasKey: true,
  query: null,
  queryNames: {},
  headerNames: null,
  sendsObject: false,
  receivesObject: false,
  returnsEtag: false,
  returnsVersion: false,
  writeInput: null,
  needsDigest: false,
  keyedEntry: null,
  readOutput: null,
};

/** Clients also read the status, ETag, Content-Length and Content-Range of every response. */
export const S3_CALLS = Object.freeze(
  /** @satisfies {Record<string, S3Call>} */ ({
    PutObject: {
      ...OBJECT_CALL,
      name: 'PutObject',
      method: 'PUT',
      headerNames: { IfMatch: 'if-match', IfNoneMatch: 'if-none-match' },
      sendsObject: true,
    },
    CopyObject: {
      ...OBJECT_CALL,
      name: 'CopyObject',
      method: 'PUT',
      headerNames: { CopySource: 'x-amz-copy-source' },
      readOutput: readCopy,
    },
    GetObject: {
      ...OBJECT_CALL,
      name: 'GetObject',
      method: 'GET',
      headerNames: { Range: 'range' },
      receivesObject: true,
    },
    HeadObject: { ...OBJECT_CALL, name: 'HeadObject', method: 'HEAD' },
    ListObjectsV2: {
      ...OBJECT_CALL,
      name: 'ListObjectsV2',
      method: 'GET',
      hasKey: false,
      query: { 'list-type': '2' },
      queryNames: {
        Prefix: 'prefix',
        Delimiter: 'delimiter',
        StartAfter: 'start-after',
        ContinuationToken: 'continuation-token',
        MaxKeys: 'max-keys',
        EncodingType: 'encoding-type',
      },
      keyedEntry: 'Contents',
      readOutput: readList,
    },
    DeleteObject: { ...OBJECT_CALL, name: 'DeleteObject', method: 'DELETE' },
    DeleteObjects: {
      ...OBJECT_CALL,
      name: 'DeleteObjects',
      method: 'POST',
      hasKey: false,
      query: { delete: '' },
      writeInput: writeDeletion,
      needsDigest: true,
      keyedEntry: 'Deleted',
      readOutput: readDeletion,
    },
    CreateMultipartUpload: {
      ...OBJECT_CALL,
      name: 'CreateMultipartUpload',
      method: 'POST',
      query: { uploads: '' },
      readOutput: readUpload,
    },
    UploadPart: {
      ...OBJECT_CALL,
      name: 'UploadPart',
      method: 'PUT',
      query: {},
      queryNames: { PartNumber: 'partNumber', UploadId: 'uploadId' },
      sendsObject: true,
      returnsEtag: true,
    },
    CompleteMultipartUpload: {
      ...OBJECT_CALL,
      name: 'CompleteMultipartUpload',
      method: 'POST',
      query: {},
      queryNames: { UploadId: 'uploadId' },
      writeInput: writeCompletion,
      readOutput: readCompletion,
    },
    AbortMultipartUpload: {
      ...OBJECT_CALL,
      name: 'AbortMultipartUpload',
      method: 'DELETE',
      query: {},
      queryNames: { UploadId: 'uploadId' },
    },
  }),
);
