/** How long before it is shown a rate is measured. ms */
const RATE_OVER_MS = 5000;

/** The live line of the stage under way: how far it is, how fast it goes now, and how long it still takes. */
export class Progress {
  #terminal;
  #now;
  #startedAt = 0;
  /** What was shown in the last while. @type {{ at: number, done: number }[]} */
  #shown = [];
  /** @type {Pick<import('../run/benchmark-run.js').StagePlan, 'stage' | 'objects' | 'duration'> | null} */
  #plan = null;

  /**
   * @param {Pick<import('./terminal.js').Terminal, 'live'>} terminal
   * @param {() => number} now monotonic ms
   */
  constructor(terminal, now) {
    this.#terminal = terminal;
    this.#now = now;
  }

  /** @param {Pick<import('../run/benchmark-run.js').StagePlan, 'stage' | 'objects' | 'duration'>} plan */
  start(plan) {
    this.#plan = plan;
    this.#startedAt = this.#now();
    this.#shown = [{ at: this.#startedAt, done: 0 }];
  }

  /** @param {number} done operations of the stage that have come to an end */
  show(done) {
    if (this.#plan !== null) {
      const { stage, objects, duration } = this.#plan;
      const now = this.#now();
      const elapsed = now - this.#startedAt;
      const rate = this.#rateAt(now, done);
      this.#terminal.live(progressLine({ stage, objects, duration, done, elapsed, rate }));
    }
  }

  /**
   * @param {number} now monotonic ms
   * @param {number} done
   * @returns {number} ops/s of the last while
   */
  #rateAt(now, done) {
    this.#shown.push({ at: now, done });
    while (this.#shown.length > 2 && this.#shown[1].at <= now - RATE_OVER_MS) {
      this.#shown.shift();
    }
    const [first] = this.#shown;
    return (1000 * (done - first.done)) / (now - first.at);
  }

  stop() {
    this.#plan = null;
    this.#terminal.live('');
  }
}

/**
 * @param {object} state
 * @param {string} state.stage
 * @param {number} state.objects
 * @param {number | null} state.duration ms, where it is time that ends the stage
 * @param {number} state.done operations
 * @param {number} state.elapsed ms since the stage began
 * @param {number} state.rate ops/s of now
 * @returns {string}
 */
export function progressLine({ stage, objects, duration, done, elapsed, rate }) {
  const share = duration === null ? done / objects : Math.min(elapsed / duration, 1);
  const left = duration === null ? (objects - done) / rate : (duration - elapsed) / 1000;
  const end = Number.isFinite(left) ? `  ${formatTime(Math.max(left, 0))} left` : '';
  const what = duration === null ? `${done} of ${objects}` : `${done} operations`;
  return `${stage}  ${what}  ${Math.floor(share * 100)}%  ${Math.round(rate)} ops/s${end}`;
}

/** @param {number} seconds */
function formatTime(seconds) {
  const whole = Math.ceil(seconds);
  const minutes = Math.floor(whole / 60);
  return minutes === 0 ? `${whole}s` : `${minutes}m ${whole % 60}s`;
}
