import { BodyVerifier } from '../workload/body-verifier.js';
import { globalIndex } from '../workload/shard.js';

/**
 * @import { ObjectConnection } from '../s3/object-store.js'
 * @import { Operation as RetriedOperation } from '../s3/retry.js'
 * @import { Stage, StageOperation, Workload } from '../operations/operation.js'
 */

/**
 * One thread's work: it takes on one object after the other. It is what a stage sees of an object and what the retry
 * policy sees of an attempt, in one, so that an operation costs no object of its own.
 *
 * @implements {StageOperation}
 * @implements {RetriedOperation}
 */
export class Operation {
  #stage;
  place = 0;
  index = 0;
  bucket = '';
  key = '';
  attempts = 0;
  outcomeUnknown = false;
  intendedAt = 0;
  startedAt = 0;
  attemptStartedAt = 0;
  finishedAt = 0;

  /**
   * @param {Stage} stage
   * @param {Workload} workload
   * @param {ObjectConnection} connection
   * @param {number} size bytes of an object
   */
  constructor(stage, workload, connection, size) {
    this.#stage = stage;
    this.isWrite = stage.isWrite;
    this.workload = workload;
    this.connection = connection;
    this.verifier = new BodyVerifier(workload.payload);
    this.size = size;
  }

  /** @param {number} place of an object among those of this host */
  take(place) {
    const { keyspace, shard } = this.workload;
    this.place = place;
    this.index = globalIndex(shard, place);
    this.bucket = keyspace.bucketOf(this.index);
    this.key = keyspace.keyOf(this.index);
  }

  attempt() {
    return this.#stage.attempt(this);
  }
}
