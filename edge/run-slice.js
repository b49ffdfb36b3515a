import { CLOCK_RESOLUTION_MS, MAX_IN_FLIGHT, MAX_OBJECT_BYTES, SLICED_OPERATIONS } from '../lib/edge/slice.js';
import { MAX_SLICE_MS, MAX_SLICE_OPERATIONS } from '../lib/edge/slice.js';
import { IntegrityError } from '../lib/operations/operation.js';
import { OperationRecord } from '../lib/operations/operation-record.js';
import { operationNamed } from '../lib/operations/registry.js';
import { AttemptError, detailsOf, timeoutError } from '../lib/s3/s3-error.js';
import { Keyspace, isPrefix, isRunId } from '../lib/workload/keyspace.js';
import { Payload } from '../lib/workload/payload.js';
import { objectSizes } from '../lib/workload/sizes.js';
import { BindingConnection } from './binding-connection.js';
import { Refusal } from './signature.js';

/**
 * @import { Slice, SliceAnswer, SlicedFailure, SlicedSuccess } from '../lib/edge/slice.js'
 * @import { Workload } from '../lib/operations/operation.js'
 */

/** Of the last run: its bytes are made once in an isolate. @type {{ runId: string, payload: Payload } | null} */
let known = null;

/**
 * Runs a slice that nobody has run before. The operations are those of the client, verification included; only what sends
 * their calls is another.
 *
 * @param {Slice} slice
 * @param {object} context
 * @param {(name: string) => R2Bucket} context.bucketNamed
 * @param {string} context.bucket in which the slice is claimed
 * @param {string} context.colo
 * @returns {Promise<SliceAnswer>}
 * @throws {Refusal}
 */
export async function runSlice(slice, { bucketNamed, bucket, colo }) {
  checkSlice(slice);
  const { layout, locals, turns, digests, threads, lasts, timeout } = slice;
  // Isolates share no memory: the bucket alone can tell who was first.
  const claim = await bucketNamed(bucket).put(slice.claim, '', { onlyIf: { etagDoesNotMatch: '*' } });
  if (claim === null) {
    throw new Refusal('AccessDenied', 'The slice was run before.');
  }
  const operation = operationNamed(slice.operation);
  const written = new SliceObjects(locals, digests);
  const workload = workloadOf(slice, written);
  workload.payload.prepare(locals[0] * slice.shard.count + slice.shard.index);
  layout.buckets.forEach(bucketNamed);
  const startedAt = Date.now();
  /** @type {SlicedSuccess[]} */
  const successes = [];
  /** @type {SlicedFailure[]} */
  const failures = [];
  let next = 0;
  const work = async () => {
    let record = newRecord();
    while (next < locals.length && Date.now() - startedAt < lasts) {
      const place = next++;
      record.take(0, operation, locals[place], turns[place]);
      record.attempts = 1;
      const { connection } = record;
      connection.answeredAt = 0;
      const begunAt = Date.now() - startedAt;
      try {
        await within(timeout, record.attempt());
        const finishedAt = Date.now() - startedAt;
        const answeredAt = operation.receives ? connection.answeredAt - startedAt : finishedAt;
        successes.push([place, begunAt, finishedAt, answeredAt, written.takeDigest(locals[place])]);
      } catch (error) {
        failures.push({ place, begunAt, finishedAt: Date.now() - startedAt, ...failureOf(error) });
        // An attempt whose time is over goes on, and may still touch its record.
        record = newRecord();
      }
    }
  };
  const newRecord = () => new OperationRecord(operation, workload, new BindingConnection(bucketNamed, Date.now));
  await Promise.all(Array.from({ length: threads }, work));
  return { startedAt, endedAt: Date.now(), colo, successes, failures };
}

/**
 * @param {unknown} error of an attempt
 * @returns {Pick<SlicedFailure, 'error' | 'finding'>}
 * @throws what is neither AttemptError nor IntegrityError
 */
function failureOf(error) {
  if (error instanceof AttemptError) {
    return { error: detailsOf(error), finding: '' };
  }
  if (error instanceof IntegrityError) {
    return { error: null, finding: error.finding };
  }
  throw error;
}

/**
 * A call of a binding cannot be aborted: it goes on, but nobody waits for it.
 *
 * @param {number} timeout ms
 * @param {Promise<void>} attempt
 */
async function within(timeout, attempt) {
  let timer;
  const over = new Promise((_, reject) => {
    timer = setTimeout(() => reject(timeoutError(timeout)), timeout);
  });
  attempt.catch(() => {});
  try {
    await Promise.race([attempt, over]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * What the client knows of the objects of a slice, in the place of WrittenObjects.
 */
class SliceObjects {
  #digests;

  /**
   * @param {readonly number[]} locals
   * @param {readonly number[]} digests
   */
  constructor(locals, digests) {
    this.#digests = new Map(digests.map((digest, place) => [locals[place], digest]));
  }

  /** @param {number} local */
  digestOf(local) {
    return this.#digests.get(local) ?? 0;
  }

  /**
   * @param {number} local
   * @param {number} digest
   */
  add(local, digest) {
    this.#digests.set(local, digest);
  }

  /** @param {number} local */
  delete(local) {
    this.#digests.delete(local);
  }

  /** @param {number} local */
  takeDigest(local) {
    return this.digestOf(local);
  }
}

/**
 * @param {Slice} slice
 * @param {SliceObjects} written
 * @returns {Workload}
 */
function workloadOf({ layout, shard, size, sizes, amounts, wroteObjects }, written) {
  const { runId } = layout;
  if (known?.runId !== runId) {
    known = { runId, payload: new Payload(runId) };
  }
  return {
    keyspace: new Keyspace(layout),
    sizeOf: objectSizes({ runId, size, sizes }),
    payload: known.payload,
    written: /** @type {any} */ (written),
    shard,
    amounts,
    wroteObjects,
  };
}

/**
 * Whoever signs knows what they do; a slice that is too large would be ended by the platform half way, though.
 *
 * @param {Slice} slice
 * @throws {Refusal}
 */
function checkSlice(slice) {
  const { claim, layout, operation, size, threads, lasts, timeout, locals, turns } = slice;
  const isWhole = (/** @type {unknown} */ value) => Number.isSafeInteger(value) && Number(value) >= 0;
  const fits =
    isRunId(layout?.runId) &&
    isPrefix(layout.prefix) &&
    new Keyspace(layout).recogniseName(claim)?.isProbe === true &&
    SLICED_OPERATIONS.includes(operation) &&
    isWhole(size) &&
    size <= MAX_OBJECT_BYTES &&
    isWhole(threads) &&
    threads >= 1 &&
    threads <= MAX_IN_FLIGHT &&
    lasts >= CLOCK_RESOLUTION_MS &&
    lasts <= MAX_SLICE_MS &&
    timeout >= CLOCK_RESOLUTION_MS &&
    Array.isArray(locals) &&
    locals.length >= 1 &&
    locals.length <= MAX_SLICE_OPERATIONS &&
    turns?.length === locals.length &&
    locals.every(isWhole) &&
    turns.every(isWhole);
  if (!fits) {
    throw new Refusal('AccessDenied', 'The slice is none that this Worker runs: are client and Worker of one version?');
  }
}
