import { OPERATIONS } from '../operations/registry.js';
import { MEMBER_VALUES } from '../workload/trace.js';
import { MAX_WAIT_MS, MIN_WAIT_MS } from './claims.js';

/**
 * @import { OperationRecord } from '../operations/operation-record.js'
 * @import { Workload } from '../operations/operation.js'
 * @import { StageKind } from '../operations/stage.js'
 * @import { MixedObjects } from '../workload/mixed-objects.js'
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
      record.turn = claim;
      record.kind = this.#kindOf[this.#workload.trace.codes[claim]];
    }
    return claim;
  }

  /** @param {OperationRecord} record @returns {number} 0, or ms to wait */
  place(record) {
    const { kind, turn } = record;
    const { operation } = this.#kinds[kind];
    const { mixed, trace } = this.#workload;
    const changes = operation.creates || operation.removes ? this.#changesOf(turn) : [];
    const pauses = mixed.pausesOf(operation);
    const now = this.#now();
    const objects = changes.length === 0 ? [trace.targets[turn]] : changes.map(({ object }) => object);
    const isNext = changes.every(({ object, earlier }) => mixed.lastBegun(object) >>> 1 === earlier);
    const freeFrom = pauses === null ? 0 : Math.max(...objects.map((object) => pauses.freeFrom(object)));
    if (!isNext || freeFrom > now || (operation.copies && !pauses?.take(objects[0], now))) {
      return freeFrom === Infinity || !isNext
        ? MIN_WAIT_MS
        : Math.min(Math.max(freeFrom - now, MIN_WAIT_MS), MAX_WAIT_MS);
    }
    record.take(kind, operation, objects[0], turn);
    if (changes.length > 0) {
      // No other change is the next one of any of these objects, so all of them are still free.
      objects.forEach((object) => pauses?.take(object, now));
      objects.forEach((object) => (record.state = mixed.begin(object, operation.removes)));
      record.isWrite = true;
      record.locals = Uint32Array.from(objects);
    } else if (operation.part !== undefined) {
      record.size = Math.min(trace.amounts[turn], record.size);
    } else if (operation.grouping !== undefined) {
      record.size = Math.min(trace.amounts[turn] || LIST_KEYS, LIST_KEYS);
    }
    return 0;
  }

  /** @param {OperationRecord} record */
  done(record) {
    const { operation, locals, localIndex } = record;
    const objects = operation.removes && operation.grouping !== undefined ? locals : [localIndex];
    objects.forEach((object) => this.#workload.mixed.ended(record, this.#now, object));
  }

  /**
   * @param {number} request
   * @returns {{ object: number, earlier: number }[]} the objects that it changes, and how often they were changed before
   */
  #changesOf(request) {
    const { codes, targets, amounts, members } = this.#workload.trace;
    if (OPERATIONS[codes[request]].grouping === undefined) {
      return [{ object: targets[request], earlier: amounts[request] }];
    }
    const changes = [];
    for (let at = MEMBER_VALUES * amounts[request]; at !== 0; at = MEMBER_VALUES * members[at + 2]) {
      changes.push({ object: members[at], earlier: members[at + 1] });
    }
    return changes;
  }
}
