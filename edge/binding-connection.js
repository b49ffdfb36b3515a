import { etagDigest } from '../lib/s3/object-connection.js';
import { classifyAnswer } from '../lib/s3/s3-error.js';

/**
 * @import { ObjectConnection, ObjectRequest, Reply } from '../lib/s3/object-store.js'
 * @import { S3Call } from '../lib/s3/s3-calls.js'
 */

/** The codes that end R2's error messages: https://developers.cloudflare.com/r2/api/error-codes/ */
const ERRORS = new Map(
  /** @type {[number, [code: string, status: number]][]} */ ([
    [10001, ['InternalError', 500]],
    [10002, ['Unauthorized', 401]],
    [10003, ['AccessDenied', 403]],
    [10006, ['NoSuchBucket', 404]],
    [10007, ['NoSuchKey', 404]],
    [10012, ['MetadataTooLarge', 400]],
    [10013, ['IncompleteBody', 400]],
    [10020, ['InvalidObjectName', 400]],
    [10031, ['PreconditionFailed', 412]],
    [10037, ['BadDigest', 400]],
    [10039, ['InvalidRange', 416]],
    [10042, ['NotEntitled', 403]],
    [10043, ['ServiceUnavailable', 503]],
    [10054, ['ClientDisconnect', 400]],
    [10058, ['TooManyRequests', 429]],
    [10069, ['ObjectLockedByBucketPolicy', 403]],
    [100100, ['EntityTooLarge', 400]],
  ]),
);

const CODE_AT_END = /\s*\((\d{5,6})\)\s*$/;

/**
 * @param {unknown} error thrown by a binding
 * @returns {{ status: number, code: string, message: string }} the S3 API's equivalent; an internal error for unknown codes
 */
export function explainBindingError(error) {
  const text = error instanceof Error ? error.message : String(error);
  const [code, status] = ERRORS.get(Number(CODE_AT_END.exec(text)?.[1])) ?? ['InternalError', 500];
  return { status, code, message: text };
}

const RANGE = /^bytes=(\d+)-(\d+)$/;

/**
 * Presents R2 as a store: it turns each S3 call into a call of a binding.
 *
 * @implements {ObjectConnection}
 */
export class BindingConnection {
  #bucketNamed;
  #now;
  /** @type {Reply} */
  reply = { status: 0, etagDigest: 0, contentLength: -1, contentRange: '', encryption: '', output: {} };
  startedAt = 0;
  moved = 0;
  movedBefore = 0;
  answeredAt = 0;
  idleSince = 0;

  /**
   * @param {(name: string) => R2Bucket} bucketNamed
   * @param {() => number} now ms
   */
  constructor(bucketNamed, now) {
    this.#bucketNamed = bucketNamed;
    this.#now = now;
  }

  /**
   * @param {S3Call} call
   * @param {ObjectRequest} request
   */
  async send({ name }, request) {
    Object.assign(this.reply, { status: 200, etagDigest: 0, contentLength: -1, contentRange: '', output: {} });
    const bucket = this.#bucketNamed(request.bucket);
    const send = CALLS[name];
    if (send === undefined) {
      throw refused({ status: 501, code: 'NotImplemented', message: `The binding has no ${name}.` });
    }
    try {
      await send(this, bucket, request);
    } catch (error) {
      throw error instanceof NoObject
        ? refused({ status: 404, code: 'NoSuchKey', message: 'The object does not exist.' })
        : refused(explainBindingError(error));
    }
  }

  /** Called when the response begins. @param {R2Object} object */
  answered(object) {
    this.answeredAt = this.#now();
    this.reply.etagDigest = etagDigest(Buffer.from(object.httpEtag));
    this.reply.contentLength = object.size;
  }

  transfer() {
    return null;
  }

  abort() {
    throw new Error('a call of a binding cannot be aborted');
  }
}

/** A binding reports a missing object as null. */
class NoObject extends Error {}

/**
 * @type {Readonly<Record<string, (connection: BindingConnection, bucket: R2Bucket, request: ObjectRequest) =>
 *   Promise<void>>>}
 */
const CALLS = {
  async PutObject(connection, bucket, { key, body, size }) {
    const object = await (Buffer.isBuffer(body)
      ? bucket.put(key, body)
      : putPieces(bucket, key, /** @type {Iterable<Buffer>} */ (body), size));
    connection.answered(/** @type {R2Object} */ (object));
  },
  async GetObject(connection, bucket, { key, input, sink }) {
    const [, first, last] = RANGE.exec(input?.Range ?? '')?.map(Number) ?? [];
    const range = first === undefined ? undefined : { offset: first, length: last - first + 1 };
    const object = await bucket.get(key, range && { range });
    if (object === null) {
      throw new NoObject();
    }
    connection.answered(object);
    if (range !== undefined) {
      connection.reply.status = 206;
      connection.reply.contentRange = contentRange(object);
    }
    for await (const chunk of object.body) {
      connection.moved += chunk.length;
      sink.accept(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    }
  },
  async HeadObject(connection, bucket, { key }) {
    const object = await bucket.head(key);
    if (object === null) {
      throw new NoObject();
    }
    connection.answered(object);
  },
  async DeleteObject(_connection, bucket, { key }) {
    await bucket.delete(key);
  },
  async DeleteObjects(connection, bucket, { input = {} }) {
    const { Objects } = input.Delete;
    await bucket.delete(Objects.map((/** @type {{ Key: string }} */ { Key }) => Key));
    // The binding either deletes all of them or throws.
    connection.reply.output = { Deleted: Objects, Errors: [] };
  },
  async ListObjectsV2(connection, bucket, { input = {} }) {
    const { Prefix: prefix, StartAfter: startAfter, MaxKeys: limit } = input;
    const { objects, truncated } = await bucket.list({ prefix, limit, startAfter });
    connection.reply.output = { Contents: objects.map(({ key }) => ({ Key: key })), IsTruncated: truncated };
  },
};

/**
 * @param {Pick<R2Object, 'size' | 'range'>} object read as a range
 * @returns {string} the Content-Range header
 */
export function contentRange({ size, range }) {
  const { offset = 0, length = size - offset } = /** @type {{ offset?: number, length?: number }} */ (range ?? {});
  return `bytes ${offset}-${offset + length - 1}/${size}`;
}

/**
 * @param {R2Bucket} bucket
 * @param {string} key
 * @param {Iterable<Buffer>} pieces
 * @param {number} size total bytes
 */
async function putPieces(bucket, key, pieces, size) {
  const { readable, writable } = new FixedLengthStream(size);
  const writer = writable.getWriter();
  const written = (async () => {
    for (const piece of pieces) {
      await writer.write(piece);
    }
    await writer.close();
  })();
  const [object] = await Promise.all([bucket.put(key, readable), written]);
  return object;
}

/** @param {{ status: number, code: string, message: string }} answer */
function refused(answer) {
  return classifyAnswer({ ...answer, isR2: true, now: Date.now() });
}
