import { SharedPauses } from './shared-pauses.js';

/** @import { Pause } from './shared-pauses.js' */

const CLOCK_READINGS = 20;

/** The process was suspended if, for longer than this, no thread read the clock and the process was not busy. */
const MIN_PAUSE_MS = 1000;

/** The main thread reads the clock at least this often. */
const TICK_MS = 250;

/** Maximum number and length of another thread's waits for the main thread. */
const MAX_WAITS = 50;
const WAIT_MS = 10;

/** ms. Keeps the time after a pause greater than the time before it. */
const INSTANT_MS = 0.001;

/** The system truncates its time to whole milliseconds, so half a millisecond is the best correction. */
const wallTime = () => Date.now() + 0.5;

/**
 * A clock in a form that can be sent to another thread.
 *
 * @typedef {object} ClockState
 * @property {number} origin epoch ms at monotonic 0
 * @property {number} systemTime the system's own monotonic time, which all threads share, at monotonic 0, in ms
 * @property {SharedArrayBuffer} memory of {@link SharedPauses}
 */

/**
 * Time for a whole run. It starts from the wall clock and continues with the monotonic clock, so that adjustments of
 * the host's time cannot stretch or drop a second. Once the store's clock is known, it becomes the store's time, so
 * that the seconds of several hosts coincide.
 *
 * While the process is suspended, monotonic time stops and epoch time continues, so that monotonic measurements and
 * limits exclude the pause. All threads are suspended together: a pause shows as a gap between their clock readings,
 * and the first reading after it excludes it.
 */
export class Clock {
  #origin;
  #wallOrigin;
  #wall;
  #system;
  #shared;
  /** Pauses that this thread knows about. @type {Pause[]} */
  #pauses = [];
  #version = 0;
  /** Total ms of all pauses. `#counted` is the part that the system's monotonic time includes. */
  #length = 0;
  #counted = 0;
  /** Monotonic ms of the latest pause. */
  #pausedAt = -Infinity;
  /** CPU demand up to the last tick, if this thread detects pauses. @type {{ at: number, demand: number } | null} */
  #tick = null;
  #demand = () => 0;
  /** @type {NodeJS.Timeout | undefined} */
  #ticking;

  /**
   * @param {object} [sources]
   * @param {() => number} [sources.monotonic] ms from any origin
   * @param {() => number} [sources.wall] epoch ms
   * @param {() => number} [sources.system] ms of the system's own monotonic time
   * @param {SharedArrayBuffer} [sources.memory] of the same clock in another thread
   */
  constructor({ monotonic = () => performance.now(), wall = wallTime, system = systemTime, memory } = {}) {
    const shared = new SharedPauses(memory);
    const { looks, cell } = shared;
    looks[cell] = monotonic();
    /** Monotonic ms. */
    this.now = () => {
      let time = monotonic();
      if (time - looks[cell] > MIN_PAUSE_MS || shared.version !== this.#version) {
        this.#takeOutPauses(time);
        time = monotonic();
      }
      looks[cell] = time;
      return time - this.#counted;
    };
    this.#shared = shared;
    this.#wall = wall;
    this.#system = system;
    this.#origin = this.#wallOrigin = aheadOf(monotonic, wall);
    /** This clock's state, in a form that can be passed to another thread. @type {() => ClockState} */
    this.toState = () => ({
      origin: this.#origin,
      systemTime: aheadOf(monotonic, system),
      memory: shared.memory,
    });
    /** Epoch ms. */
    this.epochNow = () => this.toEpoch(this.now());
  }

  /** Converts to epoch ms. @param {number} monotonic ms */
  toEpoch(monotonic) {
    if (monotonic > this.#pausedAt) {
      return this.#origin + monotonic + this.#length;
    }
    const before = this.#pauses.filter(({ at }) => at < monotonic);
    return this.#origin + monotonic + before.reduce((sum, { length }) => sum + length, 0);
  }

  /** Converts to monotonic ms; a time within a pause becomes the pause's start. @param {number} epoch ms */
  fromEpoch(epoch) {
    return this.#pauses.reduce(
      (monotonic, { at, length }) => (monotonic > at ? Math.max(monotonic - length, at) : monotonic),
      epoch - this.#origin,
    );
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
   * Starts detecting pauses. Call this once, on the clock's first thread.
   *
   * @param {() => number} demand ms that the process had a CPU or waited for one; the rest of a gap is the pause
   * @param {(milliseconds: number) => void} noticed called after a pause
   */
  watchPauses(demand, noticed) {
    let reported = 0;
    const tick = () => {
      this.now();
      this.#tick = { at: this.#system(), demand: demand() };
      if (this.#length > reported) {
        noticed(this.#length - reported);
        reported = this.#length;
      }
    };
    this.#demand = demand;
    tick();
    this.#ticking = setInterval(tick, TICK_MS).unref();
    this.#shared.watch();
  }

  close() {
    clearInterval(this.#ticking);
  }

  /** Adds a suspension that also stopped the system's monotonic time. @param {number} length ms, by other clocks */
  addSuspension(length) {
    this.#shared.add({ at: this.now(), length, counted: 0 });
  }

  /** ms that the host's wall clock has gained on this clock. */
  get wallLead() {
    return this.#wall() - this.#wallOrigin - this.now() - this.#length;
  }

  /**
   * The same clock in another thread, where Node's monotonic time has a different origin.
   *
   * @param {ClockState} state
   * @returns {Clock}
   */
  static fromState({ origin, systemTime: atZero, memory }) {
    const shift = aheadOf(() => performance.now(), systemTime) - atZero;
    const clock = new Clock({ monotonic: () => performance.now() + shift, memory });
    // Use exactly the same origin, so that no time falls into different seconds in different threads.
    clock.#origin = origin;
    return clock;
  }

  /** Shifts the epoch once, before anything is counted. @param {number} offset ms that the store's clock is ahead */
  adjust(offset) {
    this.#origin += offset;
  }

  /** @param {number} time the system's monotonic ms */
  #takeOutPauses(time) {
    const shared = this.#shared;
    if (this.#tick !== null) {
      this.#findPause(time, this.#tick);
    } else if (shared.isWatched) {
      // Only one thread determines the length of a pause. It reads the clock as soon as it runs, unless it is blocked.
      for (let waits = 0; waits < MAX_WAITS && time - shared.firstThreadLook > MIN_PAUSE_MS; waits++) {
        shared.waitWhile(this.#version, WAIT_MS);
      }
    }
    this.#version = shared.version;
    this.#pauses = shared.list();
    this.#length = this.#pauses.reduce((sum, { length }) => sum + length, 0);
    this.#counted = this.#pauses.reduce((sum, { counted }) => sum + counted, 0);
    this.#pausedAt = this.#pauses.at(-1)?.at ?? -Infinity;
  }

  /**
   * @param {number} time the system's monotonic ms
   * @param {{ at: number, demand: number }} tick the latest one
   */
  #findPause(time, tick) {
    const { lastLook, threads } = this.#shared;
    const gap = time - lastLook;
    const sinceTick = this.#system() - tick.at;
    // Maximum demand between the last tick and the last reading: all threads, and one of Node's own, were busy.
    const before = (threads + 1) * (sinceTick - gap);
    const demand = Math.max(this.#demand() - tick.demand - before, 0);
    const length = Math.min(gap, sinceTick) - demand - INSTANT_MS;
    if (length > MIN_PAUSE_MS) {
      this.#shared.add({ at: lastLook - this.#counted, length, counted: length });
    }
  }
}

/** @returns {number} ms */
function systemTime() {
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
