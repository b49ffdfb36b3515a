import { S3_CALLS } from '../s3/s3-calls.js';
import { isThrottled } from '../s3/retry.js';
import { AttemptError, NOT_FOUND, isConditionRefused } from '../s3/s3-error.js';
import { VersionVerifier } from '../workload/version-verifier.js';
import { RequestStep } from './multipart.js';
import { IntegrityError } from './operation.js';

/**
 * @import { ObjectConnection } from '../s3/object-store.js'
 * @import { S3Call } from '../s3/s3-calls.js'
 * @import { Ledger } from '../workload/ledger.js'
 * @import { OperationRecord } from './operation-record.js'
 * @import { OperationDefinition, Workload } from './operation.js'
 */

/** Enough to retry for over a second: R2 accepts one write per second per key, and answers 429 to others. */
const MAX_PREFLIGHT_ATTEMPTS = 7;

/** R2 answers so to a write of a key that is being written, or was written less than a second ago. */
const TOO_MANY_WRITES = 429;

/** Bodies must differ, and their first bytes identify them. */
export const MIN_RACE_BYTES = 8;

/** A GET whose output contains the ETag, which a condition must quote. @type {S3Call} */
const READ = { ...S3_CALLS.GetObject, returnsEtag: true };

/**
 * How an operation races.
 *
 * @typedef {object} RaceRules
 * @property {boolean} readsFirst whether the race replaces an object, whose ETag it reads first
 * @property {(record: OperationRecord) => string} keyOf the key that the contenders write
 * @property {(workload: Workload) => Ledger | null} ledgerOf those keys
 * @property {(etag: string) => Record<string, string>} conditionOf all writes
 * @property {(record: OperationRecord) => Promise<void>} tryAlone tries the condition on a probe
 */

/**
 * What became of a contender's request: it was carried out; its condition did not hold; the store asked for fewer
 * requests; or nobody knows.
 *
 * @typedef {'winner' | 'loser' | 'throttled' | 'lost'} RaceOutcome
 */

/** What the definitions of races have in common. */
export const RACE = /** @satisfies {Partial<OperationDefinition>} */ ({
  call: S3_CALLS.PutObject,
  transfer: 'sends',
  billingClass: 'A',
  isDefaultStage: false,
  preflight: Object.freeze({ maxAttempts: MAX_PREFLIGHT_ATTEMPTS, maxObjectBytes: Infinity }),
  refuses: {
    keptObjects: 'only the run that wrote them knows their ETags, and whether a key is new',
    findPeak: 'the steps would race for the same keys',
    ramp: 'the steps would race for the same keys',
    multipart: 'each contender sends a single request',
    checksum: 'the checksums cover only the first version of an object',
    mix: 'a mix tracks the versions of each object separately',
  },
  /** @param {OperationRecord} record */
  attempt(record) {
    const { race } = record.operation;
    const { keyOf, conditionOf, tryAlone } = /** @type {RaceRules} */ (race);
    if (record.racer !== null) {
      return record.racer.run(record);
    }
    record.key = keyOf(record);
    record.input = conditionOf('');
    record.body = record.workload.payload.bodyOf(record.index, record.size, 0);
    return tryAlone(record);
  },
});

export function conditionIgnored() {
  const message = 'the store carried out a write whose condition does not hold: omit the stages create and swap';
  return new AttemptError({ kind: 'condition', handling: 'stop', message });
}

/** A contender's write. */
export class Contender extends RequestStep {
  /** @type {RaceOutcome} */
  outcome = 'lost';

  /** Succeeds with any response that a contender can expect. */
  async attempt() {
    this.outcome = 'lost';
    try {
      await super.attempt();
      this.outcome = 'winner';
    } catch (error) {
      if (isConditionRefused(error)) {
        this.outcome = 'loser';
      } else if (error instanceof AttemptError && isThrottled(error)) {
        this.outcome = 'throttled';
        if (error.status !== TOO_MANY_WRITES) {
          throw error;
        }
      } else {
        throw error;
      }
    }
  }
}

/** Reads the object of a race. */
class Reading extends RequestStep {
  byApi = true;
  isFound = false;
  etag = '';
  etagDigest = 0;
  mismatch = -1;

  /**
   * @param {ObjectConnection} connection
   * @param {VersionVerifier} verifier
   */
  constructor(connection, verifier) {
    super(connection);
    this.sink = this.verifier = verifier;
  }

  /** @param {OperationRecord} record */
  begin(record) {
    this.prepare(record, READ);
    this.size = record.size;
    this.record = record;
  }

  async attempt() {
    this.isFound = false;
    this.verifier.beginVersion(/** @type {OperationRecord} */ (this.record), 0, 0);
    try {
      await super.attempt();
    } catch (error) {
      if (error instanceof AttemptError && error.kind === NOT_FOUND) {
        return;
      }
      throw error;
    }
    const { etagDigest, output } = this.connection.reply;
    this.isFound = true;
    this.etag = output.ETag ?? '';
    this.etagDigest = etagDigest;
    this.mismatch = this.verifier.end();
  }
}

/**
 * @typedef {object} RaceContext
 * @property {(step: RequestStep) => Promise<void>} send sends a request until it succeeds, or the retry policy gives up
 * @property {(step: RequestStep) => Promise<void>} sendOnce sends a request, which is not repeated
 * @property {(step: RequestStep) => void} counted counts a request that succeeded, other than the last of a race
 * @property {(contender: Contender) => void} contended counts a contender's request, whatever its outcome
 * @property {(record: OperationRecord) => void} undecided counts a race that only reading the object decides
 * @property {() => void} throwIfStopped throws an AttemptError if the stage is being stopped
 */

/**
 * Races of one group of connections, one after the other. In a race, every connection sends a write of the same key
 * at the same time, with the same condition and its own body, a version of the object's payload. The store must carry
 * out exactly one of them. The race ends with a read, which must return the winner's body.
 *
 * No write is repeated: if it had been carried out and its response were lost, the next attempt would be refused because
 * of its own success. Whose write was carried out then shows in the object. If none was, the whole race is repeated under
 * the retry policy, with new bodies, so that a write of an earlier attempt that takes effect late is recognised.
 */
export class Race {
  #contenders;
  #reading;
  #context;

  /**
   * @param {readonly ObjectConnection[]} connections
   * @param {Workload} workload
   * @param {RaceContext} context
   */
  constructor(connections, { payload }, context) {
    this.#contenders = connections.map((connection) => new Contender(connection));
    this.#reading = new Reading(connections[0], new VersionVerifier(payload));
    this.#context = context;
  }

  /** Monotonic ms at which the last request of the last race began. */
  get lastRequestAt() {
    return this.#reading.attemptStartedAt;
  }

  /**
   * @param {OperationRecord} record
   * @throws {IntegrityError} if the store did not carry out exactly one write
   * @throws {AttemptError} if no write was carried out, although not all were refused
   */
  async run(record) {
    const { localIndex, workload } = record;
    const race = /** @type {RaceRules} */ (record.operation.race);
    const ledger = /** @type {Ledger} */ (race.ledgerOf(workload));
    record.key = race.keyOf(record);
    let generation = 0;
    let etagBefore = 0;
    const reading = this.#reading;
    if (race.readsFirst) {
      await this.#read(record);
      refuseUnknownBody(record, reading);
      if (!reading.isFound || !ledger.matches(localIndex, reading.etagDigest)) {
        const found = reading.isFound ? 'has another ETag than its last writer was given' : 'does not exist';
        throw new IntegrityError(record, `lost update: the object ${found}`);
      }
      this.#context.counted(reading);
      etagBefore = reading.etagDigest;
      generation = Math.floor(reading.verifier.version / this.#contenders.length) + 1;
    }
    const first = (generation + record.attempts - 1) * this.#contenders.length;
    await this.#compete(record, first, race.conditionOf(reading.etag));
    this.#context.throwIfStopped();
    await this.#read(record);
    const { isFound, etagDigest, verifier } = reading;
    if (isFound) {
      ledger.add(localIndex, etagDigest);
    }
    refuseUnknownBody(record, reading);
    const isChanged = race.readsFirst ? etagDigest !== etagBefore : isFound;
    this.#judge(record, { first, isFound, isChanged, version: isFound ? verifier.version : -1 });
  }

  /** @param {OperationRecord} record */
  async #read(record) {
    this.#reading.begin(record);
    await this.#context.send(this.#reading);
  }

  /**
   * @param {OperationRecord} record
   * @param {number} first version of the contenders' bodies
   * @param {Record<string, string>} input
   */
  async #compete(record, first, input) {
    const { index, size, workload } = record;
    /** @type {unknown} */
    let fatal = null;
    await Promise.all(
      this.#contenders.map(async (contender, position) => {
        contender.prepare(record, S3_CALLS.PutObject, { input });
        contender.size = size;
        contender.body = workload.payload.bodyOf(index, size, first + position);
        try {
          await this.#context.sendOnce(contender);
          this.#context.counted(contender);
        } catch (error) {
          if (!(error instanceof AttemptError) || error.handling === 'stop') {
            fatal ??= error;
          }
        }
        this.#context.contended(contender);
      }),
    );
    if (fatal !== null) {
      throw fatal;
    }
  }

  /**
   * @param {OperationRecord} record
   * @param {{ first: number, isFound: boolean, isChanged: boolean, version: number }} found
   */
  #judge(record, { first, isFound, isChanged, version }) {
    const all = this.#contenders;
    const isOurs = version >= first - (record.attempts - 1) * all.length && version < first + all.length;
    const winners = all.filter(({ outcome }) => outcome === 'winner');
    const losers = all.filter(({ outcome }) => outcome === 'loser');
    const owner = isChanged ? all[version - first] : undefined;
    if (winners.length > 1) {
      throw new IntegrityError(record, `two winners: ${winners.length} of ${all.length} writes succeeded, expected 1`);
    }
    if (winners.length === 1 && owner !== winners[0]) {
      const found = isFound ? `has ${isChanged ? (owner?.outcome ?? 'other') : 'its former'} bytes` : 'does not exist';
      throw new IntegrityError(record, `lost update: one write succeeded, but the object ${found}`);
    }
    if (isChanged && !isOurs) {
      throw new IntegrityError(record, 'lost update: the object has the bytes of no contender');
    }
    if (owner?.outcome === 'loser') {
      throw new IntegrityError(record, 'a loser’s bytes: the object has those of a write that was refused');
    }
    if (!isChanged && losers.length === all.length && record.attempts === 1) {
      const found = isFound ? 'is unchanged' : 'does not exist';
      throw new IntegrityError(record, `no winner: all ${all.length} writes were refused, and the object ${found}`);
    }
    if (winners.length === 0) {
      this.#context.undecided(record);
    }
    if (!isChanged) {
      this.#context.counted(this.#reading);
      throw new AttemptError({
        kind: 'no-winner',
        handling: 'retry',
        outcomeUnknown: true,
        message: `none of ${all.length} writes was carried out, of which ${losers.length} were refused by their condition`,
      });
    }
  }
}

/**
 * @param {OperationRecord} record
 * @param {Reading} reading
 * @throws {IntegrityError} if the object is not a version of the payload
 */
function refuseUnknownBody(record, { isFound, mismatch }) {
  if (isFound && mismatch >= 0) {
    throw new IntegrityError(record, `the body is torn: from offset ${mismatch} on, it matches no write`);
  }
}
