import { setMaxListeners } from 'node:events';
import { plainText } from '../text/plain-text.js';
import { DirectStore } from './direct-store.js';
import { OBJECT_CALL, S3_CALLS, truncationOf } from './s3-calls.js';
import { NOT_FOUND, NO_UPLOAD, isConditionRefused, isKind, protocolError, timeoutError } from './s3-error.js';

/**
 * @import { XmlElement } from '../text/xml.js'
 * @import { ObjectConnection, ObjectRequest, StoreOptions } from './object-store.js'
 * @import { S3Call } from './s3-calls.js'
 */

/** The object of a call that neither sends nor receives one. */
const NO_OBJECT = { size: 0, body: null, sink: { accept() {} } };

/** The start of a list. @type {Readonly<ListPosition>} */
export const LIST_START = Object.freeze({ after: '', input: {} });

/**
 * @param {string} key
 * @returns {ListPosition} after the key; some stores begin at the start of the list instead
 */
export function listPositionAfter(key) {
  return { after: '', input: { StartAfter: key } };
}

/**
 * The start of a page of a list.
 *
 * @typedef {object} ListPosition
 * @property {string} after the previous page ended with this key; '' for none
 * @property {Readonly<Record<string, string | undefined>>} input members of the request that point there
 *
 * @typedef {{ key: string, size: number, etag: string, modifiedAt: number }} ListedObject `size`: bytes; NaN if the
 *   store reports no valid size; `etag`: exactly as the store sent it, or ''; `modifiedAt`: epoch ms
 *
 * @typedef {{ key: string, versionId: string, isObject: boolean }} ListedVersion a version of a key, or a delete
 *   marker; `isObject`: whether a read of the key returns it: the latest version, unless it is a delete marker
 *
 * @typedef {{ key: string, uploadId: string, initiatedAt: number }} ListedUpload a multipart upload that was neither
 *   completed nor aborted; `initiatedAt`: epoch ms
 */

/**
 * Lists and deletes objects for preflight and clean-up. These requests are not measured. They always use the direct
 * client, because loading the SDK takes a quarter of a second of CPU time. Each method throws an AttemptError if its
 * request fails.
 */
export class BucketAdmin {
  #store;
  #timeout;
  #now;
  #signal;
  /** @type {ObjectConnection[]} */
  #idle = [];
  requests = 0;

  /**
   * @param {StoreOptions} options
   * @param {number} timeout ms per request
   * @param {AbortSignal} [signal] makes all requests fail with its reason
   */
  constructor(options, timeout, signal = new AbortController().signal) {
    this.#store = new DirectStore({ ...options, keysAreForeign: true });
    this.#timeout = timeout;
    this.#now = options.now;
    this.#signal = signal;
    // Each request adds a listener. Node warns of a leak when there are more than ten.
    setMaxListeners(0, signal);
  }

  /**
   * @param {string} bucket
   * @param {string} prefix
   * @param {ListPosition} from
   * @returns {Promise<{ objects: ListedObject[], next: ListPosition | null }>} at most 1,000, in key order; next is null on
   *   the last page
   */
  async listPage(bucket, prefix, from) {
    const { objects, next } = await this.#list(bucket, { Prefix: prefix }, from);
    refuseStrange(objects.every(({ key }) => isAfter(key, from.after)));
    return { objects, next };
  }

  /**
   * Like listPage(), for objects that the run did not write. It requests encoded keys: a key can contain anything.
   *
   * @param {string} bucket
   * @param {string} prefix '' for all
   * @param {ListPosition} from
   * @returns {Promise<{ objects: ListedObject[], next: ListPosition | null, unreadable: number, isDecoded: boolean }>}
   *   `unreadable` counts the objects left out because their key or size cannot be read; `isDecoded`: whether the keys
   *   were encoded
   */
  async listForeignPage(bucket, prefix, from) {
    const input = { EncodingType: 'url', Prefix: prefix || undefined };
    const { objects: all, next, isDecoded } = await this.#list(bucket, input, from);
    const objects = all.filter(({ key, size }) => key !== '' && size >= 0);
    refuseStrange(objects.every(({ key }) => key.startsWith(prefix) && isAfter(key, from.after)));
    return { objects, next, unreadable: all.length - objects.length, isDecoded };
  }

  /**
   * @param {string} bucket
   * @param {Readonly<Record<string, any>>} input
   * @param {ListPosition} from
   * @returns {Promise<{ objects: ListedObject[], next: ListPosition | null, isDecoded: boolean }>}
   */
  async #list(bucket, input, from) {
    const answer = await this.#send(BUCKET_CALLS.ListObjectsV2, bucket, { ...input, ...from.input });
    const { Contents, IsTruncated, NextContinuationToken, EncodingType } = answer;
    // A response that is not a list must not count as an empty list.
    if (IsTruncated === undefined) {
      throw protocolError('the response is not a list of objects', 'retry');
    }
    // Continuing would repeat this page forever. Ending the list here would count unlisted objects as removed.
    if (IsTruncated && Contents.length === 0 && !NextContinuationToken) {
      throw protocolError(`the list of bucket ${bucket} claims to continue but contains no objects`);
    }
    const objects = Contents.map((/** @type {any} */ { Key, ...object }) => ({ key: Key, ...object }));
    const after = objects.at(-1)?.key ?? from.after;
    // Version 1 of the API has markers instead of tokens.
    const nextInput = NextContinuationToken
      ? { ContinuationToken: NextContinuationToken }
      : { StartAfter: after, Marker: after };
    return { objects, next: IsTruncated ? { after, input: nextInput } : null, isDecoded: EncodingType === 'url' };
  }

  /**
   * @param {string} bucket
   * @param {readonly string[]} keys at most 1,000 (S3's limit)
   * @returns {Promise<string[]>} one message per key that the store did not delete
   */
  deleteBatch(bucket, keys) {
    return this.deleteVersions(
      bucket,
      keys.map((key) => ({ key })),
    );
  }

  /**
   * @param {string} bucket
   * @param {string} key may no longer exist
   */
  async deleteObject(bucket, key) {
    await this.#succeeds((error) => isKind(error, NOT_FOUND), S3_CALLS.DeleteObject, bucket, {}, key);
  }

  /**
   * @param {string} bucket
   * @returns {Promise<'Enabled' | 'Suspended' | null>} null if the bucket never kept versions
   */
  async versioningOf(bucket) {
    const { status } = await this.#send(BUCKET_CALLS.GetBucketVersioning, bucket);
    // Some stores send an empty status instead of none.
    return status === 'Enabled' || status === 'Suspended' ? status : null;
  }

  /**
   * @param {string} bucket that keeps versions
   * @returns {Promise<string | null>} for how long new objects cannot be removed; null if they can
   */
  async retentionOf(bucket) {
    return (await this.#send(BUCKET_CALLS.GetObjectLockConfiguration, bucket)).retention;
  }

  /**
   * @param {string} bucket
   * @param {string} key of an existing object
   * @returns {Promise<string | null>} null if the store reports no version, because the bucket never kept versions
   */
  async versionIdOf(bucket, key) {
    const { VersionId } = await this.#send(BUCKET_CALLS.HeadObject, bucket, {}, key);
    return VersionId ?? null;
  }

  /**
   * @param {string} bucket
   * @param {string} prefix
   * @param {ListPosition} from
   * @returns {Promise<{ versions: ListedVersion[], next: ListPosition | null }>} at most 1,000, in no particular order;
   *   next is null on the last page
   */
  async listVersionsPage(bucket, prefix, from) {
    const { entries, next } = await this.#markedPage(BUCKET_CALLS.ListObjectVersions, bucket, prefix, from);
    return { versions: entries, next };
  }

  /**
   * @param {string} bucket
   * @param {readonly { key: string, versionId?: string }[]} versions at most 1,000 (S3's limit)
   * @returns {Promise<string[]>} one message per version that the store did not delete
   */
  async deleteVersions(bucket, versions) {
    const Objects = versions.map(({ key, versionId }) => ({ Key: key, VersionId: versionId }));
    const { Errors } = await this.#send(BUCKET_CALLS.DeleteObjects, bucket, { Delete: { Objects, Quiet: true } });
    return Errors.map(describeDeletion);
  }

  /**
   * @param {string} bucket
   * @param {string} prefix
   * @param {ListPosition} from
   * @returns {Promise<{ uploads: ListedUpload[], next: ListPosition | null }>} at most 1,000 in S3, possibly more in other
   *   stores; next is null on the last page
   */
  async listUploadsPage(bucket, prefix, from) {
    const { entries, next } = await this.#markedPage(BUCKET_CALLS.ListMultipartUploads, bucket, prefix, from);
    return { uploads: entries, next };
  }

  /**
   * @param {S3Call} call whose pages begin after a key, or after one of its versions or uploads
   * @param {string} bucket
   * @param {string} prefix
   * @param {ListPosition} from
   * @returns {Promise<{ entries: any[], next: ListPosition | null }>}
   */
  async #markedPage(call, bucket, prefix, from) {
    const answer = await this.#send(call, bucket, { Prefix: prefix || undefined, ...from.input });
    const { entries, isTruncated, nextKey, nextId } = answer;
    if (isTruncated === undefined) {
      throw protocolError(`the response to ${call.name} is not a list`, 'retry');
    }
    if (isTruncated && !isAfter(nextKey, from.after) && !(nextKey === from.after && nextId !== from.input.IdMarker)) {
      throw protocolError(`${call.name} is stuck: the next page does not advance past this one`);
    }
    return {
      entries,
      next: isTruncated ? { after: nextKey, input: { KeyMarker: nextKey, IdMarker: nextId } } : null,
    };
  }

  /**
   * @param {string} bucket
   * @param {Pick<ListedUpload, 'key' | 'uploadId'>} upload may no longer exist
   */
  async abortUpload(bucket, { key, uploadId }) {
    await this.#succeeds(
      (error) => isKind(error, NO_UPLOAD),
      S3_CALLS.AbortMultipartUpload,
      bucket,
      { UploadId: uploadId },
      key,
    );
  }

  /**
   * @param {string} bucket
   * @param {string} key
   * @returns {Promise<boolean>} whether the object exists
   */
  has(bucket, key) {
    return this.#succeeds((error) => isKind(error, NOT_FOUND), S3_CALLS.HeadObject, bucket, {}, key);
  }

  /**
   * @param {string} bucket
   * @param {string} key
   * @param {Buffer} body
   * @returns {Promise<boolean>} false if the object exists. Not every store takes notice
   */
  create(bucket, key, body) {
    const object = { ...NO_OBJECT, body, size: body.length };
    return this.#succeeds(isConditionRefused, S3_CALLS.PutObject, bucket, { IfNoneMatch: '*' }, key, object);
  }

  /**
   * @param {string} bucket
   * @param {string} key of a short text
   */
  async read(bucket, key) {
    let text = '';
    const sink = { accept: (/** @type {Buffer} */ chunk) => void (text += chunk.toString()) };
    await this.#send(S3_CALLS.GetObject, bucket, {}, key, { ...NO_OBJECT, sink });
    return text;
  }

  close() {
    return this.#store.close();
  }

  /**
   * @param {(error: unknown) => boolean} isExpected
   * @param {[call: S3Call, bucket: string, input: object, key: string, object?: Pick<ObjectRequest, 'size' | 'body' | 'sink'>]} request see #send()
   * @returns {Promise<boolean>} false if the request fails with an expected error
   */
  async #succeeds(isExpected, ...request) {
    try {
      await this.#send(...request);
      return true;
    } catch (error) {
      if (isExpected(error)) {
        return false;
      }
      throw error;
    }
  }

  /**
   * @param {S3Call} call
   * @param {string} bucket
   * @param {Readonly<Record<string, any>>} [input]
   * @param {string} [key]
   * @param {Pick<ObjectRequest, 'size' | 'body' | 'sink'>} [object]
   * @returns {Promise<any>} the call's output
   */
  async #send(call, bucket, input = {}, key = '', object = NO_OBJECT) {
    this.#signal.throwIfAborted();
    this.requests += 1;
    const connection = this.#idle.pop() ?? this.#store.openConnection();
    const end = () => connection.abort(this.#signal.reason);
    this.#signal.addEventListener('abort', end);
    const timer = setTimeout(() => connection.abort(timeoutError(this.#timeout)), this.#timeout);
    connection.startedAt = this.#now();
    try {
      await connection.send(call, { bucket, key, ...object, input });
      return connection.reply.output;
    } finally {
      clearTimeout(timer);
      this.#signal.removeEventListener('abort', end);
      connection.startedAt = 0;
      connection.idleSince = this.#now();
      this.#idle.push(connection);
    }
  }
}

/** @param {{ Key?: string, Code?: string, Message?: string }} error */
function describeDeletion({ Key, Code, Message }) {
  const reason = [Code, Message].filter(Boolean).join(' ');
  const key = Key ? plainText(Key) : 'an unnamed key';
  return `${key}: ${reason === '' ? 'no reason given' : plainText(reason)}`;
}

/**
 * Whether a key comes after another in a list. A list that does not advance would never end.
 *
 * @param {string | undefined} key
 * @param {string} startAfter
 */
function isAfter(key, startAfter) {
  return typeof key === 'string' && Buffer.compare(Buffer.from(key), Buffer.from(startAfter)) > 0;
}

/** @param {boolean} isRequested whether a list contains only keys that were requested */
function refuseStrange(isRequested) {
  if (!isRequested) {
    throw protocolError('the store lists keys that were not requested, so its lists cannot be used');
  }
}

/**
 * @param {string} name
 * @param {string} parameter of the query, which names what is read
 * @param {NonNullable<S3Call['readOutput']>} readOutput
 * @param {Readonly<Record<string, string>>} [queryNames]
 */
function bucketCall(name, parameter, readOutput, queryNames = {}) {
  return { ...OBJECT_CALL, method: 'GET', hasKey: false, name, query: { [parameter]: '' }, queryNames, readOutput };
}

/** Unmeasured calls that administer a bucket. Unlike the calls of operations, they read every field of a list. */
export const BUCKET_CALLS = Object.freeze(
  /** @satisfies {Record<string, S3Call>} */ ({
    ListObjectsV2: {
      ...S3_CALLS.ListObjectsV2,
      queryNames: { ...S3_CALLS.ListObjectsV2.queryNames, Marker: 'marker' },
      keyedEntry: null,
      readOutput: readObjects,
    },
    // A deletion cannot be undone, so its document is always signed.
    DeleteObjects: { ...S3_CALLS.DeleteObjects, signsDocument: true },
    GetBucketVersioning: bucketCall('GetBucketVersioning', 'versioning', (root) => ({
      status: textIn(root, 'Status'),
    })),
    GetObjectLockConfiguration: bucketCall('GetObjectLockConfiguration', 'object-lock', readRetention),
    HeadObject: { ...S3_CALLS.HeadObject, returnsVersion: true },
    ListObjectVersions: bucketCall(
      'ListObjectVersions',
      'versions',
      markedList({ Version: versionIn, DeleteMarker: versionIn }, 'NextVersionIdMarker'),
      { Prefix: 'prefix', KeyMarker: 'key-marker', IdMarker: 'version-id-marker' },
    ),
    ListMultipartUploads: bucketCall(
      'ListMultipartUploads',
      'uploads',
      markedList({ Upload: uploadIn }, 'NextUploadIdMarker'),
      { Prefix: 'prefix', KeyMarker: 'key-marker', IdMarker: 'upload-id-marker' },
    ),
  }),
);

/** @param {XmlElement} root of the response to ListObjectsV2 */
function readObjects(root) {
  const Contents = root.all('Contents').map((entry) => ({
    Key: entry.textOf('Key') ?? '',
    size: sizeIn(entry),
    etag: textIn(entry, 'ETag') ?? '',
    modifiedAt: timeIn(entry, 'LastModified'),
  }));
  return {
    Contents,
    IsTruncated: truncationOf(root, Contents.length > 0),
    NextContinuationToken: textIn(root, 'NextContinuationToken'),
    EncodingType: textIn(root, 'EncodingType'),
  };
}

/** @param {XmlElement} root of the response to GetObjectLockConfiguration */
function readRetention(root) {
  const [rule] = root.all('Rule').flatMap((each) => each.all('DefaultRetention'));
  const [mode, days, years] = ['Mode', 'Days', 'Years'].map((name) => rule && textIn(rule, name));
  return { retention: mode ? plainText(`${mode}, ${days ? `${days} days` : `${years} years`}`) : null };
}

/**
 * @param {Readonly<Record<string, (entry: XmlElement) => object>>} readers by element
 * @param {string} marker element with the ID at which the next page begins
 * @returns {NonNullable<S3Call['readOutput']>} for a list whose pages begin after a key, and after one of its IDs
 */
function markedList(readers, marker) {
  return (root) => {
    const entries = Object.entries(readers).flatMap(([name, read]) => root.all(name).map(read));
    return {
      entries,
      isTruncated: truncationOf(root, entries.length > 0),
      nextKey: root.textOf('NextKeyMarker'),
      nextId: textIn(root, marker),
    };
  };
}

/**
 * @param {XmlElement} entry of a list of versions
 * @returns {ListedVersion}
 */
function versionIn(entry) {
  const isLatest = textIn(entry, 'IsLatest')?.toLowerCase() === 'true';
  return {
    key: entry.textOf('Key') ?? '',
    versionId: textIn(entry, 'VersionId') ?? 'null',
    isObject: isLatest && entry.name === 'Version',
  };
}

/**
 * @param {XmlElement} entry
 * @returns {ListedUpload}
 */
function uploadIn(entry) {
  return {
    key: entry.textOf('Key') ?? '',
    uploadId: textIn(entry, 'UploadId') ?? '',
    initiatedAt: timeIn(entry, 'Initiated'),
  };
}

/**
 * @param {XmlElement} entry
 * @param {string} element
 */
function textIn(entry, element) {
  return entry.textOf(element)?.trim();
}

/** Bytes; 0 if absent, NaN if the text is not a number of bytes. @param {XmlElement} entry */
function sizeIn(entry) {
  const text = textIn(entry, 'Size') ?? '0';
  const size = /^\d+$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(size) ? size : NaN;
}

/**
 * @param {XmlElement} entry
 * @param {string} element
 * @returns {number} epoch ms; 0 if the element is absent or not a date
 */
function timeIn(entry, element) {
  return Date.parse(textIn(entry, element) ?? '') || 0;
}
