import { Uploader, isInParts } from '../../load/operations/multipart.js';
import { IntegrityError } from '../../load/operations/operation.js';
import { S3_CALLS } from '../../store/object-store.js';
import { Pauses, Retrier, retriedRequest } from '../../store/retry.js';
import { AttemptError, asAttemptError } from '../../store/s3-error.js';

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
 * @property {Pick<RunContext, 'clock' | 'random'>} run
 * @property {number} maxAttempts
 * @property {AbortSignal} signal aborts the work
 *
 * @typedef {object} Answer
 * @property {AttemptError | null} error of the last attempt; null if the request succeeded
 * @property {IntegrityError | null} mismatch what is wrong with the content of a response that counts as a success
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
  const pauses = new ShortPauses();
  const retrier = new Retrier({ maxAttempts, now: run.clock.now, random: run.random, pauses, signal });
  const giveUp = () => {
    pauses.endAll();
    if (connection.startedAt !== 0) {
      connection.abort(abandonedError(request.isWrite));
    }
  };
  signal.addEventListener('abort', giveUp);
  const failure = await failureOf(retrier.run(request)).finally(() => signal.removeEventListener('abort', giveUp));
  const { attempts, outcomeUnknown } = request;
  return { ...failure, attempts, isFirstTry: attempts === 1, outcomeUnknown };
}

/**
 * @param {Promise<unknown>} work
 * @returns {Promise<Pick<Answer, 'error' | 'mismatch'>>}
 */
async function failureOf(work) {
  try {
    await work;
    return { error: null, mismatch: null };
  } catch (error) {
    if (error instanceof IntegrityError) {
      return { error: null, mismatch: error };
    }
    return { error: asAttemptError(error), mismatch: null };
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
  const failure = await failureOf(uploader.write(record, run.clock.now()));
  return { ...failure, attempts, isFirstTry, outcomeUnknown: record.outcomeUnknown };
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

/** Shortens the pauses that the store asks for: before the stages, nothing shows progress. */
class ShortPauses extends Pauses {
  /** @param {number} milliseconds */
  wait(milliseconds) {
    return super.wait(Math.min(milliseconds, MAX_PAUSE_MS));
  }
}

/** @param {boolean} outcomeUnknown */
function abandonedError(outcomeUnknown) {
  return new AttemptError({ kind: 'abandoned', handling: 'retry', message: 'the run was stopped', outcomeUnknown });
}

/**
 * Returns why the public URL does not serve an object.
 *
 * @param {OperationRecord} record of a read that returned something else
 */
export function otherContent({ connection: { reply } }) {
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
