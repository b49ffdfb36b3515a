import { accessOrder } from '../workload/access.js';
import { mixIndex, seedOf } from '../workload/mix.js';
import { kindOrder } from './claims.js';

/**
 * @import { AccessPattern } from '../model/config.js'
 * @import { OperationRecord } from '../operations/operation-record.js'
 * @import { Operation, Workload } from '../operations/operation.js'
 * @import { StageKind } from '../operations/stage.js'
 * @import { MixedObjects } from '../workload/mixed-objects.js'
 * @import { WritePauses } from '../workload/write-pauses.js'
 * @import { Budget } from './budget.js'
 */

const TWO_TO_THE_32 = 2 ** 32;

/** So many objects are tried for an operation before it waits. A power of two. */
const TRIES = 32;

/** An operation without an object looks for one again after so many ms, at least and at most. */
const MIN_WAIT_MS = 1;
const MAX_WAIT_MS = 100;

/** An operation that has found nothing there so often is skipped: all threads could wait for a write that none of them does. */
const MAX_ROUNDS = 10;

/** In place of an object: all that were tried are being changed, or were a moment ago; or none of them is there. */
const NONE_FREE = -1;
const NONE_THERE = -2;

/** In place of a time to wait. */
const SKIPPED = -1;

/**
 * What a worker's threads do next in a mixed stage. The kind of an operation follows from the number of its claim alone, so
 * that all workers agree and the shares are exact. Its object is chosen when it is about to start. Which ones are tried
 * follows from the claim: for what reads, by the access pattern of the run; otherwise, each is as likely as any other. The
 * first one of them is taken that the operation can have.
 *
 * A write takes the place of an object that was removed, if one is waiting, and any object otherwise. Nothing is written,
 * removed or copied twice within a second, or while that is under way; nothing is read or removed that is not there as far
 * as is known.
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
  /** Of what reads, the object that is tried, by the place of the try. @type {(place: number) => number} */
  #readObject;
  /** Objects that are not there after this worker has removed or written them, in that order. @type {number[]} */
  #gaps = [];
  /** How many of them are taken already. */
  #gapsTaken = 0;

  /**
   * @param {readonly StageKind[]} kinds
   * @param {object} options
   * @param {Workload & { mixed: MixedObjects }} options.workload
   * @param {Budget} options.budget of operations
   * @param {number} options.objects that were written before the stage
   * @param {AccessPattern} [options.access] of what reads
   * @param {() => number} options.now ms, the same on all workers
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
      access.kind === 'sequential' ? (place) => order(Math.floor(place / TRIES) + (place % TRIES)) : order;
  }

  /**
   * Claims the next operation for a thread, without an object so far.
   *
   * @param {OperationRecord} record of the thread, which is filled in
   * @returns {number} of the claim from 0, or -1 where there is no more work
   */
  next(record) {
    const claim = this.#budget.claim();
    if (claim >= 0) {
      record.turn = claim;
      record.kind = this.#kindOf(claim);
    }
    return claim;
  }

  /**
   * Chooses an object for the operation that was claimed.
   *
   * @param {OperationRecord} record
   * @param {number} round how often that was tried before
   * @returns {number} 0 where it has one; otherwise ms after which to try again, or -1 where it is to be skipped
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
    record.isAcknowledged = false;
    if (operation.creates || operation.removes) {
      record.isWrite = true;
      record.state = this.#mixed.versions.start(object, operation.removes);
    }
    return 0;
  }

  /**
   * The operation has come to its end, whatever it was.
   *
   * @param {OperationRecord} record
   */
  done({ operation, localIndex, state, isAcknowledged }) {
    const { versions } = this.#mixed;
    if (operation.creates || operation.removes) {
      if (isAcknowledged) {
        this.#mixed.acknowledge(localIndex, state, this.#now());
      } else {
        versions.refuse(localIndex, state);
      }
      if (!this.#workload.written.has(localIndex)) {
        this.#gaps.push(localIndex);
      }
    }
    this.#pausesOf(operation)?.release(localIndex, this.#now());
  }

  /**
   * @param {Operation} operation
   * @param {number} firstTry
   * @returns {number} the localIndex of its object; NONE_FREE or NONE_THERE where there is none
   */
  #objectFor(operation, firstTry) {
    const gap = operation.creates ? this.#takeGap() : -1;
    if (gap >= 0) {
      return gap;
    }
    let found = NONE_THERE;
    const { written } = this.#workload;
    const pauses = this.#pausesOf(operation);
    const now = pauses === null ? 0 : this.#now();
    for (let each = firstTry; each < firstTry + TRIES; each++) {
      const object = operation.followsAccess ? this.#readObject(each) : this.#triedObject(each);
      if (operation.needsObject && !written.has(object)) {
        continue;
      }
      if (pauses === null || pauses.take(object, now)) {
        return object;
      }
      found = NONE_FREE;
    }
    return found;
  }

  /** @returns {number} an object that was removed, and may be written; -1 where there is none */
  #takeGap() {
    const { written } = this.#workload;
    while (this.#gapsTaken < this.#gaps.length) {
      const object = this.#gaps[this.#gapsTaken];
      const isFilled = written.has(object);
      if (!isFilled && !this.#mixed.pauses.take(object, this.#now())) {
        return -1;
      }
      this.#gapsTaken += 1;
      this.#forgetTakenGaps();
      if (!isFilled) {
        return object;
      }
    }
    return -1;
  }

  /** Those that are taken are dropped by many at a time, which costs each of them next to nothing. */
  #forgetTakenGaps() {
    if (2 * this.#gapsTaken > this.#gaps.length + TRIES) {
      this.#gaps.splice(0, this.#gapsTaken);
      this.#gapsTaken = 0;
    }
  }

  /**
   * @param {Operation} operation
   * @param {number} firstTry
   * @returns {number} ms until one of the objects that were tried can be had, as far as is known
   */
  #waitFor(operation, firstTry) {
    const pauses = this.#pausesOf(operation);
    if (pauses === null) {
      return MAX_WAIT_MS;
    }
    let freeFrom = Infinity;
    for (let each = firstTry; each < firstTry + TRIES; each++) {
      freeFrom = Math.min(freeFrom, pauses.freeFrom(this.#triedObject(each)));
    }
    return Math.min(Math.max(freeFrom - this.#now(), MIN_WAIT_MS), MAX_WAIT_MS);
  }

  /**
   * @param {number} place of the try among all of the stage
   * @returns {number} the localIndex of the object, uniformly distributed
   */
  #triedObject(place) {
    return Math.floor((mixIndex(place, this.#seed) / TWO_TO_THE_32) * this.#objects);
  }

  /**
   * @param {Operation} operation
   * @returns {WritePauses | null} null where the operation changes nothing
   */
  #pausesOf({ creates, copies, removes }) {
    return creates || removes ? this.#mixed.pauses : copies ? this.#mixed.copyPauses : null;
  }
}
