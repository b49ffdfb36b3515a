import { BodyVerifier } from '../workload/body-verifier.js';
import { ListedVerifier } from '../workload/listed-verifier.js';
import { CarriedVersionVerifier, VersionVerifier } from '../workload/version-verifier.js';
import { globalIndex } from '../workload/shard.js';

/**
 * @import { ObjectConnection, ObjectRequest } from '../s3/object-store.js'
 * @import { ObjectGroup } from '../workload/object-groups.js'
 * @import { Operation, Workload } from './operation.js'
 */

const NO_OBJECTS = new Uint32Array(0);

/**
 * One thread's operation: it takes one object after the other. An operation sees an object in it, the retry policy a
 * request, and the client what to send, so that an operation costs no object of its own.
 *
 * @implements {ObjectRequest}
 */
export class OperationRecord {
  /** The index of the operation among the kinds of its stage. */
  kind = 0;
  /** Of the object among those of this host. */
  localIndex = 0;
  /** Of the object in the whole run. */
  index = 0;
  /** Of the bucket among those of the run. */
  slot = 0;
  bucket = '';
  key = '';
  /** Bytes of the object, or of the part of it that the operation takes. */
  size = 0;
  /** Local indices of all objects, where the operation is about several of them. @type {Uint32Array} */
  locals = NO_OBJECTS;
  /** Whether the bucket has no further objects after those; where it is not known, too, it is not so. */
  isLastOfBucket = false;
  /** Local index of the object of the bucket that comes after those; -1 where there is none, or it is not known. */
  nextLocal = -1;
  /** How often something was claimed before in the stage; the same for all attempts. */
  turn = 0;
  isWrite = false;
  /** Whether the stage has read the object before, where that is told apart. */
  isRepeated = false;
  /** Of an object that is written again, the state that the operation makes: see ObjectVersions. */
  state = 0;
  /** Whether the store has said that such a change was carried out. */
  isAcknowledged = false;
  /** The version that a cache served although it had been replaced; -1 where it did not. */
  oldVersion = -1;
  /** Made so far, the current one included. */
  attempts = 0;
  outcomeUnknown = false;
  /** Whether the bytes of an answer were checked by their number alone, because nothing else is known of them. */
  isSizeOnly = false;
  // Monotonic ms; see RetriedRequest.
  intendedAt = 0;
  startedAt = 0;
  attemptStartedAt = 0;
  finishedAt = 0;
  /** Of an object that is written in parts: when the upload began, in monotonic ms; see Uploader. */
  uploadedFrom = 0;
  /** Likewise: ms that were lost before the attempts that succeeded, and before the first of them. */
  timeLost = 0;
  /** That was sent last. @type {Buffer | Iterable<Buffer> | null} */
  body = null;
  /** Further members of the call's input. @type {ObjectRequest['input']} */
  input = undefined;

  /**
   * @param {Operation} operation the first one
   * @param {Workload} workload
   * @param {ObjectConnection} connection
   */
  constructor(operation, workload, connection) {
    this.operation = operation;
    this.workload = workload;
    this.connection = connection;
    /** Checks the body of an answer. @type {BodyVerifier | CarriedVersionVerifier | VersionVerifier} */
    this.sink = verifierFor(workload);
  }

  /**
   * @param {number} kind
   * @param {Operation} operation
   * @param {number} localIndex of an object among those of this host
   * @param {number} [turn] see above
   */
  take(kind, operation, localIndex, turn = 0) {
    const { keyspace, shard } = this.workload;
    this.kind = kind;
    this.operation = operation;
    this.isWrite = operation.writes;
    this.localIndex = localIndex;
    this.turn = turn;
    this.index = globalIndex(shard, localIndex);
    this.slot = keyspace.slotOf(this.index, keyspace.buckets.length);
    this.bucket = keyspace.buckets[this.slot];
    this.key = keyspace.keyOf(this.index);
    this.size = operation.bytesOf(this.workload, this.index);
    // What one kind of operation sends and finds is not to reach the next.
    this.input = undefined;
    this.isSizeOnly = false;
    if (operation.grouping !== undefined) {
      this.locals = Uint32Array.of(localIndex);
      this.isLastOfBucket = false;
      this.nextLocal = -1;
    }
  }

  /**
   * @param {number} kind
   * @param {Operation} operation on several objects
   * @param {ObjectGroup} group of at least one
   * @param {number} turn see above
   */
  takeGroup(kind, operation, { locals, isLast, next }, turn) {
    this.take(kind, operation, locals[0], turn);
    this.locals = locals;
    this.isLastOfBucket = isLast;
    this.nextLocal = next;
  }

  /** Bytes that count as throughput. */
  get movedBytes() {
    return this.operation.movesBytes ? this.size : 0;
  }

  attempt() {
    return this.operation.attempt(this);
  }
}

/** @param {Workload} workload */
function verifierFor({ payload, mixed, listed, wroteObjects }) {
  if (listed) {
    // Objects that are not the run's.
    return /** @type {any} */ (new ListedVerifier(listed));
  }
  if (mixed) {
    return new VersionVerifier(payload, mixed.versions);
  }
  return wroteObjects ? new BodyVerifier(payload) : new CarriedVersionVerifier(payload);
}
