import { Uploader, isInParts } from '../operations/multipart.js';
import { IntegrityError } from '../operations/operation.js';
import { S3_CALLS } from '../s3/object-store.js';
import { Pauses, Retrier, retriedRequest } from '../s3/retry.js';
import { AttemptError } from '../s3/s3-error.js';

/**
 * @import { MultipartConfig } from '../model/config.js'
 * @import { OperationRecord } from '../operations/operation-record.js'
 * @import { ObjectConnection } from '../s3/object-store.js'
 * @import { RetriedRequest } from '../s3/retry.js'
 * @import { RunContext } from './run-context.js'
 * @import { WaitBudget } from './wait-budget.js'
 */

/**
 * How a request is sent that belongs to no stage.
 *
 * @typedef {object} RequestContext
 * @property {Pick<RunContext, 'clock' | 'random' | 'waitBudget' | 'controlOptions'>} run
 * @property {number} maxAttempts
 * @property {AbortSignal} signal gives up
 *
 * @typedef {RetriedRequest & { connection: ObjectConnection }} ControlRequest
 */

/**
 * @typedef {object} Answer
 * @property {AttemptError | null} error that came back in the end, null where the request succeeded
 * @property {number} attempts
 * @property {boolean} isFirstTry whether nothing was tried again
 * @property {boolean} outcomeUnknown whether an attempt may have been carried out although no answer said so
 */

/**
 * Sends a request that belongs to no stage, such as an operation on a probe, under the same retry policy, but for the time
 * that a store may make it wait. An answer that is not what was written is an answer: the stages report what is wrong.
 *
 * @param {RequestContext} context
 * @param {ControlRequest} request
 * @returns {Promise<Answer>}
 * @throws what is neither AttemptError nor IntegrityError
 */
export async function sendControlRequest({ run, maxAttempts, signal }, request) {
  const { connection } = request;
  const pauses = new BoundedPauses(run.waitBudget);
  const retrier = new Retrier({
    maxAttempts,
    now: run.clock.now,
    random: run.random,
    pauses,
    signal: AbortSignal.any([signal, pauses.exhausted]),
    hooks: {
      attemptFailed(error, { attempts }) {
        run.controlOptions.region.correct(error, attempts);
        pauses.attemptFailed(error);
      },
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
  try {
    await retrier.run(request);
    return answer(request, null);
  } catch (error) {
    if (error instanceof AttemptError || error instanceof IntegrityError) {
      return answer(request, error instanceof AttemptError ? error : null);
    }
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/**
 * As {@link sendControlRequest}, of an operation: where its object is written in parts, all requests of the upload.
 *
 * @param {RequestContext} context
 * @param {OperationRecord} record
 * @param {MultipartConfig} [multipart]
 * @returns {Promise<Answer>} of all of them together
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
    mayGoOn() {
      if (signal.aborted) {
        throw abandonedError(true);
      }
    },
  });
  try {
    await uploader.write(record, run.clock.now());
    return { error: null, attempts, isFirstTry, outcomeUnknown: record.outcomeUnknown };
  } catch (error) {
    if (error instanceof AttemptError) {
      return { error, attempts, isFirstTry, outcomeUnknown: record.outcomeUnknown };
    }
    throw error;
  }
}

/**
 * Sends a GET for an object that does not exist: the cheapest request that a store answers in full. The answer to a HEAD carries no
 * error code.
 *
 * @param {RequestContext & { run: Pick<RunContext, 'keyspace'> }} context
 * @param {ObjectConnection} connection
 * @param {string} bucket
 * @returns {Promise<Answer>} its error is null where the object does exist
 */
export async function requestAbsentObject(context, connection, bucket) {
  const absent = {
    bucket,
    key: context.run.keyspace.absentKey,
    size: 0,
    body: null,
    byApi: true,
    sink: { accept() {} },
  };
  const request = retriedRequest(() => connection.send(S3_CALLS.GetObject, absent), connection);
  return sendControlRequest(context, request);
}

/** The pauses of one request. Those that the store asks for are taken from the time that all requests may wait together. */
class BoundedPauses extends Pauses {
  #budget;
  #exhausted = new AbortController();
  /** @type {AttemptError | null} */
  #lastError = null;

  /** @param {WaitBudget} budget */
  constructor(budget) {
    super();
    this.#budget = budget;
  }

  /** Aborted once there is no time left for a pause. */
  get exhausted() {
    return this.#exhausted.signal;
  }

  /** @param {AttemptError} error after which there may be a pause */
  attemptFailed(error) {
    this.#lastError = error;
  }

  /**
   * @param {number} milliseconds
   * @returns {Promise<void>}
   */
  async wait(milliseconds) {
    const error = this.#lastError;
    const isAskedFor = error !== null && error.status > 0 && error.retryAfter > 0;
    const pause = isAskedFor ? this.#budget.take(milliseconds, error) : milliseconds;
    if (pause === null) {
      this.#exhausted.abort();
    } else {
      await super.wait(pause);
    }
  }
}

/**
 * @param {RetriedRequest} request
 * @param {AttemptError | null} error
 * @returns {Answer}
 */
function answer({ attempts, outcomeUnknown }, error) {
  return { error, attempts, isFirstTry: attempts === 1, outcomeUnknown };
}

/** @param {boolean} outcomeUnknown */
function abandonedError(outcomeUnknown) {
  return new AttemptError({ kind: 'abandoned', handling: 'retry', message: 'the run was stopped', outcomeUnknown });
}
