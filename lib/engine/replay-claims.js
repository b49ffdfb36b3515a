import { OPERATIONS } from '../operations/registry.js';
import { MEMBER_VALUES } from '../workload/trace.js';
import { MAX_WAIT_MS, MIN_WAIT_MS } from './claims.js';

/**
 * @import { OperationRecord } from '../operations/operation-record.js'
 * @import { Operation, Workload } from '../operations/operation.js'
 * @import { StageKind } from '../operations/stage.js'
 * @import { MixedObjects, WritePauses } from '../workload/mixed-objects.js'
 * @import { Trace } from '../model/config.js'
 * @import { Budget } from './budget.js'
 */

const LIST_KEYS = 1000;

/**
 * Decides what a worker's threads do next in a replay: see StageClaims. Each claim is a recorded request. A change of an
 * object waits until the recorded change before it has ended, and copies of an object wait for each other. Reads never
 * wait: like those of a mixed stage, they accept every version that was valid while they ran.
 */
export class ReplayClaims {
  #kinds;
  /** The kind of each operation, by its index among OPERATIONS. */
  #kindOf;
  #workload;
  #budget;
  #now;

  /**
   * @param {readonly StageKind[]} kinds
   * @param {{ workload: Workload & { mixed: MixedObjects, trace: Trace }, budget: Budget, now: () => number }} options
   */
  constructor(kinds, { workload, budget, now }) {
    this.#kinds = kinds;
    this.#kindOf = OPERATIONS.map((operation) => kinds.findIndex((kind) => kind.operation === operation));
    this.#workload = workload;
    this.#budget = budget;
    this.#now = now;
  }

  /** @param {OperationRecord} record */
  next(record) {
    const claim = this.#budget.claim();
    if (claim >= 0) {
      record.turn = this.#budget.localIndexAt(claim);
      record.kind = this.#kindOf[this.#workload.trace.codes[record.turn]];
    }
    return claim;
  }

  /** @param {OperationRecord} record @returns {number} 0, or ms to wait */
  place(record) {
    const { kind, turn } = record;
    const { operation } = this.#kinds[kind];
    const { mixed, trace } = this.#workload;
    const { targets, amounts, members } = trace;
    const pauses = mixed.pausesOf(operation);
    const object = targets[turn];
    const now = this.#now();
    const changes = operation.creates || operation.removes;
    let wait = 0;
    if (isBatch(operation)) {
      for (let at = MEMBER_VALUES * amounts[turn]; at !== 0; at = MEMBER_VALUES * members[at + 2]) {
        wait = Math.max(wait, this.#waitOf(members[at], members[at + 1], pauses, now));
      }
    } else if (pauses !== null) {
      wait = this.#waitOf(object, changes ? amounts[turn] : null, pauses, now);
    }
    if (wait > 0 || (operation.copies && !pauses?.take(object, now))) {
      return Math.max(wait, MIN_WAIT_MS);
    }
    record.take(kind, operation, object, turn);
    if (changes) {
      this.#begin(record, now);
    } else if (operation.part !== undefined) {
      record.size = Math.min(amounts[turn], record.size);
    } else if (operation.grouping !== undefined) {
      record.size = Math.min(amounts[turn] || LIST_KEYS, LIST_KEYS);
    }
    return 0;
  }

  /**
   * Call this for a change that stays undone because its stage ends: the changes after it need not wait for it.
   *
   * @param {OperationRecord} record
   */
  missed(record) {
    const { operation } = this.#kinds[record.kind];
    if (operation.creates || operation.removes) {
      this.#objectsOf(record.turn, operation).forEach((object) => this.#workload.mixed.begin(object, true));
    }
  }

  /** @param {OperationRecord} record */
  done(record) {
    const { mixed } = this.#workload;
    if (isBatch(record.operation)) {
      record.locals.forEach((object) => mixed.ended(record, this.#now, object));
    } else {
      mixed.ended(record, this.#now);
    }
  }

  /**
   * @param {number} object
   * @param {number | null} earlier changes of the object; null if the operation is no change
   * @param {WritePauses | null} pauses
   * @param {number} now
   * @returns {number} ms until the operation may begin; 0 if it may now
   */
  #waitOf(object, earlier, pauses, now) {
    const freeFrom = pauses?.freeFrom(object) ?? 0;
    if (freeFrom === Infinity || (earlier !== null && this.#workload.mixed.lastBegun(object) >>> 1 !== earlier)) {
      return MIN_WAIT_MS;
    }
    return freeFrom <= now ? 0 : Math.min(Math.max(freeFrom - now, MIN_WAIT_MS), MAX_WAIT_MS);
  }

  /**
   * Begins a change that is the next one of all its objects, so that all of them are free.
   *
   * @param {OperationRecord} record
   * @param {number} now
   */
  #begin(record, now) {
    const { operation, localIndex, turn } = record;
    const { mixed } = this.#workload;
    record.isWrite = true;
    if (!isBatch(operation)) {
      mixed.pauses.take(localIndex, now);
      record.state = mixed.begin(localIndex, operation.removes);
      return;
    }
    record.locals = this.#objectsOf(turn, operation);
    for (const object of record.locals) {
      mixed.pauses.take(object, now);
      record.state = mixed.begin(object, true);
    }
  }

  /**
   * @param {number} request
   * @param {Operation} operation
   */
  #objectsOf(request, operation) {
    const { targets, amounts, members } = this.#workload.trace;
    if (!isBatch(operation)) {
      return Uint32Array.of(targets[request]);
    }
    const objects = [];
    for (let at = MEMBER_VALUES * amounts[request]; at !== 0; at = MEMBER_VALUES * members[at + 2]) {
      objects.push(members[at]);
    }
    return Uint32Array.from(objects);
  }
}

/** Whether an operation removes several objects. @param {Operation} operation */
function isBatch({ removes, grouping }) {
  return removes && grouping !== undefined;
}
