/**
 * @import { OperationRecord } from '../operations/operation-record.js'
 * @import { StageMeters } from '../meter/stage-meter.js'
 * @import { Budget } from './budget.js'
 * @import { StageClaims } from './claims-for.js'
 */

/** Starts a thread's next operation when its previous one ends. */
export class ClosedLoop {
  #budget;

  /** @param {Budget} budget */
  constructor(budget) {
    this.#budget = budget;
  }

  /**
   * @param {{ claims: Pick<StageClaims, 'next'>, perform: (record: OperationRecord) => Promise<void>,
   *   meters: Pick<StageMeters, 'kinds'> }} options `meters` is unused: a closed loop has no start delays
   * @returns {{ claim: (record: OperationRecord) => number,
   *   work: (record: OperationRecord, claim: number) => Promise<void> }} see runPool
   */
  work({ claims, perform }) {
    return { claim: (record) => claims.next(record), work: perform };
  }

  /** No thread is ever idle. */
  wasIdle() {
    return false;
  }

  /** Operations have no scheduled start, so none can be late. */
  backlog() {
    return 0;
  }

  close() {
    this.#budget.close();
  }
}
