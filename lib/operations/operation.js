/**
 * @import { StageName } from '../log/log-line.js'
 * @import { ObjectConnection } from '../s3/object-store.js'
 * @import { BodyVerifier } from '../workload/body-verifier.js'
 * @import { Keyspace } from '../workload/keyspace.js'
 * @import { Payload } from '../workload/payload.js'
 * @import { Shard } from '../workload/shard.js'
 * @import { WrittenObjects } from '../workload/written-objects.js'
 */

/**
 * What a stage works on: the same for all threads of a core.
 *
 * @typedef {object} Workload
 * @property {Keyspace} keyspace
 * @property {Payload} payload
 * @property {WrittenObjects} written
 * @property {Shard} shard this host's share of the objects
 * @property {boolean} wroteObjects whether this run writes the objects, and so knows which are there, and their ETags
 */

/**
 * One object under a stage, on one thread's connection. A thread has one that serves it for the whole stage.
 *
 * @typedef {object} StageOperation
 * @property {number} place of the object among those of this host
 * @property {number} index of the object in the whole run
 * @property {string} bucket
 * @property {string} key
 * @property {number} size bytes
 * @property {number} attempts made so far, the current one included
 * @property {ObjectConnection} connection
 * @property {BodyVerifier} verifier
 * @property {Workload} workload
 */

/**
 * @typedef {object} Stage
 * @property {StageName} name as the log has it
 * @property {boolean} isRead whether an answer has a body, so that its first byte comes before its end
 * @property {boolean} isWrite whether an attempt without an answer may have left an object behind
 * @property {boolean} removes whether an object is gone afterwards
 * @property {boolean} needsObject whether there is nothing to do for an object that Write did not write
 * @property {(operation: StageOperation) => Promise<void>} attempt one attempt, verification included. Throws an
 *   AttemptError, or an IntegrityError for an answer that is not what was written
 */

/** The store answered with something else than what was written: never a success, and never tried again. */
export class IntegrityError extends Error {
  /**
   * @param {StageOperation} operation
   * @param {string} finding
   */
  constructor({ bucket, key }, finding) {
    super(`${bucket}/${key}: ${finding}`);
    this.name = 'IntegrityError';
  }
}

/**
 * @param {Workload} workload
 * @returns {string} why an object may be of another size than expected, where this run did not write it
 */
export function otherSizeHint({ wroteObjects }) {
  return wroteObjects ? '' : '; was the run written with another --size?';
}
