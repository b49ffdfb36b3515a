import { sumOfSnapshots } from '../meter/stage-snapshot.js';

/** @import { StageSnapshot } from '../model/run-events.js' */

/** The counts of a stage over all of its steps. None of them ever decreases, and in the end they are those of the result. */
export class StageTotals {
  /** Of the steps that are over. @type {StageSnapshot | null} */
  #over = null;
  /** The last one of the step in progress. @type {StageSnapshot | null} */
  current = null;
  isRunning = false;

  /** @param {StageSnapshot} snapshot */
  take(snapshot) {
    this.current = snapshot;
    if (snapshot.isFinal) {
      this.#endStep();
    }
  }

  /** The stage is over: what its last step had not settled stays as it was last seen. */
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
