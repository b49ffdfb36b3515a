import { sumOfSnapshots } from '../meter/stage-snapshot.js';

/** @import { StageSnapshot } from '../model/run-events.js' */

/** The counts of a stage over all of its steps. They never decrease, and finally equal the counts in the result. */
export class StageTotals {
  /** Sum of the finished steps. @type {StageSnapshot | null} */
  #over = null;
  /** Latest snapshot of the step in progress. @type {StageSnapshot | null} */
  current = null;
  isRunning = false;

  /** @param {StageSnapshot} snapshot */
  take(snapshot) {
    this.current = snapshot;
    if (snapshot.isFinal) {
      this.#endStep();
    }
  }

  /** Ends the stage. If the last step has no final snapshot, its latest one counts. */
  end() {
    this.isRunning = false;
    this.#endStep();
  }

  /** Null before the first snapshot. */
  get sum() {
    const parts = [this.#over, this.current].filter((part) => part !== null);
    return parts.length === 0 ? null : sumOfSnapshots(parts);
  }

  #endStep() {
    this.#over = this.sum;
    this.current = null;
  }
}
