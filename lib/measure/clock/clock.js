import { uptime } from 'node:os';

const CLOCK_READINGS = 20;

/**
 * A thread reads the clock at least this often, so a far longer gap is a suspension. As a pause is longer than two
 * seconds, it includes a whole second, and shows as a gap between the seconds of a stage.
 */
const TICK_MS = 250;
const MIN_PAUSE_MS = 2000;

/** ms. Keeps the time after a pause greater than the time before it. */
const INSTANT_MS = 0.001;

/** The system truncates its time to whole milliseconds, so half a millisecond is the best correction. */
const wallTime = () => Date.now() + 0.5;

/** Unlike monotonic time, the system's uptime continues while the machine sleeps. */
const systemUptime = () => 1000 * uptime();

/** In ms, on all threads. */
const processTime = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/**
 * A clock in a form that can be sent to another thread.
 *
 * @typedef {object} ClockState
 * @property {number} origin epoch ms at monotonic 0
 * @property {number} systemTime the system's own monotonic time, which all threads share, at monotonic 0, in ms
 */

/**
 * Time during which the process or its machine was suspended.
 *
 * @typedef {object} Pause
 * @property {number} at monotonic ms, which do not advance during the pause
 * @property {number} length ms of the epoch
 */

/**
 * Time for a whole run. It starts from the wall clock and continues with the monotonic clock, so that adjustments of
 * the host's time cannot stretch or drop a second. Once the store's clock is known, it becomes the store's time, so
 * that the seconds of several hosts coincide.
 *
 * While the process is suspended, monotonic time stops and epoch time continues, so that monotonic measurements and
 * limits exclude the pause. Each thread finds the pause on its own, before it acts on the time after it. Threads can
 * differ by a tick in where the pause began.
 */
export class Clock {
  #origin;
  /** The system's monotonic ms at monotonic 0, as long as there was no pause. */
  #system;
  /** @type {Pause[]} */
  #pauses = [];
  /** Total ms of all pauses. `#counted` is the part during which the system's monotonic time advanced. */
  #length = 0;
  #counted = 0;
  /** Monotonic ms of the latest pause. */
  #pausedAt = -Infinity;
  /** The latest tick; null unless this clock detects pauses. @type {{ time: number, up: number, demand: number } | null} */
  #tick = null;
  #demand;
  #up;
  /** @type {NodeJS.Timeout | undefined} */
  #ticking;

  /**
   * @param {object} [sources]
   * @param {() => number} [sources.monotonic] ms from any origin
   * @param {() => number} [sources.wall] epoch ms
   * @param {() => number} [sources.demand] ms of CPU time that this process has taken
   * @param {() => number} [sources.up] ms since the system started, including those in which it slept
   */
  constructor({ monotonic = () => performance.now(), wall = wallTime, demand = processTime, up = systemUptime } = {}) {
    // An array, because assigning a number to a variable of a closure allocates memory.
    const read = new Float64Array([monotonic()]);
    /** Monotonic ms. */
    this.now = () => {
      const time = monotonic();
      if (time - read[0] > MIN_PAUSE_MS && this.#tick !== null) {
        this.#leaveOutGap(read[0], time, this.#tick);
      }
      read[0] = time;
      return time - this.#counted;
    };
    this.#demand = demand;
    this.#up = up;
    this.#origin = aheadOf(monotonic, wall);
    this.#system = aheadOf(monotonic, systemTime);
    /** Epoch ms. */
    this.epochNow = () => this.toEpoch(this.now());
  }

  /** Converts to epoch ms. @param {number} monotonic ms */
  toEpoch(monotonic) {
    if (monotonic > this.#pausedAt) {
      return this.#origin + this.#length + monotonic;
    }
    const before = this.#pauses.filter(({ at }) => at < monotonic);
    return this.#origin + before.reduce((sum, { length }) => sum + length, 0) + monotonic;
  }

  /** Converts to monotonic ms; a time within a pause becomes the pause's start. @param {number} epoch ms */
  fromEpoch(epoch) {
    return this.#pauses.reduce(
      (monotonic, { at, length }) => (monotonic > at ? Math.max(monotonic - length, at) : monotonic),
      epoch - this.#origin,
    );
  }

  /** Converts a time after all pauses to the system's own monotonic ms. @param {number} monotonic ms */
  toSystem(monotonic) {
    return this.#system + this.#counted + monotonic;
  }

  /**
   * @param {number} from epoch ms
   * @param {number} until epoch ms
   * @returns {number} ms of suspension in between
   */
  pausedBetween(from, until) {
    return this.#pauses.reduce((sum, { at, length }) => {
      const start = this.toEpoch(at);
      return sum + Math.max(Math.min(start + length, until) - Math.max(start, from), 0);
    }, 0);
  }

  /**
   * @param {number} startedAt monotonic ms
   * @param {number} finishedAt monotonic ms
   * @returns {boolean} whether a suspension in between makes the duration unknown
   */
  wasSuspended(startedAt, finishedAt) {
    return startedAt <= this.#pausedAt && this.#pausedAt <= finishedAt;
  }

  /**
   * Starts detecting pauses on this thread.
   *
   * @param {(message: string) => void} warn called after a pause
   */
  watchPauses(warn) {
    let reported = 0;
    const tick = () => {
      const time = this.now() + this.#counted;
      const up = this.#up();
      const slept = this.#tick === null ? 0 : up - this.#tick.up - (time - this.#tick.time);
      if (slept > MIN_PAUSE_MS) {
        this.#add({ at: time - this.#counted, length: slept });
      }
      this.#tick = { time, up, demand: this.#demand() };
      if (this.#length > reported) {
        const seconds = ((this.#length - reported) / 1000).toFixed(1);
        warn(`this process was suspended for ${seconds}s: that time is excluded from rates and percentiles`);
        reported = this.#length;
      }
    };
    tick();
    this.#ticking = setInterval(tick, TICK_MS).unref();
  }

  close() {
    clearInterval(this.#ticking);
  }

  /** @returns {ClockState} */
  toState() {
    return { origin: this.#origin + this.#length, systemTime: this.toSystem(0) };
  }

  /**
   * The same clock in another thread, where Node's monotonic time has a different origin.
   *
   * @param {ClockState} state
   * @returns {Clock}
   */
  static fromState({ origin, systemTime: atZero }) {
    const shift = aheadOf(() => performance.now(), systemTime) - atZero;
    const clock = new Clock({ monotonic: () => performance.now() + shift });
    // Use exactly the same origin, so that no time falls into different seconds in different threads.
    clock.#origin = origin;
    return clock;
  }

  /** Shifts the epoch once, before anything is counted. @param {number} offset ms that the store's clock is ahead */
  adjust(offset) {
    this.#origin += offset;
  }

  /**
   * A process that computed most of the time did not read the clock either, but was not suspended.
   *
   * @param {number} from monotonic ms of the system
   * @param {number} until monotonic ms of the system
   * @param {{ up: number, demand: number }} tick the latest one
   */
  #leaveOutGap(from, until, tick) {
    const gap = Math.min(until - from, this.#up() - tick.up);
    if (gap > MIN_PAUSE_MS && this.#demand() - tick.demand < gap / 2) {
      const length = gap - INSTANT_MS;
      this.#add({ at: from - this.#counted, length });
      this.#counted += length;
    }
  }

  /** @param {Pause} pause */
  #add(pause) {
    this.#pauses.push(pause);
    this.#length += pause.length;
    this.#pausedAt = pause.at;
  }
}

/** The system's own monotonic time, which all threads share. @returns {number} ms */
export function systemTime() {
  return Number(process.hrtime.bigint()) / 1e6;
}

/**
 * Two clocks cannot be read simultaneously, and a thread can be delayed many milliseconds between readings. The fastest
 * of several attempts counts.
 *
 * @param {() => number} monotonic ms
 * @param {() => number} other ms
 * @returns {number} ms by which the other clock is ahead of the monotonic one
 */
function aheadOf(monotonic, other) {
  let shortest = Infinity;
  let ahead = 0;
  for (let tries = 0; tries < CLOCK_READINGS; tries++) {
    const before = monotonic();
    const reading = other();
    const after = monotonic();
    if (after - before < shortest) {
      shortest = after - before;
      ahead = reading - (before + after) / 2;
    }
  }
  return ahead;
}
