import { Deck } from '../workload/mix.js';
import { MixedObjects } from '../workload/mixed-objects.js';

/**
 * @import { StageMeters } from '../meter/stage-meter.js'
 * @import { Operation, Workload } from '../operations/operation.js'
 * @import { OperationRecord } from '../operations/operation-record.js'
 * @import { Stage, StageKind } from '../operations/stage.js'
 * @import { ObjectGroups } from '../workload/object-groups.js'
 * @import { MixedMemory } from '../workload/mixed-objects.js'
 * @import { Budget } from './budget.js'
 *
 * @typedef {(claim: number) => number} AccessOrder the index of a claim's object in the stage, from 0
 */

/** Bounds of the wait before an object is looked at again. */
export const MIN_WAIT_MS = 1;
export const MAX_WAIT_MS = 100;

/**
 * Decides what a worker's threads do next: see StageClaims. Each claim has a kind and an object. Both depend only on
 * the claim's number, so all workers agree on them.
 */
export class Claims {
  #kinds;
  #kindOf;
  #workload;
  #knowsObjects;
  #allNeedObjects;
  #budget;
  /** By kind. @type {(AccessOrder | null)[]} */
  #orders;
  /** How an operation gets its object, by kind. */
  #takes;
  #meters;
  #now;
  /** Spaces out the replacements of an object; null if the stage replaces none. */
  #replaced;

  /**
   * @param {Pick<Stage, 'kinds'>} stage
   * @param {object} options
   * @param {Workload} options.workload
   * @param {Budget} options.budget
   * @param {StageMeters} options.meters that count skipped operations
   * @param {AccessOrder | null} [options.order] for operations that follow the access pattern; null to go in order
   * @param {readonly (ObjectGroups | null)[]} [options.kindGroups] of operations on several objects, by kind
   * @param {string} options.seed for the order of kinds
   * @param {MixedMemory} [options.replaced] of a stage that replaces objects
   * @param {() => number} options.now ms, by a clock that all workers share
   */
  constructor({ kinds }, { workload, budget, meters, order = null, kindGroups = [], replaced, seed, now }) {
    this.#kinds = kinds;
    this.#kindOf = kindOrder(kinds, seed);
    this.#workload = workload;
    this.#knowsObjects = workload.wroteObjects;
    this.#allNeedObjects = kinds.every(({ operation }) => operation.needsObject);
    this.#budget = budget;
    this.#orders = kinds.map(({ operation }) => (operation.followsAccess ? order : null));
    this.#takes = kinds.map(({ operation }, kind) => takeFor(operation, kind, kindGroups[kind] ?? null, workload));
    this.#meters = meters;
    this.#now = now;
    this.#replaced = replaced ? new MixedObjects(replaced) : null;
  }

  /**
   * Passes over claims whose object was not written. If the stage cycles through its objects, this recurs in every
   * cycle, so it does not count as skipped work. If no object is left, the stage ends instead of cycling forever.
   *
   * @param {OperationRecord} record
   */
  next(record) {
    const { ledger } = this.#workload;
    let missed = 0;
    for (let claim = this.#budget.claim(); claim >= 0; claim = this.#budget.claim()) {
      const kind = this.#kindOf(claim);
      const { operation } = this.#kinds[kind];
      const order = this.#orders[kind];
      const object = order === null ? this.#budget.localIndexOf(claim) : this.#budget.localIndexAt(order(claim));
      if (!this.#knowsObjects || !operation.needsObject || ledger.has(object)) {
        this.#takes[kind](record, object, claim);
        return claim;
      }
      if (!this.#budget.cycles) {
        // Objects removed by a mixed load do not count as skipped work.
        this.#meters.kinds[kind].skipped += Number(!this.#workload.mixed);
        continue;
      }
      missed += 1;
      if (this.#allNeedObjects && missed % this.#budget.objects === 0 && !this.#hasObjects()) {
        this.#budget.close();
      }
    }
    return -1;
  }

  /** Waits until the object, which {@link next} has chosen, may be replaced. @param {OperationRecord} record */
  place({ localIndex }) {
    if (this.#replaced === null) {
      return 0;
    }
    const { pauses } = this.#replaced;
    const now = this.#now();
    return pauses.take(localIndex, now)
      ? 0
      : Math.min(Math.max(pauses.freeFrom(localIndex) - now, MIN_WAIT_MS), MAX_WAIT_MS);
  }

  /** @param {OperationRecord} record */
  done(record) {
    (this.#replaced ?? this.#workload.mixed)?.ended(record, this.#now);
  }

  /** Whether any object of the stage exists. Checks all: other workers may have claimed the only one that exists. */
  #hasObjects() {
    const { objects } = this.#budget;
    for (let turn = 0; turn < objects; turn++) {
      if (this.#workload.ledger.has(this.#budget.localIndexOf(turn))) {
        return true;
      }
    }
    return false;
  }
}

/**
 * @param {readonly StageKind[]} kinds
 * @param {string} seed
 * @returns {(claim: number) => number} the index of the claim's kind; kinds occur in proportion to their weights
 */
export function kindOrder(kinds, seed) {
  if (kinds.length === 1) {
    return () => 0;
  }
  const deck = new Deck(
    kinds.map(({ weight }) => weight),
    seed,
  );
  return (claim) => deck.kindOf(claim);
}

/**
 * @param {Operation} operation
 * @param {number} kind
 * @param {ObjectGroups | null} groups null if the operation works on one object
 * @param {Pick<Workload, 'mixed'>} workload
 * @returns {(record: OperationRecord, object: number, claim: number) => void}
 */
function takeFor(operation, kind, groups, { mixed }) {
  if (groups !== null) {
    return (record, _object, claim) => record.takeGroup(kind, operation, groups.at(claim % groups.count), claim);
  }
  if (mixed && operation.creates) {
    return (record, object, claim) => {
      record.take(kind, operation, object, claim);
      record.state = mixed.begin(object, false);
    };
  }
  return (record, object, claim) => record.take(kind, operation, object, claim);
}
