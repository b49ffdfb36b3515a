/**
 * @import { StageMeters } from '../meter/stage-meter.js'
 * @import { Workload } from '../operations/operation.js'
 * @import { OperationRecord } from '../operations/operation-record.js'
 * @import { Stage } from '../operations/stage.js'
 * @import { ObjectGroups } from '../workload/object-groups.js'
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
   * @param {Stage} stage of one kind
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
   * not removed.
   *
   * @param {OperationRecord} record of the thread, which is filled in
   * @returns {number} of the claim from 0, or -1 where there is no more work
   */
  next(record) {
    const { written, wroteObjects } = this.#workload;
    for (let claim = this.#budget.claim(); claim >= 0; claim = this.#budget.claim()) {
      const group = this.#groups.at(this.#budget.localIndexOf(claim));
      const there = wroteObjects ? group.locals.filter((local) => written.has(local)) : group.locals;
      if (there.length > 0) {
        const locals = this.#operation.removes ? there : group.locals;
        record.takeGroup(0, this.#operation, { ...group, locals }, claim);
        return claim;
      }
      if (!this.#budget.goesRound) {
        this.#meters.kinds[0].skipped += 1;
      } else if (written.count === 0) {
        return -1;
      }
    }
    return -1;
  }
}
