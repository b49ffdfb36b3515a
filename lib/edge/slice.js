import { OBJECT_CALL } from '../s3/s3-calls.js';

/**
 * @import { AttemptErrorDetails } from '../s3/s3-error.js'
 * @import { S3Call } from '../s3/s3-calls.js'
 * @import { VersionError } from '../operations/operation.js'
 * @import { OperationAmounts, LoadConfig, Shard, SizeDistribution } from '../model/config.js'
 */

// The messages between the client and the Worker (edge/worker.js). Both import this module.

/** An invocation can wait for at most this many responses at a time, including R2's. */
export const MAX_IN_FLIGHT = 6;

/**
 * Operations per slice. Each operation is a subrequest, and so is the claim of the slice. The free plan allows 1,000
 * subrequests to Cloudflare's services per invocation.
 */
export const MAX_SLICE_OPERATIONS = 900;

/** Objects per slice if an operation covers several: the request lists each object, and the Worker computes its key. */
export const MAX_SLICE_OBJECTS = 50_000;

/** Ms after which a slice starts no further operation, so that its outcomes are known soon. */
export const MAX_SLICE_MS = 2000;

/** Ms for the platform to end an overdue invocation, and for the response to arrive. */
export const WAY_MS = 5000;

/** Small enough that six objects fit into the isolate's 128 MB, together with the run's payload. */
export const MAX_OBJECT_BYTES = 8 * 2 ** 20;

/** A Worker's clock advances in whole milliseconds, and only while it waits for a response. */
export const CLOCK_RESOLUTION_MS = 1;

/** Whether stages are sent to the Worker in slices. @param {Partial<Pick<LoadConfig, 'client' | 'through'>>} config */
export function runsSlices({ client, through = false }) {
  return client === 'edge' && !through;
}

/**
 * @typedef {object} Slice the part of a stage that one invocation of the Worker runs
 * @property {string} claim key of the object that marks the slice as begun: further invocations find it and do nothing
 * @property {{ runId: string, prefix: string, buckets: readonly string[] }} layout of the keyspace
 * @property {Shard} shard
 * @property {string[]} operations names of the kinds of operations
 * @property {number[]} kinds for each operation, the index of its kind; empty if there is only one kind
 * @property {number} size bytes of the largest object
 * @property {SizeDistribution} [sizes] absent if all objects have the same size
 * @property {OperationAmounts} amounts
 * @property {boolean} wroteObjects whether the run writes the objects, and therefore knows their ETags
 * @property {number} threads concurrent operations
 * @property {number} lasts ms after which no operation starts
 * @property {number} timeout ms per operation
 * @property {number[]} locals local index of each operation's object
 * @property {number[]} turns one per operation; see OperationRecord
 * @property {number[]} digests ETag digest of each operation's object; empty if ETags are not checked
 * @property {SlicedGroup[]} [groups] one per operation, if each covers several objects
 * @property {number[]} [absent] local indices of the groups' objects that do not exist, as far as the run knows
 * @property {SlicedVersions} [versions] if objects are rewritten
 *
 * @typedef {object} SlicedGroup see ObjectGroup
 * @property {number[]} locals
 * @property {boolean} isLast
 * @property {number} next
 *
 * @typedef {object} SlicedVersions
 * @property {number[]} states the state that each operation creates; see OperationRecord
 * @property {number[][]} candidates possible versions for each operation; empty if the body shows its version
 */

/**
 * The outcome of an operation: its index in the slice; when it began, when its response was complete, and when its
 * response began, in ms of the Worker's clock since the slice began; and the digest of the response's ETag, or 0. If
 * objects are rewritten, also the versions that match all bytes read: empty if there was no object, null if the read
 * shows no version.
 *
 * @typedef {[index: number, begunAt: number, finishedAt: number, answeredAt: number, digest: number,
 *   fitting?: number[] | null]} SlicedSuccess
 *
 * @typedef {object} SlicedFailure
 * @property {number} index
 * @property {number} begunAt ms since the slice began
 * @property {number} finishedAt ms since the slice began
 * @property {AttemptErrorDetails | null} error null if the store returned wrong data
 * @property {string} finding describes the wrong data
 * @property {VersionError | null} [versionError] if the finding is about versions of the object
 *
 * @typedef {object} SliceAnswer operations in neither list did not begin
 * @property {number} startedAt epoch ms of the Worker's clock
 * @property {number} endedAt epoch ms of the Worker's clock
 * @property {string} colo the data centre of the invocation, such as `AMS`; '' if unknown
 * @property {SlicedSuccess[]} successes
 * @property {SlicedFailure[]} failures
 */

/** Asks the Worker to run a slice: input `{ Slice }`, output {@link SliceAnswer}. @type {Readonly<S3Call>} */
export const RUN_SLICE = Object.freeze({
  ...OBJECT_CALL,
  name: 'RunSlice',
  method: 'POST',
  hasKey: false,
  query: { slice: '' },
  writeInput: ({ Slice }) => JSON.stringify(Slice),
  signsDocument: true,
  readOutput: readAnswer,
});

/** Claims a slice so that it can never run. The input contains `IfNoneMatch`. @type {Readonly<S3Call>} */
export const CLAIM_SLICE = Object.freeze({
  ...OBJECT_CALL,
  name: 'PutObject',
  method: 'PUT',
  headerNames: { IfNoneMatch: 'if-none-match' },
  sendsObject: true,
});

/** Returns the response; empty if it is invalid. @param {string} document */
function readAnswer(document) {
  try {
    return Object(JSON.parse(document));
  } catch {
    return {};
  }
}

/**
 * @param {Readonly<Record<string, any>>} output of {@link RUN_SLICE}
 * @param {number} operations number in the slice
 * @returns {SliceAnswer | null} null if invalid: each operation must occur at most once, at a possible time
 */
export function sliceAnswerIn(output, operations) {
  const { startedAt, endedAt, colo, successes, failures } = output;
  if (!(startedAt <= endedAt) || typeof colo !== 'string' || !Array.isArray(successes) || !Array.isArray(failures)) {
    return null;
  }
  const seen = new Set();
  const isNew = (/** @type {number} */ index) =>
    Number.isInteger(index) && index >= 0 && index < operations && !seen.has(index) && seen.add(index) !== undefined;
  const isTimed = (/** @type {number} */ begunAt, /** @type {number} */ finishedAt) =>
    0 <= begunAt && begunAt <= finishedAt && finishedAt <= endedAt - startedAt;
  const isRight =
    successes.every((success) => {
      const [index, begunAt, finishedAt, answeredAt, digest, fitting = null] = Array.isArray(success) ? success : [];
      return (
        isNew(index) &&
        isTimed(begunAt, finishedAt) &&
        answeredAt <= finishedAt &&
        Number.isInteger(digest) &&
        (fitting === null || (Array.isArray(fitting) && fitting.every(Number.isInteger)))
      );
    }) &&
    failures.every((failure) => {
      const { index, begunAt, finishedAt, error, finding } = Object(failure);
      return (
        isNew(index) && isTimed(begunAt, finishedAt) && typeof (error === null ? finding : error?.message) === 'string'
      );
    });
  return isRight ? /** @type {SliceAnswer} */ (output) : null;
}
