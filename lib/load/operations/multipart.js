import { S3_CALLS } from '../../store/s3-calls.js';
import { AttemptError, NOT_FOUND, NO_UPLOAD, isKind, unconfirmed } from '../../store/s3-error.js';
import { IntegrityError } from './operation.js';

/**
 * @import { MultipartConfig } from '../../result/config.js'
 * @import { ObjectConnection, ObjectRequest, Reply } from '../../store/object-store.js'
 * @import { S3Call } from '../../store/s3-calls.js'
 * @import { OperationRecord } from './operation-record.js'
 */

/** S3's and R2's minimum for all parts but the last. */
export const MIN_PART_BYTES = 5 * 1024 ** 2;

export const MAX_PART_BYTES = 5 * 1024 ** 3;

export const MAX_PARTS = 10_000;

/** R2's limit for a single PUT: 5 GiB minus 100 MiB, rounded as in its documentation. */
export const MAX_PUT_BYTES = Math.floor(4.9 * 1024 ** 3);

export const MAX_OBJECT_BYTES = 5 * 1024 ** 4;

const MEBIBYTE = 1024 ** 2;

export const DEFAULT_PART_BYTES = 8 * MEBIBYTE;
export const DEFAULT_PART_THREADS = 4;

/**
 * The number of parts, at least one. All parts except the last have the same size, as R2 requires.
 *
 * @param {number} size bytes of an object
 * @param {number} partSize bytes
 */
export function partsOf(size, partSize) {
  return Math.max(Math.ceil(size / partSize), 1);
}

/**
 * @param {number} size bytes of an object
 * @param {number} partSize requested part size in bytes
 * @returns {number} part size in bytes: larger, in whole MiB, if the object would otherwise exceed 10,000 parts
 */
export function partSizeFor(size, partSize) {
  return partsOf(size, partSize) <= MAX_PARTS ? partSize : Math.ceil(size / MAX_PARTS / MEBIBYTE) * MEBIBYTE;
}

/**
 * @param {number} size bytes of an object
 * @param {MultipartConfig | undefined} multipart
 * @returns {multipart is MultipartConfig} whether the object is written in parts
 */
export function isInParts(size, multipart) {
  return multipart !== undefined && size >= multipart.minSize;
}

/**
 * @param {number} size bytes of the objects of a run
 * @param {MultipartConfig | undefined} multipart
 * @returns {MultipartConfig | undefined} writes smaller objects the same way; undefined if that is with a single PUT
 */
export function multipartAsFor(size, multipart) {
  return isInParts(size, multipart) ? { ...multipart, minSize: 0 } : undefined;
}

/**
 * @param {number} size bytes of an object
 * @param {MultipartConfig | undefined} multipart
 * @returns {number} requests that write the object, if none fails
 */
export function requestsToWrite(size, multipart) {
  return isInParts(size, multipart) ? partsOf(size, partSizeFor(size, multipart.partSize)) + 2 : 1;
}

/** One connection per thread and concurrent part. @param {{ threads: number, multipart?: MultipartConfig }} config */
export function connectionsFor({ threads, multipart }) {
  return threads * (multipart?.partThreads ?? 1);
}

/**
 * @typedef {object} UploadContext
 * @property {(step: RequestStep) => Promise<void>} send sends a request until it succeeds, or throws the error after
 *   which the retry policy gives up; one attempt sends exactly one request
 * @property {() => void} throwIfStopped throws an AttemptError if no more parts may be sent
 */

/**
 * A request of an operation that takes several, such as an upload, with the same retry policy as an operation. Each
 * connection reuses one instance for the whole stage.
 *
 * @implements {ObjectRequest}
 */
export class RequestStep {
  /** Copied from the upload's operation, see OperationRecord. */
  kind = 0;
  slot = 0;
  bucket = '';
  key = '';
  /** Bytes of the part; 0 if the step sends none. */
  size = 0;
  /** @type {ObjectRequest['body']} */
  body = null;
  /** No step receives an object. @type {ObjectRequest['sink']} */
  sink = { accept() {} };
  /** @type {ObjectRequest['input']} */
  input = undefined;
  /** @type {S3Call} */
  call = S3_CALLS.CreateMultipartUpload;
  /** Whether the object exists once this step succeeds. */
  completes = false;
  /** A cache does not prove that the object exists. */
  byApi = true;
  /** False, so retries need no pause: only the last step writes the key, and repeating it writes nothing. */
  isWrite = false;
  attempts = 0;
  outcomeUnknown = false;
  // Monotonic ms; see RetriedRequest.
  intendedAt = 0;
  startedAt = 0;
  attemptStartedAt = 0;
  finishedAt = 0;
  /** Throws if the response is incomplete. @type {(reply: Reply) => void} */
  #accept = () => {};

  /** @param {ObjectConnection} connection */
  constructor(connection) {
    this.connection = connection;
  }

  get isPart() {
    return this.call === S3_CALLS.UploadPart;
  }

  get isAbort() {
    return this.call === S3_CALLS.AbortMultipartUpload;
  }

  /**
   * @param {OperationRecord} record of the object
   * @param {S3Call} call
   * @param {object} [parts]
   * @param {ObjectRequest['input']} [parts.input]
   * @param {(reply: Reply) => void} [parts.accept]
   * @param {boolean} [parts.completes]
   */
  prepare({ kind, slot, bucket, key }, call, { input, accept = () => {}, completes = false } = {}) {
    Object.assign(this, { kind, slot, bucket, key, call, input, completes, size: 0, body: null });
    this.#accept = accept;
  }

  async attempt() {
    await this.connection.send(this.call, this);
    this.#accept(this.connection.reply);
  }
}

/**
 * Writes objects in parts: creates an upload, sends its parts over several connections, and completes it. The retry
 * policy applies to each request separately. An upload that is not completed is aborted.
 */
export class Uploader {
  #steps;
  #multipart;
  #context;
  // The fields below belong to the upload of the current object.
  /** @type {OperationRecord} */
  #record = /** @type {any} */ (null);
  #partSize = 0;
  #id = '';
  /** @type {{ PartNumber: number, ETag: string }[]} */
  #parts = [];
  #nextPart = 0;
  /** The first error of a part; no further part is sent after it. @type {unknown} */
  #failure = null;

  /**
   * @param {readonly ObjectConnection[]} connections of one thread; each sends one part at a time
   * @param {MultipartConfig} multipart
   * @param {UploadContext} context
   */
  constructor(connections, multipart, context) {
    this.#steps = connections.map((connection) => new RequestStep(connection));
    this.#multipart = multipart;
    this.#context = context;
  }

  /**
   * Writes the record's object, and sets the fields of the record that a meter reads.
   *
   * @param {OperationRecord} record
   * @param {number} now monotonic ms
   * @throws {AttemptError | IntegrityError} the error of the request that failed
   */
  async write(record, now) {
    record.startedAt = record.intendedAt || now;
    record.outcomeUnknown = false;
    record.attempts = 1;
    record.timeLost = now - record.startedAt;
    this.#record = record;
    this.#partSize = partSizeFor(record.size, this.#multipart.partSize);
    this.#parts = Array.from({ length: partsOf(record.size, this.#partSize) });
    this.#nextPart = 0;
    this.#failure = null;
    await this.#create();
    const mayHaveAnother = record.outcomeUnknown;
    try {
      await this.#sendParts();
      // Restore the flag: sending a part twice leaves nothing behind, unlike creating an upload twice.
      record.outcomeUnknown = mayHaveAnother;
      await this.#complete();
    } catch (error) {
      await this.#abort();
      throw error;
    }
  }

  async #create() {
    const [step] = this.#steps;
    const accept = (/** @type {Reply} */ { output }) => {
      if (typeof output.UploadId !== 'string' || output.UploadId === '') {
        throw unconfirmed('the response does not contain the upload ID');
      }
      this.#id = output.UploadId;
    };
    step.prepare(this.#record, S3_CALLS.CreateMultipartUpload, { accept });
    await this.#send(step);
  }

  /** @throws the first error of a part, once no other part is in flight */
  async #sendParts() {
    const atOnce = this.#steps.slice(0, this.#parts.length);
    await Promise.all(atOnce.map((step) => this.#sendPartsOver(step, atOnce.length)));
    if (this.#failure !== null) {
      throw this.#failure;
    }
  }

  /**
   * @param {RequestStep} step of a connection
   * @param {number} atOnce number of connections that send parts concurrently
   */
  async #sendPartsOver(step, atOnce) {
    while (this.#nextPart < this.#parts.length && this.#failure === null) {
      const partIndex = this.#nextPart;
      this.#nextPart += 1;
      try {
        this.#context.throwIfStopped();
        this.#preparePart(step, partIndex);
        await this.#send(step, atOnce);
      } catch (error) {
        this.#failure ??= error;
      }
    }
  }

  /**
   * @param {RequestStep} step
   * @param {number} partIndex from 0
   */
  #preparePart(step, partIndex) {
    const { index, size, workload } = this.#record;
    const position = partIndex * this.#partSize;
    const partSize = Math.min(this.#partSize, size - position);
    const input = { UploadId: this.#id, PartNumber: partIndex + 1 };
    const accept = (/** @type {Reply} */ { output: { ETag } }) => {
      if (typeof ETag !== 'string' || ETag === '') {
        throw unconfirmed('the response does not contain the ETag of the part');
      }
      this.#parts[partIndex] = { PartNumber: partIndex + 1, ETag };
    };
    step.prepare(this.#record, S3_CALLS.UploadPart, { input, accept });
    step.size = partSize;
    step.body = workload.payload.body(index, partSize, position);
  }

  async #complete() {
    const [step] = this.#steps;
    const { localIndex, workload } = this.#record;
    const input = { UploadId: this.#id, MultipartUpload: { Parts: this.#parts } };
    const accept = (/** @type {Reply} */ { etagDigest }) => {
      if (etagDigest === 0) {
        throw unconfirmed('the response does not confirm that the upload is complete');
      }
    };
    step.prepare(this.#record, S3_CALLS.CompleteMultipartUpload, { input, accept, completes: true });
    try {
      await this.#send(step);
    } catch (error) {
      // Either an earlier attempt, whose response was lost, completed the upload, or something else ended it.
      if (!(isKind(error, NO_UPLOAD) && step.attempts > 1)) {
        throw error;
      }
      await this.#settle(step, error);
    }
    workload.ledger.add(localIndex, step.connection.reply.etagDigest);
  }

  /**
   * Checks that the object exists, in case an earlier attempt completed it. Its size is proof enough, because no
   * other object ever had this key.
   *
   * @param {RequestStep} step
   * @param {AttemptError} error of the completion
   */
  async #settle(step, error) {
    const { size } = this.#record;
    const accept = (/** @type {Reply} */ { contentLength }) => {
      if (contentLength >= 0 && contentLength !== size) {
        throw new IntegrityError(
          this.#record,
          `the upload no longer exists, and the size of the object is ${contentLength} bytes, expected ${size}`,
        );
      }
    };
    step.prepare(this.#record, S3_CALLS.HeadObject, { accept, completes: true });
    try {
      await this.#send(step);
    } catch (headError) {
      throw isKind(headError, NOT_FOUND) ? error : headError;
    }
  }

  /** Tries to abort the upload. If that fails, clean-up finds and aborts it. */
  async #abort() {
    const [step] = this.#steps;
    step.prepare(this.#record, S3_CALLS.AbortMultipartUpload, { input: { UploadId: this.#id } });
    const { attempts, attemptStartedAt, finishedAt } = this.#record;
    try {
      await this.#send(step);
    } catch (error) {
      if (!(error instanceof AttemptError)) {
        throw error;
      }
      this.#record.outcomeUnknown ||= error.kind !== NO_UPLOAD;
    }
    // The failed request determines the outcome of the object; the abort does not.
    Object.assign(this.#record, { attempts, attemptStartedAt, finishedAt });
  }

  /**
   * @param {RequestStep} step
   * @param {number} [atOnce] number of steps that are sent concurrently
   */
  async #send(step, atOnce = 1) {
    const record = this.#record;
    try {
      await this.#context.send(step);
    } finally {
      const { attempts, startedAt, attemptStartedAt, finishedAt, outcomeUnknown } = step;
      Object.assign(record, { attempts, attemptStartedAt, finishedAt });
      record.outcomeUnknown ||= outcomeUnknown;
      record.timeLost += (attemptStartedAt - startedAt) / atOnce;
    }
  }
}
