import { formatDuration, formatMegabytes } from '../text/units.js';

/**
 * @import { CleanupProgress, DataFlow, Phase, StageStart } from '../model/run-events.js'
 * @import { Screen } from './reporter.js'
 */

/** How long before it is shown a rate is measured. ms */
const RATE_OVER_MS = 5000;

/**
 * @typedef {Pick<StageStart, 'stage' | 'objects' | 'bytesPerOperation' | 'duration' | 'isSearch'>} Plan
 *
 * @typedef {object} Sight what was seen of a stage at one moment
 * @property {number} at monotonic ms
 * @property {number} done operations that have come to an end
 * @property {number} worked the same, with the parts of operations whose objects are on the way
 * @property {number} moved bytes
 */

/**
 * How far a stage is.
 *
 * @typedef {object} StageState
 * @property {string} stage
 * @property {number} objects
 * @property {number} bytesPerOperation bytes that an operation moves; 0 where it moves none
 * @property {number | null} duration ms, where it is time that ends the stage; the longest that a search may take
 * @property {boolean} [isSearch]
 * @property {number} done operations
 * @property {number} worked operations, with the parts of those under way
 * @property {number} elapsed ms since the stage began
 * @property {number} rate ops/s of now
 * @property {number} pace of what has been worked, likewise
 * @property {number} byteRate bytes/s of now, those of failed attempts included
 */

/** How far the stage under way is, and how fast it goes now. */
export class StagePace {
  #plan;
  #startedAt;
  /** What was seen in the last few seconds. @type {Sight[]} */
  #seen;

  /**
   * @param {Plan} plan
   * @param {number} startedAt monotonic ms
   */
  constructor({ stage, objects, bytesPerOperation, duration, isSearch }, startedAt) {
    this.#plan = { stage, objects, bytesPerOperation, duration, isSearch };
    this.#startedAt = startedAt;
    this.#seen = [{ at: startedAt, done: 0, worked: 0, moved: 0 }];
  }

  /**
   * @param {number} now monotonic ms
   * @param {number} done operations of the stage that have come to an end
   * @param {DataFlow} flow
   */
  see(now, done, { moved, underWay }) {
    const { bytesPerOperation } = this.#plan;
    const worked = done + (bytesPerOperation === 0 ? 0 : underWay / bytesPerOperation);
    this.#seen.push({ at: now, done, worked, moved });
    while (this.#seen.length > 2 && this.#seen[1].at <= now - RATE_OVER_MS) {
      this.#seen.shift();
    }
  }

  /**
   * @param {number} now monotonic ms
   * @returns {StageState}
   */
  state(now) {
    const first = this.#seen[0];
    const last = this.#seen[this.#seen.length - 1];
    const aSecond = last.at > first.at ? 1000 / (last.at - first.at) : 0;
    return {
      ...this.#plan,
      done: last.done,
      worked: last.worked,
      elapsed: now - this.#startedAt,
      rate: aSecond * (last.done - first.done),
      pace: aSecond * (last.worked - first.worked),
      byteRate: aSecond * (last.moved - first.moved),
    };
  }
}

/** The live line of the stage under way: how far it is, how fast it goes now, and how long it still takes. */
export class StageProgress {
  #terminal;
  #now;
  /** @type {StagePace | null} */
  #pace = null;

  /**
   * @param {Pick<Screen, 'live'>} terminal
   * @param {() => number} now monotonic ms
   */
  constructor(terminal, now) {
    this.#terminal = terminal;
    this.#now = now;
  }

  /** @param {Plan} plan */
  start(plan) {
    this.#pace = new StagePace(plan, this.#now());
  }

  /**
   * @param {number} done operations of the stage that have come to an end
   * @param {DataFlow} flow
   */
  show(done, flow) {
    if (this.#pace !== null) {
      const now = this.#now();
      this.#pace.see(now, done, flow);
      this.#terminal.live(progressLine(this.#pace.state(now)));
    }
  }

  stop() {
    this.#pace = null;
    this.#terminal.live('');
  }
}

/** @param {StageState} state */
export function progressLine(state) {
  const { stage, bytesPerOperation, rate, byteRate } = state;
  const left = timeLeft(state);
  const end = left === null ? '' : `  ${left}`;
  const data = bytesPerOperation === 0 ? '' : `  ${formatMegabytes(byteRate)} MiB/s`;
  return `${stage}  ${amountDone(state, String)}  ${Math.floor(shareDone(state) * 100)}%  ${Math.round(rate)} ops/s${data}${end}`;
}

/**
 * @param {StageState} state
 * @param {(count: number) => string} format
 * @returns {string} such as `25 of 100`
 */
export function amountDone({ duration, done, objects }, format) {
  return duration === null ? `${format(done)} of ${format(objects)}` : `${format(done)} operations`;
}

/**
 * @param {StageState} state
 * @returns {number} 0 to 1
 */
export function shareDone({ duration, elapsed, worked, done, objects }) {
  return duration === null ? shareOf(worked, done, objects) : Math.min(elapsed / duration, 1);
}

/**
 * @param {StageState} state
 * @returns {string | null} such as `15s left`; null if it cannot be foretold, or only the last operations are under way
 */
export function timeLeft({ duration, isSearch, elapsed, objects, worked, pace }) {
  const left = duration === null ? secondsLeft(objects - worked, pace) : (duration - elapsed) / 1000;
  return left === null || left <= 0 ? null : `${isSearch ? 'up to ' : ''}${formatTime(left)} left`;
}

/**
 * What has been sent whole may still wait for its answer: it is not all done before it is.
 *
 * @param {number} worked
 * @param {number} done
 * @param {number} objects
 */
function shareOf(worked, done, objects) {
  return done < objects ? Math.min(worked / objects, 0.99) : 1;
}

/**
 * @param {number} operations
 * @param {number} pace ops/s
 * @returns {number | null} null where it cannot be foretold
 */
function secondsLeft(operations, pace) {
  return operations > 0 && pace > 0 ? operations / pace : null;
}

/** @param {number} seconds */
function formatTime(seconds) {
  const whole = Math.ceil(seconds);
  const minutes = Math.floor(whole / 60);
  return minutes === 0 ? `${whole}s` : `${minutes}m ${whole % 60}s`;
}

/** How often the live line is renewed. ms */
const REFRESH_MS = 250;

/** Shows what a run does before its first stage, and between two of them: nobody should look at a screen that stands still. */
export class PhaseProgress {
  #terminal;
  #now;
  /** When they began, in monotonic ms. @type {Map<Phase, number>} */
  #underWay = new Map();
  /** @type {NodeJS.Timeout | null} */
  #timer = null;

  /**
   * @param {Pick<Screen, 'live' | 'err' | 'isLive'>} terminal
   * @param {() => number} now monotonic ms
   */
  constructor(terminal, now) {
    this.#terminal = terminal;
    this.#now = now;
  }

  /** @param {Phase} phase */
  start(phase) {
    this.#underWay.set(phase, this.#now());
    if (this.#terminal.isLive) {
      this.#timer ??= setInterval(() => this.#show(), REFRESH_MS);
      this.#show();
    } else if (phase.endsAt === null) {
      // Of a wait there is a notice that says how long it is.
      this.#terminal.err(capitalise(phase.text));
    }
  }

  /** @param {Phase} phase */
  end(phase) {
    this.#underWay.delete(phase);
    if (this.#underWay.size === 0) {
      this.close();
    } else if (this.#terminal.isLive) {
      this.#show();
    }
  }

  close() {
    this.#underWay.clear();
    if (this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
      this.#terminal.live('');
    }
  }

  #show() {
    this.#terminal.live(phaseLine([...this.#underWay], this.#now()));
  }
}

/**
 * @param {readonly [phase: Phase, startedAt: number][]} underWay at least one
 * @param {number} now monotonic ms
 */
export function phaseLine(underWay, now) {
  const texts = underWay.map(([{ text }]) => text);
  const [[{ endsAt }, startedAt]] = underWay;
  const time =
    endsAt === null
      ? `${Math.floor((now - startedAt) / 1000)}s`
      : `${Math.ceil(Math.max(endsAt - now, 0) / 1000)}s left`;
  return `${capitalise(texts.join(', '))}  ${time}`;
}

/** @param {string} text */
function capitalise(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** How often it is reported where no terminal shows it all the time. ms */
const LINE_EVERY_MS = 1500;

/** A store that has been silent for this long is named. */
const MIN_SILENCE_MS = 5000;

/** Shows that something goes on that may take long: on a terminal as its live line, elsewhere as a line now and then. */
export class ProgressLine {
  #terminal;
  #now;
  /** @type {number | null} */
  #startedAt = null;
  #reportedAt = 0;

  /**
   * @param {Pick<Screen, 'isLive' | 'live' | 'err'>} terminal
   * @param {() => number} now monotonic ms
   */
  constructor(terminal, now) {
    this.#terminal = terminal;
    this.#now = now;
  }

  /**
   * @param {string} state what has been done
   * @param {number} silence ms since the store's last answer
   */
  show(state, silence) {
    const now = this.#now();
    if (this.#startedAt === null) {
      this.#startedAt = this.#reportedAt = now;
    }
    const waiting = silence < MIN_SILENCE_MS ? '' : `, no answer for ${formatDuration(silence)}`;
    const line = `${state} after ${formatDuration(now - this.#startedAt)}${waiting}`;
    if (this.#terminal.isLive) {
      this.#terminal.live(line);
    } else if (now - this.#reportedAt >= LINE_EVERY_MS) {
      this.#reportedAt = now;
      this.#terminal.err(line);
    }
  }
}

/**
 * @param {CleanupProgress} progress
 * @returns {string} how far a clean-up is
 */
export function formatCleanupProgress({ removed, expected }) {
  if (expected === null) {
    return `Clean-up: ${removed} objects removed`;
  }
  // Writes that were thought to have failed are removed, too.
  const all = Math.max(expected, removed);
  return `Clean-up: ${all - removed} of ${all} objects left`;
}
