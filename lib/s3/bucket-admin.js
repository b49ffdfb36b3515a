import { setMaxListeners } from 'node:events';
import { plainText } from '../text/plain-text.js';
import { DirectStore } from './direct-store.js';
import { truncationOf } from './s3-calls.js';
import { OBJECT_CALL, S3_CALLS } from './s3-calls.js';
import { AttemptError, NOT_FOUND, NO_UPLOAD, isConditionRefused, protocolError, timeoutError } from './s3-error.js';

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
    const objects = Contents.map(listedObject);
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
  async deleteBatch(bucket, keys) {
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
    try {
      await this.#send(BUCKET_CALLS.DeleteObject, bucket, {}, key);
    } catch (error) {
      if (!(error instanceof AttemptError && error.kind === NOT_FOUND)) {
        throw error;
      }
    }
  }

  /**
   * @param {string} bucket
   * @returns {Promise<'Enabled' | 'Suspended' | null>} null if the bucket never kept versions
   */
  async versioningOf(bucket) {
    const { Status } = await this.#send(BUCKET_CALLS.GetBucketVersioning, bucket);
    // Some stores send an empty status instead of none.
    return Status === 'Enabled' || Status === 'Suspended' ? Status : null;
  }

  /**
   * @param {string} bucket that keeps versions
   * @returns {Promise<string | null>} for how long new objects cannot be removed; null if they can
   */
  async retentionOf(bucket) {
    const { Mode, Days, Years } = await this.#send(BUCKET_CALLS.GetObjectLockConfiguration, bucket);
    return Mode ? plainText(`${Mode}, ${Days ? `${Days} days` : `${Years} years`}`) : null;
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
    const { answer, next } = await this.#markedPage(
      BUCKET_CALLS.ListObjectVersions,
      'VersionIdMarker',
      bucket,
      prefix,
      from,
    );
    const versions = [
      ...answer.Versions.map((/** @type {any} */ version) => listedVersion(version, version.IsLatest === true)),
      ...answer.DeleteMarkers.map((/** @type {any} */ marker) => listedVersion(marker, false)),
    ];
    return { versions, next };
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
    const call = BUCKET_CALLS.ListMultipartUploads;
    const { answer, next } = await this.#markedPage(call, 'UploadIdMarker', bucket, prefix, from);
    return { uploads: answer.Uploads.map(listedUpload), next };
  }

  /**
   * @param {S3Call} call whose pages begin after a key, or after one of its versions or uploads
   * @param {'VersionIdMarker' | 'UploadIdMarker'} marker
   * @param {string} bucket
   * @param {string} prefix
   * @param {ListPosition} from
   * @returns {Promise<{ answer: any, next: ListPosition | null }>}
   */
  async #markedPage(call, marker, bucket, prefix, from) {
    const answer = await this.#send(call, bucket, { Prefix: prefix || undefined, ...from.input });
    const { IsTruncated, NextKeyMarker: after, [`Next${marker}`]: id } = answer;
    if (IsTruncated === undefined) {
      throw protocolError(`the response to ${call.name} is not a list`, 'retry');
    }
    if (IsTruncated && !isAfter(after, from.after) && !(after === from.after && id !== from.input[marker])) {
      throw protocolError(`${call.name} is stuck: the next page does not advance past this one`);
    }
    return { answer, next: IsTruncated ? { after, input: { KeyMarker: after, [marker]: id } } : null };
  }

  /**
   * @param {string} bucket
   * @param {Pick<ListedUpload, 'key' | 'uploadId'>} upload may no longer exist
   */
  async abortUpload(bucket, { key, uploadId }) {
    try {
      await this.#send(BUCKET_CALLS.AbortMultipartUpload, bucket, { UploadId: uploadId }, key);
    } catch (error) {
      if (!(error instanceof AttemptError && error.kind === NO_UPLOAD)) {
        throw error;
      }
    }
  }

  /**
   * @param {string} bucket
   * @param {string} key
   * @returns {Promise<boolean>} whether the object exists
   */
  async has(bucket, key) {
    try {
      await this.#send(BUCKET_CALLS.HeadObject, bucket, {}, key);
      return true;
    } catch (error) {
      if (error instanceof AttemptError && error.kind === NOT_FOUND) {
        return false;
      }
      throw error;
    }
  }

  /**
   * @param {string} bucket
   * @param {string} key
   * @param {Buffer} body
   * @returns {Promise<boolean>} false if the object exists. Not every store takes notice
   */
  async create(bucket, key, body) {
    try {
      const object = { ...NO_OBJECT, body, size: body.length };
      await this.#send(BUCKET_CALLS.PutObject, bucket, { IfNoneMatch: '*' }, key, object);
      return true;
    } catch (error) {
      if (isConditionRefused(error)) {
        return false;
      }
      throw error;
    }
  }

  /**
   * @param {string} bucket
   * @param {string} key of a short text
   */
  async read(bucket, key) {
    let text = '';
    const sink = { accept: (/** @type {Buffer} */ chunk) => void (text += chunk.toString()) };
    await this.#send(BUCKET_CALLS.GetObject, bucket, {}, key, { ...NO_OBJECT, sink });
    return text;
  }

  close() {
    return this.#store.close();
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

/** @param {{ Key: string, Size?: number, ETag?: string, LastModified?: Date }} content */
function listedObject({ Key, Size = 0, ETag = '', LastModified }) {
  const size = Number.isSafeInteger(Size) ? Size : NaN;
  return { key: Key, size, etag: ETag, modifiedAt: LastModified?.getTime() ?? 0 };
}

/** @param {{ Key?: string, UploadId?: string, Initiated?: Date }} entry */
function listedUpload({ Key = '', UploadId = '', Initiated }) {
  return { key: Key, uploadId: UploadId, initiatedAt: Initiated?.getTime() ?? 0 };
}

/**
 * @param {{ Key: string, VersionId?: string }} entry
 * @param {boolean} isObject
 */
function listedVersion({ Key, VersionId = 'null' }, isObject) {
  return { key: Key, versionId: VersionId, isObject };
}

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
