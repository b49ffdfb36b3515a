import { CLOCK_RESOLUTION_MS, MAX_IN_FLIGHT, MAX_OBJECT_BYTES } from '../lib/edge/slice.js';
import { MAX_SLICE_MS, MAX_SLICE_OBJECTS, MAX_SLICE_OPERATIONS } from '../lib/edge/slice.js';
import { IntegrityError } from '../lib/operations/operation.js';
import { OperationRecord } from '../lib/operations/operation-record.js';
import { OPERATIONS, operationNamed } from '../lib/operations/registry.js';
import { kindsOfVersions } from '../lib/operations/stage.js';
import { AttemptError, detailsOf, timeoutError } from '../lib/s3/s3-error.js';
import { Keyspace, isPrefix, isRunId } from '../lib/workload/keyspace.js';
import { Payload } from '../lib/workload/payload.js';
import { objectSizes } from '../lib/workload/sizes.js';
import { BindingConnection } from './binding-connection.js';
import { SeenVersions } from './seen-versions.js';
import { Refusal } from './signature.js';

/**
 * @import { Slice, SliceAnswer, SlicedFailure, SlicedSuccess } from '../lib/edge/slice.js'
 * @import { Operation, Workload } from '../lib/operations/operation.js'
 */

const MAX_KEYS = 1000;

const SLICED_OPERATIONS = OPERATIONS.filter(({ copies }) => !copies).map(({ name }) => name);

/** The last run's payload, kept for the isolate's next slice. @type {{ runId: string, payload: Payload } | null} */
let known = null;

/**
 * Runs a slice that has not run before. It uses the client's own operations, including verification, and only sends their
 * calls to a binding instead.
 *
 * @param {Slice} slice
 * @param {object} context
 * @param {(name: string) => R2Bucket} context.bucketNamed
 * @param {string} context.bucket contains the slice's claim
 * @param {string} context.colo
 * @returns {Promise<SliceAnswer>}
 * @throws {Refusal}
 */
export async function runSlice(slice, { bucketNamed, bucket, colo }) {
  checkSlice(slice);
  const { layout, locals, threads, lasts, timeout } = slice;
  // Isolates share no memory, so only the bucket can decide which invocation was first.
  const claim = await bucketNamed(bucket).put(slice.claim, '', { onlyIf: { etagDoesNotMatch: '*' } });
  if (claim === null) {
    throw new Refusal('AccessDenied', 'The slice has already run.');
  }
  const operations = operationsOf(slice);
  const workload = workloadOf(slice);
  workload.payload.prepare(locals[0] * slice.shard.count + slice.shard.index);
  layout.buckets.forEach(bucketNamed);
  const startedAt = Date.now();
  /** @type {SlicedSuccess[]} */
  const successes = [];
  /** @type {SlicedFailure[]} */
  const failures = [];
  let next = 0;
  const work = async () => {
    let { record, seen } = newRecord();
    // Runs at least one operation: the client treats a response without outcomes as an error.
    while (next < locals.length && (next === 0 || Date.now() - startedAt < lasts)) {
      const index = next++;
      take(record, slice, index, operations);
      seen?.begin(slice.versions?.candidates[index] ?? []);
      const { connection, operation } = record;
      connection.answeredAt = 0;
      const begunAt = Date.now() - startedAt;
      try {
        await within(timeout, record.attempt());
        const finishedAt = Date.now() - startedAt;
        const hasBody = operation.receives && connection.answeredAt > 0;
        const answeredAt = hasBody ? connection.answeredAt - startedAt : finishedAt;
        /** @type {SlicedSuccess} */
        const success = [index, begunAt, finishedAt, answeredAt, connection.reply.etagDigest];
        successes.push(success);
        if (seen !== null) {
          success.push(seen.fitting);
        }
      } catch (error) {
        failures.push({ index, begunAt, finishedAt: Date.now() - startedAt, ...failureOf(error) });
        // A timed-out attempt continues and may still touch its record.
        ({ record, seen } = newRecord());
      }
    }
  };
  const newRecord = () => {
    const seen = slice.versions === undefined ? null : new SeenVersions(startedAt);
    const mixed = /** @type {Workload['mixed']} */ (/** @type {unknown} */ (seen));
    const connection = new BindingConnection(bucketNamed, Date.now);
    return { seen, record: new OperationRecord(operations[0], { ...workload, mixed }, connection) };
  };
  await Promise.all(Array.from({ length: threads }, work));
  return { startedAt, endedAt: Date.now(), colo, successes, failures };
}

/**
 * @param {Slice} slice
 * @returns {Operation[]} by kind
 */
function operationsOf({ operations, versions }) {
  const kinds = operations.map((name) => ({ operation: operationNamed(name), weight: 1 }));
  return (versions === undefined ? kinds : kindsOfVersions(kinds)).map(({ operation }) => operation);
}

/**
 * @param {OperationRecord} record
 * @param {Slice} slice
 * @param {number} index of the operation in it
 * @param {readonly Operation[]} operations by kind
 */
function take(record, { kinds, locals, turns, groups, versions }, index, operations) {
  const kind = kinds[index] ?? 0;
  if (groups === undefined) {
    record.take(kind, operations[kind], locals[index], turns[index]);
  } else {
    const group = { ...groups[index], locals: Uint32Array.from(groups[index].locals), slot: 0 };
    record.takeGroup(kind, operations[kind], group, turns[index]);
  }
  record.attempts = 1;
  record.state = versions?.states[index] ?? 0;
}

/**
 * @param {unknown} error of an attempt
 * @returns {Pick<SlicedFailure, 'error' | 'finding' | 'versionError'>}
 * @throws anything that is neither an AttemptError nor an IntegrityError
 */
function failureOf(error) {
  if (error instanceof AttemptError) {
    return { error: detailsOf(error), finding: '' };
  }
  if (error instanceof IntegrityError) {
    return { error: null, finding: error.finding, versionError: error.versionError };
  }
  throw error;
}

/**
 * A binding's call cannot be aborted. After the timeout, it continues, but nothing waits for it.
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

/** Replaces WrittenObjects: the client's knowledge about the slice's objects. */
class SliceObjects {
  #digests;
  #absent;

  /** @param {Pick<Slice, 'locals' | 'digests' | 'absent'>} slice */
  constructor({ locals, digests, absent }) {
    this.#digests = new Map(digests.map((digest, index) => [locals[index], digest]));
    this.#absent = new Set(absent);
  }

  /** @param {number} local */
  has(local) {
    return !this.#absent.has(local);
  }

  /** @param {number} local */
  digestOf(local) {
    return this.#digests.get(local) ?? 0;
  }

  // The client records writes and removals when it receives the response.
  add() {}
  delete() {}
}

/**
 * @param {Slice} slice
 * @returns {Workload}
 */
function workloadOf(slice) {
  const { layout, shard, size, sizes, amounts, wroteObjects } = slice;
  const { runId } = layout;
  if (known?.runId !== runId) {
    known = { runId, payload: new Payload(runId) };
  }
  return {
    keyspace: new Keyspace(layout),
    sizeOf: objectSizes({ runId, size, sizes }),
    payload: known.payload,
    written: /** @type {any} */ (new SliceObjects(slice)),
    shard,
    amounts,
    wroteObjects,
  };
}

/**
 * The signer is trusted, but the platform would end a slice that is too large halfway.
 *
 * @param {Slice} slice
 * @throws {Refusal}
 */
function checkSlice(slice) {
  const { claim, layout, operations, kinds, size, threads, lasts, timeout, locals, turns, groups, versions } = slice;
  const isWhole = (/** @type {unknown} */ value) => Number.isSafeInteger(value) && Number(value) >= 0;
  const fits =
    isPrefix(layout?.prefix ?? '') &&
    isRunId(layout.runId) &&
    new Keyspace(layout).recogniseName(claim)?.isProbe === true &&
    operations?.length >= 1 &&
    operations.every((name) => SLICED_OPERATIONS.includes(name)) &&
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
    turns.every(isWhole) &&
    (operations.length === 1 ? kinds?.length === 0 : kinds?.length === locals.length) &&
    kinds.every((kind) => isWhole(kind) && kind < operations.length) &&
    (groups === undefined || areGroups(groups, locals)) &&
    (versions === undefined ||
      (versions.states?.length === locals.length &&
        versions.states.every(isWhole) &&
        versions.candidates?.length === locals.length &&
        versions.candidates.every(Array.isArray)));
  if (!fits) {
    throw new Refusal(
      'AccessDenied',
      'This Worker cannot run the slice: check that client and Worker have the same version',
    );
  }
}

/**
 * @param {NonNullable<Slice['groups']>} groups
 * @param {readonly number[]} locals the first object of each
 */
function areGroups(groups, locals) {
  return (
    groups.length === locals.length &&
    groups.every(
      (group, index) => group.locals?.[0] === locals[index] && group.locals.length <= MAX_KEYS && 'next' in group,
    ) &&
    groups.reduce((sum, group) => sum + group.locals.length, 0) <= MAX_SLICE_OBJECTS
  );
}
