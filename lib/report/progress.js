import { SHOWN } from '../result/figures/quantities.js';
import { counted, rounded } from '../text/figures.js';
import { formatDuration } from '../text/units.js';

/**
 * @import { CleanupProgress, DataFlow, Phase, StageStart } from '../result/run-events.js'
 * @import { SearchDimension } from '../result/result.js'
 * @import { Screen } from './reporter.js'
 */

const RATE_WINDOW_MS = 5000;

/**
 * @typedef {Pick<StageStart, 'stage' | 'objects' | 'bytesPerOperation' | 'duration' | 'search'>} Plan
 *
 * @typedef {{ at: number, done: number, worked: number, moved: number }} Snapshot `at`: monotonic ms, `moved`: bytes
 *
 * @typedef {object} StageState the progress of a stage
 * @property {string} stage
 * @property {number} objects
 * @property {number} bytesPerOperation 0 if operations move no bytes
 * @property {number | null} duration ms, at most this for a search; null if the number of objects ends the stage
 * @property {SearchDimension} [search] absent without a search
 * @property {number} done operations that have ended
 * @property {number} worked operations that have ended, plus the finished fractions of operations in flight
 * @property {number} elapsed ms since the stage started
 * @property {number} rate current ops/s
 * @property {number} pace current ops/s, counted as in `worked`
 * @property {number} byteRate current bytes/s, including those of failed attempts
 */

export class StagePace {
  #plan;
  #startedAt;
  /** Of the last few seconds. @type {Snapshot[]} */
  #snapshots;

  /**
   * @param {Plan} plan
   * @param {number} startedAt monotonic ms
   */
  constructor(plan, startedAt) {
    this.#plan = plan;
    this.#startedAt = startedAt;
    this.#snapshots = [{ at: startedAt, done: 0, worked: 0, moved: 0 }];
  }

  /**
   * @param {number} now monotonic ms
   * @param {number} done operations of the stage that have ended
   * @param {DataFlow} flow
   */
  record(now, done, { moved, underWay }) {
    const { bytesPerOperation } = this.#plan;
    const worked = done + (bytesPerOperation === 0 ? 0 : underWay / bytesPerOperation);
    this.#snapshots.push({ at: now, done, worked, moved });
    while (this.#snapshots.length > 2 && this.#snapshots[1].at <= now - RATE_WINDOW_MS) {
      this.#snapshots.shift();
    }
  }

  /** @param {number} now monotonic ms */
  state(now) {
    const first = this.#snapshots[0];
    const last = this.#snapshots[this.#snapshots.length - 1];
    const perSecond = last.at > first.at ? 1000 / (last.at - first.at) : 0;
    return {
      ...this.#plan,
      done: last.done,
      worked: last.worked,
      elapsed: now - this.#startedAt,
      rate: perSecond * (last.done - first.done),
      pace: perSecond * (last.worked - first.worked),
      byteRate: perSecond * (last.moved - first.moved),
    };
  }
}

/** @param {StageState} state */
export function progressLine(state) {
  const { stage, bytesPerOperation, rate, byteRate } = state;
  const left = timeLeft(state);
  const end = left === null ? '' : `  ${left}`;
  const data = bytesPerOperation === 0 ? '' : `  ${byteRateText(byteRate)}`;
  return `${stage}  ${amountDone(state)}  ${Math.floor(shareDone(state) * 100)}%  ${rounded(rate)} ops/s${data}${end}`;
}

/** @param {number} bytes per second */
export function byteRateText(bytes) {
  return `${SHOWN.throughput.textOf(bytes)} MiB/s`;
}

/** Such as `25 of 100`. @param {Pick<StageState, 'duration' | 'done' | 'objects'>} state */
export function amountDone({ duration, done, objects }) {
  return duration === null ? `${rounded(done)} of ${rounded(objects)}` : counted(done, 'operation');
}

/** From 0 to 1. @param {StageState} state */
export function shareDone({ duration, elapsed, worked, done, objects }) {
  // Stays below 100% until everything is done: an object that has been sent might still wait for its response.
  const ofObjects = done < objects ? Math.min(worked / objects, 0.99) : 1;
  return duration === null ? ofObjects : Math.min(elapsed / duration, 1);
}

/** Such as `15s left`; null if unknown, or if only the last operations are in flight. @param {StageState} state */
export function timeLeft({ duration, search, elapsed, objects, worked, pace }) {
  const left = Math.ceil(duration === null ? (objects - worked) / pace : (duration - elapsed) / 1000);
  const time = left < 60 ? `${left}s` : `${Math.floor(left / 60)}m ${left % 60}s`;
  return left > 0 && left < Infinity ? `${search ? 'up to ' : ''}${time} left` : null;
}

const REFRESH_MS = 250;

/**
 * Shows what the run is doing before and between stages, so that it never seems to hang.
 *
 * @param {Pick<Screen, 'live' | 'err' | 'isLive'>} terminal
 * @param {() => number} now monotonic ms
 */
export function phaseProgress(terminal, now) {
  /** Start times in monotonic ms. @type {Map<Phase, number>} */
  const underWay = new Map();
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const show = () => terminal.live(phaseLine([...underWay], now()));
  const close = () => {
    underWay.clear();
    if (timer !== undefined) {
      clearInterval(timer);
      timer = undefined;
      terminal.live('');
    }
  };
  return {
    /** @param {Phase} phase */
    start(phase) {
      underWay.set(phase, now());
      if (terminal.isLive) {
        timer ??= setInterval(show, REFRESH_MS);
        show();
      } else if (phase.endsAt === null) {
        // A phase whose end is known has already been announced, with its length.
        terminal.err(capitalise(phase.text));
      }
    },
    /** @param {Phase} phase */
    end(phase) {
      underWay.delete(phase);
      if (underWay.size === 0) {
        close();
      } else if (terminal.isLive) {
        show();
      }
    },
    close,
  };
}

/**
 * @param {readonly [phase: Phase, startedAt: number][]} underWay at least one
 * @param {number} now monotonic ms
 */
function phaseLine(underWay, now) {
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

/** Time between lines without a terminal. */
const LINE_INTERVAL_MS = 1500;

/** Shorter silences of the store are not mentioned. */
const MIN_SILENCE_MS = 5000;

/**
 * Shows the progress of a long task: as a live line on a terminal, otherwise as a line at intervals.
 *
 * @param {Pick<Screen, 'isLive' | 'live' | 'err'>} terminal
 * @param {() => number} now monotonic ms
 */
export function taskProgress(terminal, now) {
  /** @type {number | null} */
  let startedAt = null;
  let reportedAt = 0;
  /**
   * @param {string} state such as `25 of 100 objects left`
   * @param {number} silence ms since the store's last response
   */
  return (state, silence) => {
    const time = now();
    if (startedAt === null) {
      startedAt = reportedAt = time;
    }
    const waiting = silence < MIN_SILENCE_MS ? '' : `, no response for ${formatDuration(silence)}`;
    const line = `${state} after ${formatDuration(time - startedAt)}${waiting}`;
    if (terminal.isLive) {
      terminal.live(line);
    } else if (time - reportedAt >= LINE_INTERVAL_MS) {
      reportedAt = time;
      terminal.err(line);
    }
  };
}

/** @param {CleanupProgress} progress */
export function formatCleanupProgress({ removed, expected }) {
  if (expected === null) {
    return `Clean-up: ${counted(removed, 'object')} removed`;
  }
  // `removed` can exceed `expected`: it includes objects whose writes seemed to have failed.
  const all = Math.max(expected, removed);
  return `Clean-up: ${rounded(all - removed)} of ${counted(all, 'object')} left`;
}
