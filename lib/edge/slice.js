import { OBJECT_CALL } from '../s3/s3-calls.js';

/**
 * @import { AttemptErrorDetails } from '../s3/s3-error.js'
 * @import { S3Call } from '../s3/s3-calls.js'
 * @import { VersionError } from '../operations/operation.js'
 * @import { OperationAmounts, LoadConfig, Shard, SizeDistribution } from '../model/config.js'
 */

// What the client sends to the Worker (edge/worker.js), and how it answers: both sides import this module.

/** Workers wait for no more answers at a time in an invocation, those of R2 among them. */
export const MAX_IN_FLIGHT = 6;

/**
 * Operations of a slice, each of which is one subrequest: the free plan allows 1,000 to Cloudflare's services in an invocation,
 * and one of them claims the slice.
 */
export const MAX_SLICE_OPERATIONS = 900;

/**
 * Objects of a slice, where its operations are about several each: each of them is named in the request, and its key is made
 * anew in the Worker.
 */
export const MAX_SLICE_OBJECTS = 50_000;

/** A slice begins no operation any more after so long: it is to be known soon what came of it. ms */
export const MAX_SLICE_MS = 2000;

/** The platform ends an invocation that has its time, and answers; what is left is for the way. ms */
export const WAY_MS = 5000;

/** Bytes that an object may have: six of them at a time fit into the 128 MB of an isolate, with the run's payload. */
export const MAX_OBJECT_BYTES = 8 * 2 ** 20;

/** The clock of a Worker goes on by whole milliseconds, and only while it waits for an answer. */
export const CLOCK_RESOLUTION_MS = 1;

/**
 * @param {Partial<Pick<LoadConfig, 'client' | 'through'>>} config
 * @returns {boolean} whether its stages are sent to the Worker in slices
 */
export function runsSlices({ client, through = false }) {
  return client === 'edge' && !through;
}

/**
 * A part of a stage, for one invocation of the Worker.
 *
 * @typedef {object} Slice
 * @property {string} claim key of the object that tells that the slice has begun: a second invocation finds it, and does nothing
 * @property {{ runId: string, prefix: string, buckets: readonly string[] }} layout of the keyspace
 * @property {Shard} shard
 * @property {string[]} operations the names of the kinds of its operations
 * @property {number[]} kinds of each operation, its place among them; empty where there is one kind
 * @property {number} size bytes of the largest object
 * @property {SizeDistribution} [sizes] absent where all objects are of one size
 * @property {OperationAmounts} amounts
 * @property {boolean} wroteObjects whether the run writes the objects, and so knows their ETags
 * @property {number} threads operations at a time
 * @property {number} lasts ms after which none is begun any more
 * @property {number} timeout ms for an operation
 * @property {number[]} locals local indices of the objects, one for each operation
 * @property {number[]} turns see OperationRecord, likewise
 * @property {number[]} digests of the ETags that the objects have, likewise; empty where nobody looks
 * @property {SlicedGroup[]} [groups] likewise, where each operation is about several objects
 * @property {number[]} [absent] local indices of those of the groups' objects that are not there, as far as the run knows
 * @property {SlicedVersions} [versions] where objects are written again
 *
 * @typedef {object} SlicedGroup see ObjectGroup
 * @property {number[]} locals
 * @property {boolean} isLast
 * @property {number} next
 *
 * @typedef {object} SlicedVersions
 * @property {number[]} states that the operations make, one for each; see OperationRecord
 * @property {number[][]} candidates likewise, versions that a body may be which does not tell its own; empty elsewhere
 */

/**
 * What came of an operation, by its place in the slice: when it was begun, when it had its answer, and when that began, in ms of
 * the Worker's clock since the slice began; the digest of the ETag in the answer, 0 where there was none; then, where objects
 * are written again, versions that all bytes of what was read fit, or none where there was no object; null where nothing that
 * could tell a version was read.
 *
 * @typedef {[place: number, begunAt: number, finishedAt: number, answeredAt: number, digest: number, fitting?: number[] | null]} SlicedSuccess
 *
 * @typedef {object} SlicedFailure
 * @property {number} place
 * @property {number} begunAt ms since the slice began
 * @property {number} finishedAt ms since the slice began
 * @property {AttemptErrorDetails | null} error null where the store answered with something else than what was written
 * @property {string} finding what that was
 * @property {VersionError | null} [versionError] where that is about versions of the object
 */

/**
 * What came of a slice. Operations that are in neither list were not begun.
 *
 * @typedef {object} SliceAnswer
 * @property {number} startedAt epoch ms of the Worker's clock
 * @property {number} endedAt epoch ms of the Worker's clock
 * @property {string} colo the data center that it ran in, such as `AMS`; '' where nobody says
 * @property {SlicedSuccess[]} successes
 * @property {SlicedFailure[]} failures
 */

/**
 * Asks the Worker to run a slice, which is the `Slice` of the call's input; its output is a {@link SliceAnswer}.
 *
 * @type {Readonly<S3Call>}
 */
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

/**
 * Claims a slice for nobody, so that it will not run: its input has an `IfNoneMatch`.
 *
 * @type {Readonly<S3Call>}
 */
export const CLAIM_SLICE = Object.freeze({
  ...OBJECT_CALL,
  name: 'PutObject',
  method: 'PUT',
  headerNames: { IfNoneMatch: 'if-none-match' },
  sendsObject: true,
});

/**
 * @param {string} document
 * @returns {Record<string, unknown>} the answer; nothing where it is none
 */
function readAnswer(document) {
  try {
    return Object(JSON.parse(document));
  } catch {
    return {};
  }
}

/**
 * @param {Readonly<Record<string, any>>} output of {@link RUN_SLICE}
 * @param {number} operations of the slice
 * @returns {SliceAnswer | null} null where it is none: each operation is there once, at most, at a time that can be
 */
export function sliceAnswerIn(output, operations) {
  const { startedAt, endedAt, colo, successes, failures } = output;
  if (!(startedAt <= endedAt) || typeof colo !== 'string' || !Array.isArray(successes) || !Array.isArray(failures)) {
    return null;
  }
  const seen = new Set();
  const isNew = (/** @type {number} */ place) =>
    Number.isInteger(place) && place >= 0 && place < operations && !seen.has(place) && seen.add(place) !== undefined;
  const isTimed = (/** @type {number} */ begunAt, /** @type {number} */ finishedAt) =>
    0 <= begunAt && begunAt <= finishedAt && finishedAt <= endedAt - startedAt;
  const isRight =
    successes.every((success) => {
      const [place, begunAt, finishedAt, answeredAt, digest, fitting = null] = Array.isArray(success) ? success : [];
      return (
        isNew(place) &&
        isTimed(begunAt, finishedAt) &&
        answeredAt <= finishedAt &&
        Number.isInteger(digest) &&
        (fitting === null || (Array.isArray(fitting) && fitting.every(Number.isInteger)))
      );
    }) &&
    failures.every((failure) => {
      const { place, begunAt, finishedAt, error, finding } = Object(failure);
      return (
        isNew(place) && isTimed(begunAt, finishedAt) && typeof (error === null ? finding : error?.message) === 'string'
      );
    });
  return isRight ? /** @type {SliceAnswer} */ (output) : null;
}
