/**
 * @import { StageMeters } from '../meter/stage-meter.js'
 * @import { Workload } from '../operations/operation.js'
 * @import { OperationRecord } from '../operations/operation-record.js'
 * @import { Stage } from '../operations/stage.js'
 * @import { ObjectGroup, ObjectGroups } from '../workload/object-groups.js'
 * @import { Budget } from './budget.js'
 */

/** Like Claims, but each claim is for an operation on a group of objects. */
export class GroupClaims {
  #operation;
  #groups;
  #workload;
  #budget;
  #meters;

  /**
   * @param {Pick<Stage, 'kinds'>} stage of one kind
   * @param {{ groups: ObjectGroups, workload: Workload, budget: Budget, meters: StageMeters }} options the budget has
   *   one operation per group; the meters count skipped operations
   */
  constructor({ kinds: [{ operation }] }, { groups, workload, budget, meters }) {
    this.#operation = operation;
    this.#groups = groups;
    this.#workload = workload;
    this.#budget = budget;
    this.#meters = meters;
  }

  /**
   * Passes over groups without written objects. An operation that removes objects gets only those that were written.
   * If the stage cycles through its groups and none has an object left, the stage ends.
   *
   * @param {OperationRecord} record
   */
  next(record) {
    let missed = 0;
    for (let claim = this.#budget.claim(); claim >= 0; claim = this.#budget.claim()) {
      const group = this.#groups.at(this.#budget.localIndexOf(claim));
      const existing = this.#existingOf(group);
      if (existing.length > 0) {
        const locals = this.#operation.removes ? existing : group.locals;
        record.takeGroup(0, this.#operation, { ...group, locals }, claim);
        return claim;
      }
      if (!this.#budget.cycles) {
        this.#meters.kinds[0].skipped += 1;
        continue;
      }
      missed += 1;
      if (missed % this.#budget.objects === 0 && !this.#hasObjects()) {
        this.#budget.close();
      }
    }
    return -1;
  }

  /** Succeeds at once: {@link next} has already chosen the objects. */
  place() {
    return 0;
  }

  /** Does nothing, because operations do not lock objects. */
  done() {}

  /**
   * @param {ObjectGroup} group
   * @returns {Uint32Array} objects of the group that exist, as far as the run knows
   */
  #existingOf({ locals }) {
    const { ledger, wroteObjects } = this.#workload;
    return wroteObjects ? locals.filter((local) => ledger.has(local)) : locals;
  }

  /** Whether any group has an object. Checks all groups: other workers may have claimed the only one with objects. */
  #hasObjects() {
    for (let number = 0; number < this.#groups.count; number++) {
      if (this.#existingOf(this.#groups.at(number)).length > 0) {
        return true;
      }
    }
    return false;
  }
}
