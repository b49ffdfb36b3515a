import { readCompletion, readCopy, readDeletion, readList, readUpload } from './documents.js';
import { writeCompletion, writeDeletion } from './documents.js';

/** @import { XmlElement } from '../text/xml.js' */

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
 *   sorted by name; all names sort between `host` and `x-amz-content-sha256`; null if no member is sent as a header
 * @property {boolean} copiesObject whether the store copies the object in the input's `CopySource`
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
  copiesObject: false,
  sendsObject: false,
  receivesObject: false,
  returnsEtag: false,
  returnsVersion: false,
  writeInput: null,
  needsDigest: false,
  keyedEntry: null,
  readOutput: null,
};

/** Checksum header of a request body. */
const CHECKSUM = { ChecksumCRC64NVME: 'x-amz-checksum-crc64nvme' };

const CHECKSUM_TYPE = { ChecksumType: 'x-amz-checksum-type' };

/** Clients also read the status, ETag, Content-Length and Content-Range of every response. */
export const S3_CALLS = Object.freeze(
  /** @satisfies {Record<string, S3Call>} */ ({
    PutObject: {
      ...OBJECT_CALL,
      name: 'PutObject',
      method: 'PUT',
      headerNames: { IfMatch: 'if-match', IfNoneMatch: 'if-none-match', ...CHECKSUM },
      sendsObject: true,
    },
    CopyObject: { ...OBJECT_CALL, name: 'CopyObject', method: 'PUT', copiesObject: true, readOutput: readCopy },
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
      headerNames: { ChecksumAlgorithm: 'x-amz-checksum-algorithm', ...CHECKSUM_TYPE },
      readOutput: readUpload,
    },
    UploadPart: {
      ...OBJECT_CALL,
      name: 'UploadPart',
      method: 'PUT',
      query: {},
      queryNames: { PartNumber: 'partNumber', UploadId: 'uploadId' },
      headerNames: CHECKSUM,
      sendsObject: true,
      returnsEtag: true,
    },
    CompleteMultipartUpload: {
      ...OBJECT_CALL,
      name: 'CompleteMultipartUpload',
      method: 'POST',
      query: {},
      queryNames: { UploadId: 'uploadId' },
      headerNames: { ...CHECKSUM, ...CHECKSUM_TYPE },
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
