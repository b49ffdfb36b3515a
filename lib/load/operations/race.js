import { S3_CALLS } from '../../store/s3-calls.js';
import { AttemptError, NOT_FOUND, THROTTLED, isConditionRefused, isKind } from '../../store/s3-error.js';
import { RequestStep } from './multipart.js';
import { OperationRecord } from './operation-record.js';
import { IntegrityError, defineOperation } from './operation.js';
import { read } from './read.js';

/**
 * @import { ObjectConnection } from '../../store/object-store.js'
 * @import { Ledger } from '../workload/ledger.js'
 * @import { VersionVerifier } from '../workload/payload.js'
 * @import { OperationDefinition, Workload } from './operation.js'
 */

/** Enough to retry for over a second: R2 accepts one write per second per key, and answers 429 to others. */
const MAX_PREFLIGHT_ATTEMPTS = 7;

/** R2 answers so to a write of a key that is being written, or was written less than a second ago. */
const TOO_MANY_WRITES = 429;

/** Bodies must differ, and their first bytes identify them. */
export const MIN_RACE_BYTES = 8;

/** Its output contains the ETag, which a condition must quote. */
const READ = Object.freeze({ ...read, call: { ...read.call, returnsEtag: true } });

const NO_OBJECTS_ETAG = `"${'0'.repeat(32)}"`;

/**
 * How an operation races. A race that replaces an object first reads its ETag.
 *
 * @typedef {object} RaceRules
 * @property {(record: OperationRecord) => string} keyOf the key that the contenders write
 * @property {(workload: Workload) => Ledger} ledgerOf those keys
 * @property {(etag: string) => Record<string, string>} conditionOf all writes
 */

/**
 * The outcome of a contender's request: it was carried out; its condition did not hold; the store asked for fewer
 * requests; or the outcome is unknown.
 *
 * @typedef {'winner' | 'loser' | 'throttled' | 'lost'} RaceOutcome
 */

/** What the definitions of races have in common. */
const RACE = /** @satisfies {Partial<OperationDefinition>} */ ({
  call: S3_CALLS.PutObject,
  transfer: 'sends',
  billingClass: 'A',
  isDefaultStage: false,
  preflight: Object.freeze({ maxAttempts: MAX_PREFLIGHT_ATTEMPTS, maxObjectBytes: Infinity, advice: '' }),
  refuses: {
    keptObjects: 'only the run that wrote them knows their ETags, and whether a key is new',
    findPeak: 'the steps would race for the same keys',
    ramp: 'the steps would race for the same keys',
    multipart: 'each contender sends a single request',
    mix: 'a mix tracks the versions of each object separately',
  },
  /**
   * A race in a stage. In preflight, a write of an object that exists, whose condition does not hold.
   *
   * @param {OperationRecord} record
   */
  async attempt(record) {
    const { racer, operation, connection, index, size, workload } = record;
    if (racer !== null) {
      return racer.run(record);
    }
    record.input = operation.race?.conditionOf(NO_OBJECTS_ETAG);
    record.body = workload.payload.bodyOf(index, size, 0);
    try {
      await connection.send(operation.call, record);
    } catch (error) {
      if (isConditionRefused(error)) {
        return undefined;
      }
      throw error;
    }
    const message = 'the store carried out a write whose condition does not hold: omit the stages create and swap';
    throw new AttemptError({ kind: 'condition', handling: 'stop', message });
  },
});

/** A contender's write. */
class Contender extends RequestStep {
  /** @type {RaceOutcome} */
  outcome = 'lost';

  /** Succeeds with any response that is expected of a contender: a 429 shows nothing about the store's capacity. */
  async attempt() {
    this.outcome = 'winner';
    try {
      await super.attempt();
    } catch (error) {
      const isThrottled = error instanceof AttemptError && error.kind === THROTTLED;
      this.outcome = isConditionRefused(error) ? 'loser' : isThrottled ? 'throttled' : 'lost';
      if (this.outcome === 'lost' || (isThrottled && error.status !== TOO_MANY_WRITES)) {
        throw error;
      }
    }
  }
}

/**
 * @typedef {Pick<RequestStep, 'startedAt' | 'attemptStartedAt' | 'finishedAt'>} Timings
 *
 * @typedef {object} RaceMeter
 * @property {number} undecidedRaces
 * @property {(step: Timings) => void} stepSucceeded counts a request that succeeded, other than the last of a race
 * @property {(outcome: string, timings: Timings, bytes: number) => void} answeredBy counts a contender's write
 *
 * @typedef {object} RaceContext
 * @property {Workload} workload
 * @property {(request: OperationRecord) => Promise<void>} send sends a request under the retry policy
 * @property {(request: RequestStep) => Promise<void>} sendOnce sends a request that is not repeated
 * @property {readonly RaceMeter[]} meters by kind
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
  #reader;
  #context;

  /**
   * @param {readonly ObjectConnection[]} connections
   * @param {RaceContext} context
   */
  constructor(connections, context) {
    this.#contenders = connections.map((connection) => new Contender(connection));
    this.#reader = new OperationRecord(READ, { ...context.workload, wroteObjects: false }, connections[0]);
    this.#reader.byApi = true;
    this.#context = context;
  }

  /**
   * @param {OperationRecord} record
   * @throws {IntegrityError} if the store did not carry out exactly one write
   * @throws {AttemptError} if no write was carried out, although not all were refused
   */
  async run(record) {
    const { kind, localIndex, attempts, operation } = record;
    const { keyOf, ledgerOf, conditionOf } = /** @type {RaceRules} */ (operation.race);
    const [ledger, meter, { length }] = [ledgerOf(record.workload), this.#context.meters[kind], this.#contenders];
    const { reply } = this.#reader.connection;
    record.key = keyOf(record);
    let [generation, etagBefore] = [0, 0];
    if (operation.replaces) {
      const isFound = await this.#finds(record);
      etagBefore = reply.etagDigest;
      if (!isFound || etagBefore === 0 || !ledger.matches(localIndex, etagBefore)) {
        const found = isFound ? 'has another ETag than its last writer was given' : 'does not exist';
        throw new IntegrityError(record, `lost update: the object ${found}`);
      }
      meter.stepSucceeded(this.#reader);
      generation = Math.floor(this.#version / length) + 1;
    }
    const first = (generation + attempts - 1) * length;
    await this.#compete(record, first, conditionOf(reply.output.ETag));
    this.#context.throwIfStopped();
    const isFound = await this.#finds(record);
    // The read is counted as the operation's own attempt, and all others as its steps.
    record.timeLost = record.attemptStartedAt - record.startedAt;
    record.attemptStartedAt = this.#reader.attemptStartedAt;
    const isChanged = isFound && !(operation.replaces && reply.etagDigest === etagBefore);
    if (isFound) {
      // Until the object changes, a write without a response may still replace it, even before the race is repeated.
      ledger.add(localIndex, isChanged ? reply.etagDigest : 0);
    }
    const violation = this.#violationIn({ first, attempts, isFound, isChanged });
    if (violation !== null) {
      throw new IntegrityError(record, violation);
    }
    meter.undecidedRaces += Number(this.#with('winner').length === 0);
    if (!isChanged) {
      if (isFound) {
        meter.stepSucceeded(this.#reader);
      }
      const message = `none of ${length} writes was carried out, although not all were refused by their condition`;
      throw new AttemptError({ kind: 'no-winner', handling: 'retry', outcomeUnknown: true, message });
    }
  }

  /** Reads the object and checks its bytes. @param {OperationRecord} record */
  async #finds({ kind, localIndex, key }) {
    this.#reader.take(kind, READ, localIndex);
    this.#reader.key = key;
    try {
      await this.#context.send(this.#reader);
      return true;
    } catch (error) {
      if (isKind(error, NOT_FOUND)) {
        return false;
      }
      throw error;
    }
  }

  /** The version that was read. */
  get #version() {
    return /** @type {VersionVerifier} */ (this.#reader.sink).version;
  }

  /** @param {RaceOutcome} outcome */
  #with(outcome) {
    return this.#contenders.filter((contender) => contender.outcome === outcome);
  }

  /**
   * @param {OperationRecord} record
   * @param {number} first version of the contenders' bodies
   * @param {Record<string, string>} input
   */
  async #compete(record, first, input) {
    const { kind, index, size, workload } = record;
    /** @type {unknown} */
    let fatal = null;
    await Promise.all(
      this.#contenders.map(async (contender, position) => {
        contender.prepare(record, S3_CALLS.PutObject, { input });
        Object.assign(contender, { size, body: workload.payload.bodyOf(index, size, first + position) });
        try {
          await this.#context.sendOnce(contender);
          this.#context.meters[kind].stepSucceeded(contender);
        } catch (error) {
          fatal ??= error instanceof AttemptError && error.handling !== 'stop' ? null : error;
        }
        this.#context.meters[kind].answeredBy(contender.outcome, contender, size);
      }),
    );
    if (fatal !== null) {
      throw fatal;
    }
  }

  /**
   * @param {{ first: number, attempts: number, isFound: boolean, isChanged: boolean }} race `first`: see compete();
   *   `attempts` at the race, including this one
   * @returns {string | null} null if the store did what it must, as far as the responses show
   */
  #violationIn({ first, attempts, isFound, isChanged }) {
    const { length } = this.#contenders;
    const winners = this.#with('winner');
    const owner = isChanged ? this.#contenders[this.#version - first] : undefined;
    const isLate = this.#version < first && this.#version >= first - (attempts - 1) * length;
    const state = isChanged
      ? `has the bytes of ${owner ? `another (${owner.outcome})` : 'no write of the race'}`
      : 'is unchanged';
    const found = `the object ${isFound ? state : 'does not exist'}`;
    if (winners.length > 1) {
      return `two winners: ${winners.length} of ${length} writes succeeded, expected 1`;
    }
    if ((winners.length === 1 && owner !== winners[0]) || (isChanged && owner === undefined && !isLate)) {
      return `lost update: ${winners.length} of ${length} writes succeeded, but ${found}`;
    }
    if (owner?.outcome === 'loser') {
      return 'a loser’s bytes: the object has the bytes of a write that was refused';
    }
    const isRefused = !isChanged && attempts === 1 && this.#with('loser').length === length;
    return isRefused ? `no winner: all ${length} writes were refused, but ${found}` : null;
  }
}

/** A race to create an object under a second key, that of the object's copy: see Race. */
export const create = defineOperation({
  ...RACE,
  name: 'create',
  effect: 'copies',
  needsObject: false,
  race: {
    keyOf: ({ workload, index }) => workload.keyspace.copyKeyOf(index),
    ledgerOf: ({ copies }) => /** @type {Ledger} */ (copies),
    conditionOf: () => ({ IfNoneMatch: '*' }),
  },
});

/** A race to replace an object, whose ETag is read first: see Race. */
export const swap = defineOperation({
  ...RACE,
  name: 'swap',
  effect: 'replaces',
  needsObject: true,
  race: {
    keyOf: ({ key }) => key,
    ledgerOf: ({ ledger }) => ledger,
    conditionOf: (etag) => ({ IfMatch: etag }),
  },
});
