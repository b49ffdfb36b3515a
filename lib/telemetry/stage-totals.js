import { sumOfSnapshots } from '../model/records.js';

/** @import { StageSnapshot } from '../model/records.js' */

/** The counts of a stage over all of its steps. They never decrease, and finally equal the counts in the result. */
export class StageTotals {
  /** Sum of the finished steps. @type {StageSnapshot | null} */
  #over = null;
  /** Latest snapshots of the workers in the step in progress. @type {readonly StageSnapshot[]} */
  #ofWorkers = [];
  isRunning = false;

  /** @param {readonly StageSnapshot[]} ofWorkers at least one */
  take(ofWorkers) {
    this.#ofWorkers = ofWorkers;
    if (ofWorkers[0].isFinal) {
      this.#endStep();
    }
  }

  /** The step in progress; null if there is none. */
  get current() {
    return this.#ofWorkers.length === 0 ? null : sumOfSnapshots(this.#ofWorkers);
  }

  /** Ends the stage. If the last step has no final snapshot, its latest one counts. */
  end() {
    this.isRunning = false;
    this.#endStep();
  }

  /** Null before the first snapshot. */
  get sum() {
    const parts = [...(this.#over === null ? [] : [this.#over]), ...this.#ofWorkers];
    return parts.length === 0 ? null : sumOfSnapshots(parts);
  }

  #endStep() {
    this.#over = this.sum;
    this.#ofWorkers = [];
  }
}
