const REFRESH_MS = 250;

/** The live line of the stage under way: how far it is, how fast, and how long it still takes. */
export class Progress {
  #terminal;
  #now;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /**
   * @param {Pick<import('./terminal.js').Terminal, 'isLive' | 'live'>} terminal
   * @param {() => number} now monotonic ms
   */
  constructor(terminal, now) {
    this.#terminal = terminal;
    this.#now = now;
  }

  /** @param {Pick<import('../run/benchmark-run.js').StagePlan, 'stage' | 'objects' | 'done'>} plan */
  start({ stage, objects, done }) {
    if (!this.#terminal.isLive) {
      return;
    }
    const startedAt = this.#now();
    this.#timer = setInterval(() => {
      this.#terminal.live(progressLine({ stage, objects, done: done(), elapsed: this.#now() - startedAt }));
    }, REFRESH_MS);
  }

  stop() {
    clearInterval(this.#timer);
    this.#terminal.live('');
  }
}

/**
 * @param {object} state
 * @param {string} state.stage
 * @param {number} state.objects
 * @param {number} state.done operations
 * @param {number} state.elapsed ms since the stage began
 * @returns {string}
 */
export function progressLine({ stage, objects, done, elapsed }) {
  const rate = done / (elapsed / 1000);
  const left = done === 0 ? '' : `  ${formatTime((objects - done) / rate)} left`;
  return `${stage}  ${done} of ${objects}  ${Math.floor((done / objects) * 100)}%  ${Math.round(rate)} ops/s${left}`;
}

/** @param {number} seconds */
function formatTime(seconds) {
  const whole = Math.ceil(seconds);
  const minutes = Math.floor(whole / 60);
  return minutes === 0 ? `${whole}s` : `${minutes}m ${whole % 60}s`;
}
