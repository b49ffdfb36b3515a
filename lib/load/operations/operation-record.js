import { BodyVerifier, VersionVerifier } from '../workload/payload.js';
import { stateOf, versionOf } from '../workload/mixed-objects.js';
import { globalIndex } from '../workload/keyspace.js';

/**
 * @import { ObjectConnection, ObjectRequest } from '../../store/object-store.js'
 * @import { ObjectGroup } from '../workload/object-groups.js'
 * @import { Operation, Workload } from './operation.js'
 * @import { Race } from './race.js'
 */

const NO_OBJECTS = new Uint32Array(0);

/**
 * A thread's current operation. The thread reuses one record for all its operations, and the operation, the retry
 * policy and the client all work on this record, so that no operation has to allocate an object.
 *
 * @implements {ObjectRequest}
 */
export class OperationRecord {
  /** Index of the operation among the kinds of its stage. */
  kind = 0;
  /** Index of the object on this host. */
  localIndex = 0;
  /** Index of the object in the whole run. */
  index = 0;
  /** Index of the bucket in the run. */
  slot = 0;
  bucket = '';
  key = '';
  /** Bytes of the object, or of the part that the operation moves. */
  size = 0;
  /** Local indices of all objects if the operation works on several. @type {Uint32Array} */
  locals = NO_OBJECTS;
  /** Whether the bucket is known to have no objects after `locals`. */
  isLastOfBucket = false;
  /** Local index of the bucket's next object; -1 if there is none, or if unknown. */
  nextLocal = -1;
  /** Index of this operation among those claimed in the stage; the same for all its attempts. */
  turn = 0;
  isWrite = false;
  /** Whether the stage has read the object before, if first reads are counted separately. */
  isRepeated = false;
  /** State of a rewritten object that the operation brings about; see MixedObjects. */
  state = stateOf(0);
  /** Whether a cache served an outdated version. */
  isStale = false;
  /** Attempts so far, including the current one. */
  attempts = 0;
  outcomeUnknown = false;
  // Monotonic ms; see RetriedRequest.
  intendedAt = 0;
  startedAt = 0;
  attemptStartedAt = 0;
  finishedAt = 0;
  /** For multipart objects: ms by which the upload began late, plus ms before the last attempt of each request. */
  timeLost = 0;
  /** Runs the races of the thread, if its operations are races in a stage. @type {Race | null} */
  racer = null;
  /** Whether to use the S3 API even if the client has another way to read. */
  byApi = false;
  /** The body sent last. @type {Buffer | Iterable<Buffer> | null} */
  body = null;
  /** Additional members of the call's input. @type {ObjectRequest['input']} */
  input = undefined;
  #attempt;

  /**
   * @param {Operation} operation the first operation
   * @param {Workload} workload
   * @param {ObjectConnection} connection
   */
  constructor(operation, workload, connection) {
    this.operation = operation;
    this.workload = workload;
    this.connection = connection;
    /** Which attempt of an operation suits what is known about the objects. */
    this.#attempt = attemptFor(workload);
    /** Checks the body of a response. @type {BodyVerifier | BodyLength} */
    this.sink = verifierFor(workload);
  }

  /**
   * @param {number} kind
   * @param {Operation} operation
   * @param {number} localIndex of an object on this host
   * @param {number} [turn]
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
    // The input and results of one operation must not carry over to the next, which may be of another kind.
    this.input = undefined;
    this.isStale = false;
    if (operation.grouping !== undefined) {
      this.locals = Uint32Array.of(localIndex);
      this.isLastOfBucket = false;
      this.nextLocal = -1;
    }
  }

  /**
   * @param {number} kind
   * @param {Operation} operation on several objects
   * @param {ObjectGroup} group at least one object
   * @param {number} turn
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

  /** Bytes that the log shows: as in the original tool, Stat and Remove show the size of the object. */
  get objectBytes() {
    return this.operation.isDefaultStage ? this.size : this.movedBytes;
  }

  attempt() {
    return this.operation[this.#attempt](this);
  }

  /** After a success: objects that were read or listed exist. In a mix, they may have been rewritten meanwhile. */
  noteSuccess() {
    const { operation, localIndex, outcomeUnknown } = this;
    const { ledger, wroteObjects, mixed } = this.workload;
    if (operation.creates) {
      if (outcomeUnknown) {
        ledger.expectLate(localIndex);
      }
    } else if (operation.effect === 'reads' && wroteObjects && !mixed) {
      if (operation.grouping === undefined) {
        ledger.prove(localIndex);
      } else {
        this.locals.forEach((local) => ledger.prove(local));
      }
    }
  }

  /** After a failure: objects to be created or removed may exist or not, if a request got no clear answer. */
  noteFailure() {
    const { creates, copies: isCopy, removes, grouping } = this.operation;
    const { ledger, copies } = this.workload;
    if (!this.outcomeUnknown) {
      return;
    }
    if (isCopy && !copies?.has(this.localIndex)) {
      copies?.doubt(this.localIndex);
    }
    if (creates || removes) {
      const locals = grouping === undefined ? [this.localIndex] : this.locals;
      // An object that is overwritten exists in any case, and one that was removed by an earlier attempt does not.
      locals.forEach((local) => ledger.has(local) === removes && ledger.doubt(local));
    }
  }
}

/**
 * @param {Pick<Workload, 'listed' | 'mixed'>} workload
 * @returns {'attempt' | 'attemptExisting' | 'attemptOfVersion'}
 */
function attemptFor({ listed, mixed }) {
  return listed ? 'attemptExisting' : mixed ? 'attemptOfVersion' : 'attempt';
}

/** Counts the bytes of an existing object, whose content is unknown. */
class BodyLength {
  received = 0;

  /** @param {Buffer} chunk */
  accept(chunk) {
    this.received += chunk.length;
  }
}

/** @param {Workload} workload */
function verifierFor({ payload, mixed, listed, wroteObjects }) {
  if (listed) {
    return new BodyLength();
  }
  if (mixed) {
    return new VersionVerifier(payload, (localIndex) => versionOf(mixed.lastBegun(localIndex)));
  }
  return wroteObjects ? new BodyVerifier(payload) : new VersionVerifier(payload);
}
