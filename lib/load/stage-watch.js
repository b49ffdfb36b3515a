import { ABANDONED } from '../result/counters.js';
import { AttemptError } from '../store/s3-error.js';

/**
 * @import { Clock } from '../measure/clock/clock.js'
 * @import { Budget } from './budget.js'
 * @import { StageMeters } from '../measure/stage-meter.js'
 * @import { StageEnd } from '../result/result.js'
 * @import { ObjectConnection } from '../store/object-store.js'
 */

/**
 * An error after which no operation of the run can succeed, or an unexpected error. `operation`: its name in --stages.
 *
 * @typedef {{ error: unknown, bucket: string, operation: string }} FatalError
 */

/**
 * When a stage ends even if there is more to do, in monotonic ms.
 *
 * @typedef {object} TimeLimit
 * @property {number} stopsAt no operation begins after this
 * @property {number} endsAt operations still in flight are aborted at this time
 * @property {number} [noSuccessSince] time of the last success, if it was before the stage began
 * @property {boolean} [measuresDrain] whether operations that complete between `stopsAt` and `endsAt` count in
 *   rates
 */

/** If nothing succeeds for this long, the stage considers the store lost. */
export const STALL_TIMEOUT_MS = 60_000;

/** Time that operations in flight have to settle when a stage is stopped. */
const SETTLING_TIME_MS = 5000;

/** How often a worker checks for decisions of the other workers. */
const CHECK_INTERVAL_MS = 250;

/** If an open loop's operations start this late, its rate is higher than the store or the threads can sustain. */
const MAX_BACKLOG_MS = 10_000;

/**
 * Decides whether a stage must end before its work is done: on request, after an error that affects the whole run, or
 * because operations no longer succeed.
 */
export class StageWatch {
  #options;
  #limit;
  /** @type {NodeJS.Timeout[]} */
  #limitTimers = [];
  #controller = new AbortController();
  #onRequest = () => this.#stop('stopped');
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** @type {NodeJS.Timeout | undefined} */
  #settling;
  #startedAt = 0;
  #lookedAt = 0;
  /** Monotonic ms of the last success, plus the ms since then in which nothing was in flight. */
  #lastProgressAt = 0;
  /** @type {StageEnd} */
  end = 'complete';
  /** @type {FatalError | null} */
  fatal = null;

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {Pick<StageMeters, 'lastSuccessAt'>} options.meters
   * @param {readonly ObjectConnection[]} options.connections
   * @param {number} options.stallTimeout ms without a success after which the stage ends
   * @param {AbortSignal} options.signal the request to stop
   * @param {Pick<Budget, 'shareSuccess' | 'isClosed'>} options.budget
   * @param {TimeLimit | null} options.limit
   * @param {() => number} options.backlog ms since the next operation was due
   * @param {() => boolean} options.wasIdle whether nothing has been in flight since the last call
   * @param {() => void} options.onTimeUp called when no more operations may begin
   * @param {() => void} options.onStop called when operations in flight must also end
   */
  constructor(options) {
    this.#options = options;
    this.#limit = options.limit;
  }

  /** Aborted as soon as the stage must end. */
  get stopped() {
    return this.#controller.signal;
  }

  start() {
    this.#lookedAt = this.#startedAt = this.#options.clock.now();
    this.#lastProgressAt = this.#limit?.noSuccessSince ?? this.#startedAt;
    this.#timer = setInterval(() => this.#check(), CHECK_INTERVAL_MS);
    this.#options.signal.addEventListener('abort', this.#onRequest, { once: true });
    if (this.#limit !== null) {
      this.#setLimitTimer(0, this.#limit.stopsAt, this.#options.onTimeUp);
      this.#setLimitTimer(1, this.#limit.endsAt, () => this.#endOfTime());
    }
    if (this.#options.signal.aborted) {
      this.#onRequest();
    }
  }

  stop() {
    clearInterval(this.#timer);
    clearTimeout(this.#settling);
    this.#limitTimers.forEach((timer) => clearTimeout(timer));
    this.#options.signal.removeEventListener('abort', this.#onRequest);
  }

  /** @param {FatalError} fatal */
  fail(fatal) {
    this.fatal ??= fatal;
    this.#stop('fatal');
  }

  /**
   * Sets the timer again if it fires early, as it can after the process was suspended.
   *
   * @param {number} index of the timer
   * @param {number} moment monotonic ms
   * @param {() => void} act
   */
  #setLimitTimer(index, moment, act) {
    const timeUp = () => (this.#options.clock.now() < moment ? this.#setLimitTimer(index, moment, act) : act());
    this.#limitTimers[index] = setTimeout(timeUp, Math.max(moment - this.#options.clock.now(), 0));
  }

  #check() {
    // Another worker may have closed the budget while a thread of this worker waits for an arrival that never comes.
    if (this.#options.budget.isClosed) {
      this.#options.onTimeUp();
    }
    if (this.#stallAt(this.#options.clock.now()) >= this.#options.stallTimeout) {
      this.#stop('stalled');
    } else if (this.#options.backlog() > MAX_BACKLOG_MS) {
      this.#stop('overloaded');
    }
  }

  /**
   * @param {number} now monotonic ms
   * @returns {number} ms without a success, excluding time in which no request was in flight
   */
  #stallAt(now) {
    if (this.#options.wasIdle()) {
      this.#lastProgressAt += now - this.#lookedAt;
    }
    this.#lookedAt = now;
    const { lastSuccessAt } = this.#options.meters;
    // Until the first success, lastSuccessAt is the stage's start, which must not be shared as a success.
    const shared = this.#options.budget.shareSuccess(lastSuccessAt > this.#startedAt ? lastSuccessAt : 0);
    this.#lastProgressAt = Math.max(this.#lastProgressAt, shared);
    return now - this.#lastProgressAt;
  }

  /** @param {StageEnd} end */
  #stop(end) {
    if (this.stopped.aborted) {
      return;
    }
    this.end = end;
    this.#controller.abort();
    this.#options.onStop();
    this.#settling = setTimeout(() => this.#abandon(), SETTLING_TIME_MS);
  }

  /** The time, including the drain, is up: aborts operations in flight. */
  #endOfTime() {
    this.#controller.abort();
    this.#options.onStop();
    this.#abandon();
  }

  #abandon() {
    for (const connection of this.#options.connections) {
      if (connection.startedAt !== 0) {
        connection.abort(abandonedError());
      }
    }
  }
}

/** @returns {AttemptError} for an attempt that the end of its stage cuts off or prevents */
export function abandonedError() {
  return new AttemptError({
    kind: ABANDONED,
    handling: 'retry',
    message: 'no response had arrived when the stage had to end',
    outcomeUnknown: true,
  });
}
