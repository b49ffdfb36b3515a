import { readCopy, readDeletion, readList, writeDeletion } from './documents.js';

/**
 * A call of the S3 API, and how REST binds it:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html
 *
 * @typedef {object} S3Call
 * @property {string} name in the S3 API; the SDK sends `<name>Command`
 * @property {string} method
 * @property {boolean} hasKey whether the path names an object; a bucket otherwise
 * @property {Readonly<Record<string, string>> | null} query what the query holds in every request; null where there is none
 * @property {Readonly<Record<string, string>>} queryNames how members of a request's `input` are named in the query
 * @property {Readonly<Record<string, string>> | null} headerNames how other members of it are named as headers; null where
 *   there are none. None of them may begin with x-amz-, which would have to be signed
 * @property {boolean} copiesObject whether the store copies one: what it copies is the `CopySource` of the input
 * @property {boolean} sendsObject whether the body of the request is an object's
 * @property {boolean} receivesObject whether the body of a successful answer is an object's, and goes to the request's sink
 * @property {((input: Readonly<Record<string, any>>) => string) | null} writeInput writes the XML that the body of a request is,
 *   out of the members of the call's input; null where they stand in query and headers
 * @property {((document: string) => Record<string, unknown>) | null} readOutput reads the members of the call's output, as
 *   the SDK names them, from the XML of a successful answer; null where the answer is none
 */

/** What most calls are: one object's, without a query, and answered by headers alone. */
const OBJECT_CALL = {
  hasKey: true,
  query: null,
  queryNames: {},
  headerNames: null,
  copiesObject: false,
  sendsObject: false,
  receivesObject: false,
  writeInput: null,
  readOutput: null,
};

/** The table of REST bindings. Status, ETag, Content-Length and Content-Range are read of every answer. */
export const S3_CALLS = Object.freeze(
  /** @satisfies {Record<string, S3Call>} */ ({
    PutObject: { ...OBJECT_CALL, name: 'PutObject', method: 'PUT', sendsObject: true },
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
      queryNames: { Prefix: 'prefix', StartAfter: 'start-after', MaxKeys: 'max-keys', EncodingType: 'encoding-type' },
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
      readOutput: readDeletion,
    },
  }),
);
