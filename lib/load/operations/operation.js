import { plainLine } from '../../text/plain-text.js';
import { redact } from '../../text/redact.js';

/**
 * @import { S3Call } from '../../store/s3-calls.js'
 * @import { Places } from '../workload/keyspace.js'
 * @import { Payload } from '../workload/payload.js'
 * @import { ListConfig, OperationAmounts, Shard, Trace } from '../../result/config.js'
 * @import { ListedObjects } from '../workload/listed-objects.js'
 * @import { MixedObjects } from '../workload/mixed-objects.js'
 * @import { Ledger } from '../workload/ledger.js'
 * @import { RaceRules } from './race.js'
 * @import { OperationRecord } from './operation-record.js'
 */

/**
 * @typedef {object} Workload the data that operations work on, the same for all threads of a worker
 * @property {Places} keyspace
 * @property {(index: number) => number} sizeOf bytes of an object, the same on every host
 * @property {Payload} payload
 * @property {Ledger} ledger of the objects
 * @property {Ledger | null} [copies] ledger of their copies; null if the run makes none
 * @property {Shard} shard this host's share of the objects
 * @property {OperationAmounts & ListConfig} amounts
 * @property {ListedObjects | null} [listed] existing objects that the run works on; they are its keyspace
 * @property {boolean} wroteObjects whether this run writes the objects, and therefore knows which exist and their ETags
 * @property {MixedObjects | null} [mixed] set if the run writes its objects several times
 * @property {Trace} [trace] of a run that replays recorded requests
 */

/**
 * @typedef {object} OperationDefinition everything that the rest of the program needs to know about an operation
 * @property {string} name in lower case, as in --stages; capitalized in the log
 * @property {S3Call} call
 * @property {'creates' | 'copies' | 'replaces' | 'reads' | 'removes'} effect on objects
 * @property {boolean} needsObject whether the operation skips objects that this run did not write
 * @property {'sends' | 'receives' | 'none'} transfer how the object's bytes move
 * @property {keyof OperationAmounts} [part] the amount that sets the bytes to move; absent if whole objects are moved
 * @property {boolean} [canTakeParts] whether an Uploader may send the object in parts
 * @property {RaceRules} [race] if an operation is a race of several writes for one key
 * @property {Grouping} [grouping] if one operation works on several objects of a bucket
 * @property {'A' | 'B' | 'free'} billingClass of R2
 * @property {boolean} isDefaultStage whether it is a stage of a run without --stages
 * @property {Preflight} preflight
 * @property {Readonly<Partial<Record<Refusal, string>>>} [refuses] features it cannot be combined with, and why
 * @property {(record: OperationRecord) => Promise<void>} attempt one attempt, including verification; throws an
 *   AttemptError, or an IntegrityError for a response that differs from the written data
 * @property {(record: OperationRecord) => Promise<void>} [attemptExisting] one attempt on an existing object, of which
 *   only the list entry is known; absent if the operation does not support existing objects
 * @property {(record: OperationRecord) => Promise<void>} [attemptOfVersion] one attempt on an object that is rewritten
 *   and removed while others read it; default: `attempt`. `refuses` explains which operations cannot be mixed
 */

/**
 * @typedef {object} Grouping
 * @property {keyof OperationAmounts} size the amount that limits the number of objects per operation
 * @property {boolean} isByKey whether objects are in key order; otherwise in index order
 *
 * @typedef {'keptObjects' | 'shards' | 'findPeak' | 'ramp' | 'leavingTurns' | 'multipart' | 'mix'} Refusal
 *
 * @typedef {{ maxAttempts: number, maxObjectBytes: number, advice: string }} Preflight limits for
 *   preflight when it tries an operation; `advice`: what helps if the store cannot do it
 *
 * @typedef {object} OperationProperties derived from the definition
 * @property {string} logName
 * @property {boolean} creates whether an attempt can create an object, even if it gets no response
 * @property {boolean} copies whether an attempt can create an additional object of the run, even if it gets no response
 * @property {boolean} replaces whether an attempt replaces an object
 * @property {boolean} writes whether an attempt writes a key: none may be written twice within a second
 * @property {boolean} removes
 * @property {boolean} receives whether the response body is the object, so that the time to first byte is meaningful
 * @property {boolean} movesBytes
 * @property {boolean} readsExisting whether the operation supports existing objects
 * @property {boolean} followsAccess whether single objects are read, in the order of the run's access pattern
 * @property {boolean} movesWhole whether whole objects are moved, so that the time depends on the object's size
 * @property {(workload: Pick<Workload, 'sizeOf' | 'amounts'>, index: number) => number} bytesOf bytes that are moved
 *
 * @typedef {Readonly<Required<Pick<OperationDefinition, 'attemptExisting' | 'attemptOfVersion'>> & OperationDefinition &
 *   OperationProperties>} Operation
 */

/** Enough attempts to survive a hiccup, but few enough to fail quickly. @type {Readonly<Preflight>} */
export const QUICK_PREFLIGHT = Object.freeze({
  maxAttempts: 4,
  maxObjectBytes: Infinity,
  advice: '',
});

/**
 * @param {OperationDefinition} definition
 * @returns {Operation}
 */
export function defineOperation(definition) {
  const { name, effect, transfer, part, grouping } = definition;
  return Object.freeze({
    attemptOfVersion: definition.attempt,
    attemptExisting: () => Promise.reject(new RangeError(`expected an operation on existing objects, got ${name}`)),
    ...definition,
    readsExisting: definition.attemptExisting !== undefined,
    logName: name[0].toUpperCase() + name.slice(1),
    creates: effect === 'creates',
    copies: effect === 'copies',
    replaces: effect === 'replaces',
    writes: effect !== 'reads' && effect !== 'removes',
    removes: effect === 'removes',
    receives: transfer === 'receives',
    movesBytes: transfer !== 'none',
    followsAccess: effect === 'reads' && grouping === undefined,
    movesWhole: transfer !== 'none' && part === undefined,
    bytesOf:
      part === undefined
        ? ({ sizeOf }, index) => sizeOf(index)
        : ({ sizeOf, amounts }, index) => Math.min(amounts[part], sizeOf(index)),
  });
}

/**
 * How a rewritten object is wrong: it is outdated, its ETag is that of another version, or its bytes are of no version.
 *
 * @typedef {'stale' | 'foreign' | 'torn'} VersionError
 */

/** The store returned something other than the written data: never a success, and never retried. */
export class IntegrityError extends Error {
  /**
   * @param {Pick<OperationRecord, 'bucket' | 'key'>} record
   * @param {string} finding
   * @param {VersionError | null} [versionError] if the error concerns versions of the object
   */
  constructor({ bucket, key }, finding, versionError = null) {
    // A key that this program did not create may contain a secret or control characters.
    super(`${bucket}/${plainLine(redact(key))}: ${finding}`);
    this.name = 'IntegrityError';
    this.finding = finding;
    this.versionError = versionError;
  }
}

/**
 * @param {OperationRecord} record whose body has arrived
 * @param {string} what name of the body in messages
 * @param {number} mismatch offset of the first wrong byte, or -1
 * @throws {IntegrityError} if the body is wrong
 */
export function refuseMismatch(record, what, mismatch) {
  if (mismatch >= 0) {
    const { sink, size } = record;
    const shown = sink.received === size ? '' : ` (received ${sink.received} bytes, expected ${size})`;
    throw new IntegrityError(record, `${what} first differs at offset ${mismatch}${shown}`);
  }
}
