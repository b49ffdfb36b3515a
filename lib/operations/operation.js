import { plainLine } from '../text/plain-text.js';
import { redact } from '../text/redact.js';

/**
 * @import { S3Call } from '../s3/s3-calls.js'
 * @import { Places } from '../workload/keyspace.js'
 * @import { Payload } from '../workload/payload.js'
 * @import { PayloadChecksums } from '../workload/payload-checksums.js'
 * @import { OperationAmounts, Shard } from '../model/config.js'
 * @import { ListedObjects } from '../workload/listed-objects.js'
 * @import { MixedObjects } from '../workload/mixed-objects.js'
 * @import { WrittenObjects } from '../workload/written-objects.js'
 * @import { OperationRecord } from './operation-record.js'
 */

/**
 * What operations work on: the same for all threads of a worker.
 *
 * @typedef {object} Workload
 * @property {Places} keyspace
 * @property {(index: number) => number} sizeOf bytes of an object, by its index: the same on any host
 * @property {Payload} payload
 * @property {WrittenObjects} written
 * @property {Shard} shard this host's share of the objects
 * @property {OperationAmounts} amounts
 * @property {ListedObjects | null} [listed] objects that were there before, where the run works on them: they are its keyspace
 * @property {PayloadChecksums} [checksums] that objects are written with; absent where there are none
 * @property {boolean} wroteObjects whether this run writes the objects, and so knows which are there, and their ETags
 * @property {MixedObjects | null} [mixed] of a run that writes its objects several times
 */

/**
 * What an operation is: everything that the rest of the program has to know of it.
 *
 * @typedef {object} OperationDefinition
 * @property {string} name in lower case, as in --stages; the log has it with a capital
 * @property {S3Call} call that it makes
 * @property {'creates' | 'copies' | 'reads' | 'removes'} effect on objects
 * @property {boolean} needsObject whether there is nothing to do where this run did not write the object
 * @property {'sends' | 'receives' | 'none'} transfer what becomes of the object's bytes
 * @property {keyof OperationAmounts} [part] which amount is the size of the part of an object that it moves, in bytes; absent
 *   where it moves the whole
 * @property {boolean} [canTakeParts] whether an object may be sent in parts, as an Uploader does it
 * @property {Grouping} [grouping] where one operation is about several objects of a bucket
 * @property {'A' | 'B' | 'free'} billingClass of R2
 * @property {boolean} isDefaultStage whether it is a stage of a run without --stages
 * @property {Preflight} preflight
 * @property {Readonly<Partial<Record<Refusal, string>>>} [refuses] what it cannot be combined with, and why not, for the user
 * @property {string} [limitWithoutWrites] what it cannot check of objects that another run wrote, for the user
 * @property {(record: OperationRecord) => Promise<void>} attempt one attempt, verification included. Throws an
 *   AttemptError, or an IntegrityError for an answer that is not what was written
 * @property {(record: OperationRecord) => Promise<void>} [attemptExisting] likewise on an object that was there before the run,
 *   of which it knows what a list has said; absent where the operation does not go with such
 * @property {(record: OperationRecord) => Promise<void>} [attemptOfVersion] likewise, at an object that is written again and
 *   removed while others read it; absent where it cannot be mixed, which `refuses` explains
 */

/**
 * @typedef {object} Grouping
 * @property {keyof OperationAmounts} size which amount is the number of objects of an operation, at most
 * @property {boolean} isByKey whether they follow each other in the order of their keys; in that of their indices otherwise
 *
 * @typedef {'keptObjects' | 'shards' | 'findPeak' | 'peakOfBuckets' | 'ramp' | 'turnsThatLeave' | 'multipart' | 'mix'} Refusal
 */

/**
 * How preflight tries an operation: by as many attempts, on an object that is no larger than that.
 *
 * @typedef {{ maxAttempts: number, maxObjectBytes: number }} Preflight
 */

/**
 * What follows from the definition.
 *
 * @typedef {object} OperationProperties
 * @property {string} logName
 * @property {boolean} creates whether an object is there afterwards, and an attempt without an answer may have left one
 * @property {boolean} copies whether a further object of the run is there afterwards, likewise
 * @property {boolean} writes whether it does either: no key is to be written twice within a second
 * @property {boolean} removes whether an object is gone afterwards
 * @property {boolean} receives whether an answer has the object for its body, so that its first byte comes before its end
 * @property {boolean} movesBytes
 * @property {keyof OperationAmounts | null} amount that the user may set for it
 * @property {boolean} followsAccess whether it reads single objects, in the order of the run's access pattern
 * @property {boolean} movesWhole whether it moves the whole object, so that its time depends on the object's size
 * @property {(workload: Pick<Workload, 'sizeOf' | 'amounts'>, index: number) => number} bytesOf the size of an object, or of the part
 *   of it that the operation takes
 *
 * @typedef {Readonly<OperationDefinition & OperationProperties>} Operation
 */

/** Enough attempts to get over a hiccup, and soon over where there is nobody to answer. @type {Readonly<Preflight>} */
export const QUICK_PREFLIGHT = Object.freeze({ maxAttempts: 4, maxObjectBytes: Infinity });

/**
 * @param {OperationDefinition} definition
 * @returns {Operation}
 */
export function defineOperation(definition) {
  const { name, effect, transfer, part, grouping } = definition;
  return Object.freeze({
    ...definition,
    logName: name[0].toUpperCase() + name.slice(1),
    creates: effect === 'creates',
    copies: effect === 'copies',
    writes: effect === 'creates' || effect === 'copies',
    removes: effect === 'removes',
    receives: transfer === 'receives',
    movesBytes: transfer !== 'none',
    amount: part ?? grouping?.size ?? null,
    followsAccess: effect === 'reads' && grouping === undefined,
    movesWhole: transfer !== 'none' && part === undefined,
    bytesOf:
      part === undefined
        ? ({ sizeOf }, index) => sizeOf(index)
        : ({ sizeOf, amounts }, index) => Math.min(amounts[part], sizeOf(index)),
  });
}

/**
 * What is wrong with an answer about an object that is written again: it is older than it may be, was never written, or is
 * made of several versions.
 *
 * @typedef {'stale' | 'foreign' | 'torn'} VersionError
 */

/** The store answered with something else than what was written: never a success, and never retried. */
export class IntegrityError extends Error {
  /**
   * @param {Pick<OperationRecord, 'bucket' | 'key'>} record
   * @param {string} finding
   * @param {VersionError | null} [versionError] where it is about versions of the object
   */
  constructor({ bucket, key }, finding, versionError = null) {
    // A key that is not of our making may hold anything.
    super(`${bucket}/${plainLine(redact(key))}: ${finding}`);
    this.name = 'IntegrityError';
    this.finding = finding;
    this.versionError = versionError;
  }
}

/**
 * @param {Workload} workload
 * @returns {string} why an object may be of another size than expected, where this run did not write it
 */
export function otherSizeHint({ wroteObjects }) {
  return wroteObjects ? '' : '; was the run written with another --size?';
}
