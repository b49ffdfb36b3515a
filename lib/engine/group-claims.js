/**
 * @import { StageMeters } from '../meter/stage-meter.js'
 * @import { Workload } from '../operations/operation.js'
 * @import { OperationRecord } from '../operations/operation-record.js'
 * @import { Stage } from '../operations/stage.js'
 * @import { ObjectGroup, ObjectGroups } from '../workload/object-groups.js'
 * @import { Budget } from './budget.js'
 */

/** As Claims, where an operation is about several objects: each claim is of a group of them. */
export class GroupClaims {
  #operation;
  #groups;
  #workload;
  #budget;
  #meters;

  /**
   * @param {Pick<Stage, 'kinds'>} stage of one kind
   * @param {object} options
   * @param {ObjectGroups} options.groups
   * @param {Workload} options.workload
   * @param {Budget} options.budget of as many operations as there are groups
   * @param {StageMeters} options.meters that count what is skipped
   */
  constructor({ kinds: [{ operation }] }, { groups, workload, budget, meters }) {
    this.#operation = operation;
    this.#groups = groups;
    this.#workload = workload;
    this.#budget = budget;
    this.#meters = meters;
  }

  /**
   * Claims the next operation for a thread. A group of which no object was written is passed over, and what was not written is
   * not removed. Where groups go round and there is no object of any, the stage is at its end.
   *
   * @param {OperationRecord} record of the thread, which is filled in
   * @returns {number} of the claim from 0, or -1 where there is no more work
   */
  next(record) {
    let missed = 0;
    for (let claim = this.#budget.claim(); claim >= 0; claim = this.#budget.claim()) {
      const group = this.#groups.at(this.#budget.localIndexOf(claim));
      const there = this.#thereOf(group);
      if (there.length > 0) {
        const locals = this.#operation.removes ? there : group.locals;
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

  /** Each operation has its objects when it is claimed. */
  place() {
    return 0;
  }

  /** Nothing to release: no other operation waits for its object. */
  done() {}

  /**
   * @param {ObjectGroup} group
   * @returns {Uint32Array} its objects that are there, as far as the run knows
   */
  #thereOf({ locals }) {
    const { written, wroteObjects } = this.#workload;
    return wroteObjects ? locals.filter((local) => written.has(local)) : locals;
  }

  /** Whether any object of the groups is there. Claims of one worker alone do not show it: others may have had that group. */
  #hasObjects() {
    for (let number = 0; number < this.#groups.count; number++) {
      if (this.#thereOf(this.#groups.at(number)).length > 0) {
        return true;
      }
    }
    return false;
  }
}
