import { Uploader, isInParts } from '../../load/operations/multipart.js';
import { IntegrityError } from '../../load/operations/operation.js';
import { S3_CALLS } from '../../store/object-store.js';
import { Pauses, Retrier, retriedRequest } from '../../store/retry.js';
import { AttemptError } from '../../store/s3-error.js';

/**
 * @import { MultipartConfig } from '../../result/config.js'
 * @import { OperationRecord } from '../../load/operations/operation-record.js'
 * @import { ObjectConnection } from '../../store/object-store.js'
 * @import { RetriedRequest } from '../../store/retry.js'
 * @import { S3Call } from '../../store/s3-calls.js'
 * @import { RunContext } from './run-context.js'
 */

/** Longest pause between two attempts, even if the store asks for more. */
const MAX_PAUSE_MS = 5000;

/**
 * @typedef {object} RequestContext how to send a request outside the stages
 * @property {Pick<RunContext, 'clock' | 'random' | 'notice' | 'controlOptions'>} run
 * @property {number} maxAttempts
 * @property {AbortSignal} signal aborts the work
 *
 * @typedef {object} Answer
 * @property {AttemptError | null} error of the last attempt; null if the request succeeded
 * @property {number} attempts
 * @property {boolean} isFirstTry whether no request was retried
 * @property {boolean} outcomeUnknown whether an attempt may have taken effect although no response confirmed it
 */

/**
 * Sends a request outside the stages, such as an operation on a probe. It is retried as in the stages, but with a
 * shorter total wait. A response with wrong content counts as a success here, because the stages report such content.
 *
 * @param {RequestContext} context
 * @param {RetriedRequest & { connection: ObjectConnection }} request
 * @returns {Promise<Answer>}
 * @throws any error other than AttemptError and IntegrityError
 */
export async function sendControlRequest({ run, maxAttempts, signal }, request) {
  const { connection } = request;
  const pauses = new ShortPauses(run.notice);
  const retrier = new Retrier({
    maxAttempts,
    now: run.clock.now,
    random: run.random,
    pauses,
    signal,
    hooks: {
      attemptFailed: (error) => pauses.attemptFailed(error),
      retrying() {},
    },
  });
  const giveUp = () => {
    pauses.endAll();
    if (connection.startedAt !== 0) {
      connection.abort(abandonedError(request.isWrite));
    }
  };
  signal.addEventListener('abort', giveUp);
  const error = await failureOf(retrier.run(request)).finally(() => signal.removeEventListener('abort', giveUp));
  const { attempts, outcomeUnknown } = request;
  return { error, attempts, isFirstTry: attempts === 1, outcomeUnknown };
}

/**
 * @param {Promise<unknown>} work
 * @returns {Promise<AttemptError | null>}
 */
async function failureOf(work) {
  try {
    await work;
    return null;
  } catch (error) {
    if (error instanceof AttemptError || error instanceof IntegrityError) {
      return error instanceof AttemptError ? error : null;
    }
    throw error;
  }
}

/**
 * Sends an operation like {@link sendControlRequest}. If it writes an object in parts, sends all its requests.
 *
 * @param {RequestContext} context
 * @param {OperationRecord} record
 * @param {MultipartConfig} [multipart]
 * @returns {Promise<Answer>} for all requests together
 */
export async function sendControlOperation(context, record, multipart) {
  if (!record.operation.canTakeParts || !isInParts(record.size, multipart)) {
    return sendControlRequest(context, record);
  }
  const { run, signal } = context;
  let attempts = 0;
  let isFirstTry = true;
  const uploader = new Uploader([record.connection], multipart, {
    async send(step) {
      const ofStep = await sendControlRequest(context, step);
      attempts += ofStep.attempts;
      isFirstTry &&= ofStep.isFirstTry;
      if (ofStep.error !== null) {
        throw ofStep.error;
      }
    },
    throwIfStopped() {
      if (signal.aborted) {
        throw abandonedError(true);
      }
    },
  });
  const error = await failureOf(uploader.write(record, run.clock.now()));
  return { error, attempts, isFirstTry, outcomeUnknown: record.outcomeUnknown };
}

/**
 * Requests an object that does not exist. A GET is the cheapest request with an error code (a HEAD response has none).
 *
 * @param {RequestContext & { run: Pick<RunContext, 'keyspace'> }} context
 * @param {ObjectConnection} connection
 * @param {string} bucket
 * @param {S3Call} [call]
 * @returns {Promise<Answer>} its error is null if the object exists after all
 */
export async function requestAbsentObject(context, connection, bucket, call = S3_CALLS.GetObject) {
  const absent = {
    bucket,
    key: context.run.keyspace.absentKey,
    size: 0,
    body: null,
    byApi: true,
    sink: { accept() {} },
  };
  const request = retriedRequest(() => connection.send(call, absent), connection);
  return sendControlRequest(context, request);
}

/** Shortens the pauses that the store asks for, and reports them: before the stages, nothing shows progress. */
class ShortPauses extends Pauses {
  #notice;
  /** @type {AttemptError | null} */
  #lastError = null;

  /** @param {(message: string) => void} notice */
  constructor(notice) {
    super();
    this.#notice = notice;
  }

  /** @param {AttemptError} error after which a pause may follow */
  attemptFailed(error) {
    this.#lastError = error;
  }

  /** @param {number} milliseconds */
  async wait(milliseconds) {
    const { status = 0, retryAfter = 0, message = '' } = this.#lastError ?? {};
    const pause = Math.min(milliseconds, MAX_PAUSE_MS);
    if (status > 0 && retryAfter > 0) {
      const [asked, taken] = [retryAfter, pause].map((each) => `${(each / 1000).toFixed(1)}s`);
      this.#notice(`The store asked for a pause of ${asked} (${message}): retrying in ${taken}`);
    }
    await super.wait(pause);
  }
}

/** @param {boolean} outcomeUnknown */
function abandonedError(outcomeUnknown) {
  return new AttemptError({ kind: 'abandoned', handling: 'retry', message: 'the run was stopped', outcomeUnknown });
}

/** The first read can fill the cache, and the second can hit it. */
const READS = 2;

/**
 * @typedef {object} PublicReads
 * @property {AttemptError | null} error why the public URL does not serve the object
 * @property {string} cache why reads do not measure a cache; '' if they do
 * @property {number} attempts
 */

/**
 * @param {RequestContext} context
 * @param {OperationRecord} record of a read
 */
export async function readByPublicUrl(context, record) {
  const { connection, bucket } = record;
  let attempts = 0;
  for (let read = 1; read <= READS; read++) {
    let isWrong = false;
    const attempt = async () => {
      try {
        await record.attempt();
      } catch (error) {
        if (!(error instanceof IntegrityError)) {
          throw error;
        }
        isWrong = true;
      }
    };
    const answer = await sendControlRequest(context, retriedRequest(attempt, connection));
    attempts += answer.attempts;
    if (answer.error !== null) {
      return { error: answer.error, cache: '', attempts };
    }
    if (isWrong) {
      return { error: otherContent(record), cache: '', attempts };
    }
  }
  const { cacheStatus = 'none', isCopy = false } = connection.reply;
  return { error: null, cache: isCopy ? '' : cacheNotice(bucket, cacheStatus), attempts };
}

/** @param {OperationRecord} record of a read that returned something other than its object */
function otherContent({ connection: { reply } }) {
  const isPage = reply.isPage === true;
  return new AttemptError({
    kind: 'protocol',
    handling: 'stop',
    message: `HTTP ${reply.status} with ${isPage ? 'an HTML page' : 'something else'} in place of the object`,
    status: reply.status,
    publicUrl: reply.publicUrl ?? 'that was given',
    advice: isPage
      ? "check that it is the bucket's address, and that no bot challenge or Access login blocks it"
      : "check that it is this bucket's address, and that nothing changes the content that it serves",
  });
}

/**
 * @param {string} bucket
 * @param {string} status of the second read
 */
function cacheNotice(bucket, status) {
  return status === 'none'
    ? `No response header of the public URL shows that a cache serves reads of ${bucket}: all of them may reach the store`
    : `The public URL does not cache objects of ${bucket} (a second read was ${status}): Cloudflare caches by file extension, unless a Cache Rule makes the keys eligible for cache`;
}
