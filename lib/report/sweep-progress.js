import { rounded } from '../text/figures.js';
import { formatDuration } from '../text/units.js';
import { rateOf } from './answer.js';
import { formatCleanupProgress, shareDone, StagePace } from './progress.js';

/**
 * @import { CleanupProgress, DataFlow, FailedOperation, Phase, StageStart } from '../model/run-events.js'
 * @import { SweepTurn } from '../series/sweep-plan.js'
 * @import { Listener, Screen } from './reporter.js'
 */

const REFRESH_MS = 500;

/** Shows what the run in progress does and how many are left. @implements {Listener} */
export class SweepProgress {
  #screen;
  #now;
  #total;
  #ended;
  /** Runs that ended before this sweep started. */
  #before;
  #startedAt;
  /** When the latest run ended. */
  #endedAt;
  #label = '';
  /** What the run is doing. */
  #work = () => 'starting';
  /** @type {StagePace | null} */
  #pace = null;
  /** @type {string | null} */
  #firstError = null;
  /** @type {Set<string>} */
  #warnings = new Set();
  #timer;

  /**
   * @param {Pick<Screen, 'err' | 'live' | 'isLive'>} screen
   * @param {{ now: () => number, before: number, total: number, quiet: boolean }} options `now` in monotonic ms;
   *   `before`: runs of `total` that an earlier sweep made
   */
  constructor(screen, { now, before, total, quiet }) {
    this.#screen = quiet ? { err() {}, live() {}, isLive: false } : screen;
    this.warning = (/** @type {string} */ message) => {
      if (!this.#warnings.has(message)) {
        this.#warnings.add(message);
        screen.err(`warning: ${this.#label}: ${message}`);
      }
    };
    this.#now = now;
    this.#before = this.#ended = before;
    this.#total = total;
    this.#startedAt = this.#endedAt = now();
    this.#timer = setInterval(() => this.#show(), REFRESH_MS);
  }

  /** @param {string} label of the cell */
  starts(label) {
    this.#label = label;
    this.#work = () => 'starting';
    this.#firstError = null;
    this.#show();
  }

  /**
   * @param {Omit<SweepTurn, 'cell'>} turn
   * @returns {string | null} why the run failed, with the first error of an operation
   */
  ends({ problem, result }) {
    this.#ended += 1;
    this.#endedAt = this.#now();
    const reason = problem === null || this.#firstError === null ? problem : `${problem}: ${this.#firstError}`;
    const rates = (result?.stages ?? []).map((stage) => `${stage.stage} ${rounded(rateOf(stage) ?? 0)}`);
    const outcome = reason === null ? `${rates.join(', ')} ops/s` : `failed: ${reason}`;
    const left = this.#screen.isLive ? '' : ` (${this.#left()})`;
    this.#screen.err(`${this.#ended} of ${this.#total}, ${this.#label}: ${outcome}${left}`);
    return reason;
  }

  /** @param {Phase} phase */
  phaseStarts({ text }) {
    this.#work = () => text;
  }

  /** @param {StageStart} plan */
  stageStarts({ objects, operations = objects, ...plan }) {
    const pace = new StagePace({ ...plan, objects: operations }, this.#now());
    this.#pace = pace;
    this.#work = () => {
      const state = pace.state(this.#now());
      return `${plan.stage} ${Math.floor(100 * shareDone(state))}%, ${rounded(state.rate)} ops/s`;
    };
  }

  /**
   * @param {number} done
   * @param {DataFlow} flow
   */
  progress(done, flow) {
    this.#pace?.record(this.#now(), done, flow);
  }

  /**
   * @param {string} _stage
   * @param {FailedOperation} _operation
   * @param {string} message
   */
  failed(_stage, _operation, message) {
    this.#firstError ??= message;
  }

  /**
   * @param {string} _stage
   * @param {string} message
   */
  integrityError(_stage, message) {
    this.#firstError ??= message;
  }

  /** @param {CleanupProgress} progress */
  cleanupProgress(progress) {
    this.#work = () => formatCleanupProgress(progress);
  }

  close() {
    clearInterval(this.#timer);
    this.#screen.live('');
  }

  /** Such as `5 left, about 1m 20s`; the time is known once a run has ended. */
  #left() {
    const [left, ended] = [this.#total - this.#ended, this.#ended - this.#before];
    const mean = (this.#endedAt - this.#startedAt) / ended;
    const milliseconds = left * mean - (this.#now() - this.#endedAt);
    const time = ended === 0 || left === 0 ? '' : `, about ${formatDuration(milliseconds)}`;
    return `${left} left${time}`;
  }

  #show() {
    this.#screen.live(`${this.#label}: ${this.#work()} (${this.#left()})`);
  }
}
