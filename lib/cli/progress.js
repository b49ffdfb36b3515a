/** The live line of the stage under way: how far it is, how fast, and how long it still takes. */
export class Progress {
  #terminal;
  #now;
  #startedAt = 0;
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
  }

  /** @param {number} done operations of the stage that have come to an end */
  show(done) {
    if (this.#plan !== null) {
      const { stage, objects, duration } = this.#plan;
      const elapsed = this.#now() - this.#startedAt;
      this.#terminal.live(progressLine({ stage, objects, duration, done, elapsed }));
    }
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
 * @returns {string}
 */
export function progressLine({ stage, objects, duration, done, elapsed }) {
  const rate = done / (elapsed / 1000);
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
