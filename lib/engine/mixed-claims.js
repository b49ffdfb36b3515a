import { accessOrder } from '../workload/access.js';
import { mixIndex, seedOf } from '../workload/mix.js';
import { MIN_WRITE_PAUSE_MS } from '../workload/mixed-objects.js';
import { MAX_WAIT_MS, MIN_WAIT_MS, kindOrder } from './claims.js';

/**
 * @import { AccessPattern } from '../model/config.js'
 * @import { OperationRecord } from '../operations/operation-record.js'
 * @import { Operation, Workload } from '../operations/operation.js'
 * @import { StageKind } from '../operations/stage.js'
 * @import { MixedObjects } from '../workload/mixed-objects.js'
 * @import { Budget } from './budget.js'
 */

const TWO_TO_THE_32 = 2 ** 32;

/** Number of objects tried for an operation before it waits. A power of two. */
const TRIES = 32;

/**
 * An operation is skipped if none of the objects tried exists after this many rounds. Otherwise, all threads might
 * wait.
 */
const MAX_ROUNDS = 10;

/** Returned instead of an object if those tried that exist are all changing or have just changed. */
const NONE_FREE = -1;

/** Returned instead of an object if none of those tried exists. */
const NONE_THERE = -2;

/** Returned instead of a wait if the operation is skipped. */
const SKIPPED = -1;

/**
 * Decides what a worker's threads do next in a mixed stage: see StageClaims. An operation's kind depends only on its
 * claim's number, so all workers agree and the shares are exact. Its object is chosen just before it starts: the claim
 * selects several candidates (by the access pattern for reads, uniformly for other operations), and the operation takes
 * the first one available.
 *
 * A write recreates a removed object if there is one; otherwise it overwrites an object. An object is written or
 * removed at most once per second, and never while another write or removal of it is in flight; the same applies to
 * copies of it. After an unknown outcome, it is set aside for longer: see MixedObjects. An object that is known to be
 * missing is neither read nor removed.
 */
export class MixedClaims {
  #kinds;
  #kindOf;
  #workload;
  #mixed;
  #budget;
  #objects;
  #now;
  #seed;
  /** The object that a read tries, by the index of the try. @type {(index: number) => number} */
  #readObject;
  /** Missing objects that this worker removed or failed to write, oldest first. @type {number[]} */
  #gaps = [];

  /**
   * @param {readonly StageKind[]} kinds
   * @param {object} options
   * @param {Workload & { mixed: MixedObjects }} options.workload
   * @param {Budget} options.budget of operations
   * @param {number} options.objects written before the stage
   * @param {AccessPattern} [options.access] of reads
   * @param {() => number} options.now ms, by a clock that all workers share
   * @param {string} options.seed
   */
  constructor(kinds, { workload, budget, objects, access = { kind: 'uniform' }, now, seed }) {
    this.#kinds = kinds;
    this.#kindOf = kindOrder(kinds, `kinds of ${seed}`);
    this.#workload = workload;
    this.#mixed = workload.mixed;
    this.#budget = budget;
    this.#objects = objects;
    this.#now = now;
    this.#seed = seedOf(`objects of ${seed}`);
    const order = accessOrder({ access, objects, seed: `shard ${workload.shard.index} of ${seed}` });
    this.#readObject =
      access.kind === 'sequential' ? (index) => order(Math.floor(index / TRIES) + (index % TRIES)) : order;
  }

  /** Claims an operation without an object, which {@link place} chooses later. @param {OperationRecord} record */
  next(record) {
    const claim = this.#budget.claim();
    if (claim >= 0) {
      record.turn = claim;
      record.kind = this.#kindOf(claim);
    }
    return claim;
  }

  /**
   * @param {OperationRecord} record
   * @param {number} round
   */
  place(record, round) {
    const { kind, turn } = record;
    const { operation } = this.#kinds[kind];
    const firstTry = turn * TRIES + round * TRIES;
    const object = this.#objectFor(operation, firstTry);
    if (object === NONE_THERE) {
      return round < MAX_ROUNDS ? MAX_WAIT_MS : SKIPPED;
    }
    if (object === NONE_FREE) {
      return this.#waitFor(operation, firstTry);
    }
    record.take(kind, operation, object, turn);
    if (operation.creates || operation.removes) {
      record.isWrite = true;
      record.state = this.#mixed.begin(object, operation.removes);
    }
    return 0;
  }

  /** @param {OperationRecord} record */
  done(record) {
    const { operation, localIndex } = record;
    if ((operation.creates || operation.removes) && !this.#workload.ledger.has(localIndex)) {
      this.#gaps.push(localIndex);
    }
    this.#mixed.ended(record, this.#now);
  }

  /**
   * @param {Operation} operation
   * @param {number} firstTry
   * @returns {number} the localIndex of its object; NONE_FREE or NONE_THERE if it gets no object
   */
  #objectFor(operation, firstTry) {
    const gap = operation.creates ? this.#takeGap() : -1;
    if (gap >= 0) {
      return gap;
    }
    let found = NONE_THERE;
    const { ledger } = this.#workload;
    const pauses = this.#mixed.pausesOf(operation);
    const now = pauses === null ? 0 : this.#now();
    for (let each = firstTry; each < firstTry + TRIES; each++) {
      const object = operation.followsAccess ? this.#readObject(each) : this.#triedObject(each);
      if (operation.needsObject && !ledger.has(object)) {
        continue;
      }
      if (pauses === null || pauses.take(object, now)) {
        return object;
      }
      found = NONE_FREE;
    }
    return found;
  }

  /** @returns {number} a removed object that can be written now, or -1 */
  #takeGap() {
    const { pauses } = this.#mixed;
    const now = this.#now();
    for (let tries = Math.min(this.#gaps.length, TRIES); tries > 0; tries--) {
      const [object] = this.#gaps;
      const isFilled = this.#workload.ledger.has(object);
      const isTaken = !isFilled && pauses.take(object, now);
      if (!isFilled && !isTaken && pauses.freeFrom(object) <= now + MIN_WRITE_PAUSE_MS) {
        return -1;
      }
      this.#gaps.shift();
      if (isTaken) {
        return object;
      }
      if (!isFilled) {
        // It is set aside, so the gaps after it can be filled earlier.
        this.#gaps.push(object);
      }
    }
    return -1;
  }

  /**
   * @param {Operation} operation
   * @param {number} firstTry
   * @returns {number} ms until one of the objects tried is expected to be available
   */
  #waitFor(operation, firstTry) {
    const pauses = this.#mixed.pausesOf(operation);
    if (pauses === null) {
      return MAX_WAIT_MS;
    }
    let freeFrom = Infinity;
    for (let each = firstTry; each < firstTry + TRIES; each++) {
      freeFrom = Math.min(freeFrom, pauses.freeFrom(this.#triedObject(each)));
    }
    return Math.min(Math.max(freeFrom - this.#now(), MIN_WAIT_MS), MAX_WAIT_MS);
  }

  /** A uniformly distributed localIndex. @param {number} index of the try in the stage */
  #triedObject(index) {
    return Math.floor((mixIndex(index, this.#seed) / TWO_TO_THE_32) * this.#objects);
  }
}
