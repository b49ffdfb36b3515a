import { meanOf, standardErrorOf } from '../../measure/statistics/moments.js';
import { batchMeans } from '../../measure/statistics/batch-means.js';
import { sumsByName } from '../../result/counters.js';
import { sumOfKinds } from '../../result/records.js';

/**
 * @import { Clock } from '../../measure/clock/clock.js'
 * @import { Budget } from '../../load/budget.js'
 * @import { FinishedSlot, Slot } from '../../load/run-slot.js'
 * @import { Load } from '../../load/run-stage.js'
 * @import { StageOutcome } from '../../load/workers.js'
 * @import { SearchStep, StageResult } from '../../result/result.js'
 * @import { LimitingResource, SearchPhase } from '../../result/search.js'
 * @import { StepRate } from '../../measure/statistics/plateau.js'
 */

/** Tolerance for rounding errors, as a share of a window. */
const ROUNDING = 1e-6;

/**
 * @typedef {object} StepTimes how long a step takes, in ms
 * @property {number} settle before the first window counts
 * @property {number} minDuration minimum measured time
 * @property {number} maxDuration measured time if the windows do not agree earlier
 * @property {number} grace for operations still in flight at the end
 *
 * @typedef {object} StepPlan one value of the variable that a planner varies, and what its step may use
 * @property {SearchPhase} phase
 * @property {number} threads
 * @property {number} [rate] operations per second of an open loop; absent in a closed one
 * @property {number} operations maximum number to start
 * @property {number} precision standard error of the windows, as a share of their mean, at which the step may
 *   end early
 *
 * @typedef {StepPlan & StepTimes} Step
 *
 * @typedef {object} StepResult
 * @property {number} elapsed ms of the whole step
 * @property {number} consumed operations started, whatever their outcome
 * @property {number} attempts
 * @property {number} throttled attempts that the store refused with a request to slow down
 * @property {readonly number[]} windows operations that completed in each measured window
 * @property {Latency | null} latency null if none succeeded
 */

/**
 * @typedef {object} FinishedStep
 * @property {Step} step
 * @property {Load} load
 * @property {number} stopsAt monotonic ms of its latest possible end
 * @property {StageOutcome} outcome
 * @property {number} claimed objects of a range that does not cycle
 * @property {number} begun operations
 * @property {number} elapsed ms
 * @property {readonly number[]} windows operations that completed in each measured window
 */

/** @typedef {ReturnType<typeof planStep>} PlannedStep */

/**
 * One step of a search, over the open connections. It settles, is measured, and ends when its windows agree or before
 * it would exceed its operations.
 *
 * @param {Step} step that begins now
 * @param {Pick<Slot, 'stage' | 'range'> & Pick<Load, 'size' | 'sizes' | 'access' | 'pacing'>} options `size`: bytes of the
 *   largest object; `pacing`: of an open loop
 * @param {Clock} clock
 */
export function planStep(step, { stage, range, ...ofLoad }, clock) {
  const { threads, settle, minDuration, maxDuration, grace, precision, operations } = step;
  const startsAt = clock.now();
  const stopsAt = startsAt + settle + maxDuration;
  const windows = { startsAt, width: WINDOW_MS };
  /** @type {Load} */
  const load = { ...ofLoad, threads, warmup: settle, windows };
  /** Operations per second since the step settled. @type {number[]} */
  const rates = [];
  let before = 0;
  let seenAt = startsAt;
  let closedAt = Infinity;
  return {
    /** @type {Slot} */
    slot: { stage, load, range, limit: { stopsAt, endsAt: stopsAt + grace } },
    /**
     * @param {number} done operations of all workers so far
     * @param {number} _startedAt
     * @param {Pick<Budget, 'close'>} budget closed when no further operation may start
     */
    progress(done, _startedAt, budget) {
      const now = clock.now();
      // Several workers report at nearly the same time: only the first report counts.
      if (closedAt !== Infinity || now - seenAt < WINDOW_MS / 2) {
        return;
      }
      if (seenAt - startsAt >= settle) {
        rates.push((1000 * (done - before)) / (now - seenAt));
      }
      const isLong = now - startsAt >= settle + minDuration;
      if ((isLong && isSteady(rates, precision)) || 2 * done - before + threads >= operations) {
        closedAt = now;
        budget.close();
      }
      before = done;
      seenAt = now;
    },
    /**
     * @param {FinishedSlot} ran
     * @returns {FinishedStep}
     */
    finish({ outcome, claimed, hasRunOut }) {
      const { whole, endedAt } = outcome;
      // Once its objects run out, a step is no longer a closed loop: its threads become idle one by one.
      const ranOutAt = hasRunOut ? endedAt - (whole.latency.operations?.maximum ?? 0) : Infinity;
      const measuredUntil = Math.min(stopsAt, closedAt, ranOutAt, endedAt);
      return {
        step,
        load,
        stopsAt,
        outcome,
        claimed,
        begun: Math.max(claimed, whole.done + whole.abandoned),
        elapsed: clock.now() - startsAt,
        windows: wholeWindows(whole.windows, settle, measuredUntil - startsAt),
      };
    },
  };
}

/**
 * @param {readonly number[]} counts of the windows from the step's start to the last in which an operation completed
 * @param {number} from ms from the step's start, a multiple of the window's length
 * @param {number} until ms from the step's start
 * @returns {number[]} all windows completed by then, including empty ones
 */
function wholeWindows(counts, from, until) {
  const first = from / WINDOW_MS;
  // The times are differences of large floats, so a whole window can appear too short by a billionth of a millisecond.
  const length = Math.max(Math.floor(until / WINDOW_MS + ROUNDING) - first, 0);
  return Array.from({ length }, (_, index) => counts[first + index] ?? 0);
}

/** Length in ms of the windows in which a step's operations are counted. */
export const WINDOW_MS = 250;

export const MIN_WINDOWS = 3;

/** Maximum relative error of a rate: a handful of windows can suggest more uncertainty than a step ever has. */
const MAX_ERROR = 0.03;

/** @typedef {{ mean: number, p50: number }} Latency ms */

/**
 * The rate of a closed loop. Threads that start together also finish together for a while, so a short count might
 * include one round too many. The rate cannot exceed what the threads can do at their mean latency (Little's law: J. D.
 * C. Little, A proof for the queuing formula L = λW, Operations Research 9 (1961)). The mean might include operations
 * that waited longer because all started at once, so a smaller median replaces it.
 *
 * @param {{ windows: readonly number[], threads: number, latency: Latency }} step `windows`: operations that completed
 *   in windows of {@link WINDOW_MS}, at least two
 * @returns {StepRate}
 */
export function stepRate({ windows, threads, latency }) {
  const rates = ratesOf(windows);
  const rate = Math.min(meanOf(rates), (1000 * threads) / Math.min(latency.mean, latency.p50));
  return { threads, rate, error: Math.min(standardErrorOf(rates), MAX_ERROR * rate) };
}

/**
 * The rate on which a search bases its decisions, and the only one that its tables show.
 *
 * @param {SearchPhase} phase
 * @param {{ windows: readonly number[], threads: number, latency: Latency | null }} step see {@link stepRate},
 *   but with any number of windows; `latency` is null if no operation succeeded
 * @returns {number} per second
 */
export function decisiveRate(phase, { windows, threads, latency }) {
  if (windows.length < 2 || latency === null) {
    return windows.length === 0 ? 0 : meanOf(ratesOf(windows));
  }
  return phase === 'hold' ? batchMeans(windows, WINDOW_MS / 1000).mean : stepRate({ windows, threads, latency }).rate;
}

/**
 * @param {readonly number[]} windows operations that completed in windows of equal length
 * @param {number} precision maximum standard error, as a share of the mean
 * @returns {boolean} whether they agree well enough to end a step; false if nothing completes
 */
export function isSteady(windows, precision) {
  if (windows.length < MIN_WINDOWS) {
    return false;
  }
  const mean = meanOf(windows);
  return mean > 0 && standardErrorOf(windows) <= precision * mean;
}

/** @param {readonly number[]} windows */
function ratesOf(windows) {
  return windows.map((count) => (1000 * count) / WINDOW_MS);
}

/** Rounds down to whole windows. @param {number} duration ms */
export function inWholeWindows(duration) {
  return Math.floor(duration / WINDOW_MS) * WINDOW_MS;
}

/**
 * @param {FinishedStep} finished
 * @returns {StepResult}
 */
export function stepOutcome({ outcome, elapsed, begun, windows }) {
  const { attempts, throttled, latency } = outcome.whole;
  return { elapsed, consumed: begun, attempts, throttled, windows, latency: latency.operations };
}

/**
 * @param {FinishedStep} finished
 * @param {Clock} clock
 * @returns {SearchStep}
 */
export function stepResult({ step, load, outcome, windows }, clock) {
  const { operations, failed, failedAttempts, integrityErrors, throttled, latency: ofWhole } = outcome.whole;
  const latency = ofWhole.operations;
  const startedAt = clock.toEpoch(outcome.startedAt);
  const endedAt = clock.toEpoch(outcome.endedAt);
  const paused = clock.pausedBetween(startedAt, endedAt);
  return {
    phase: step.phase,
    threads: step.threads,
    objectSize: load.size,
    startedAt,
    endedAt,
    operations,
    operationsPerSecond: decisiveRate(step.rate === undefined ? step.phase : 'hold', {
      windows,
      threads: step.threads,
      latency,
    }),
    seconds: (windows.length * WINDOW_MS) / 1000,
    p50: latency?.p50 ?? null,
    p99: latency?.p99 ?? null,
    errors: failedAttempts,
    throttled,
    failed: failed + integrityErrors,
    eventLoopUtilization: outcome.clientLoad.eventLoopUtilization,
    paused,
    ...(step.rate === undefined ? {} : { rate: step.rate }),
  };
}

/**
 * Failures count for the whole stage, whichever step they occurred in: they determine the exit status and the clean-up.
 * All other figures come from the step that represents the stage.
 */
const REPORTED_OF_ALL_STEPS = /** @type {const} */ ([
  'failed',
  'failedAttempts',
  'integrityErrors',
  'vanished',
  'changed',
  'archived',
  'skipped',
  'abandoned',
  'unknownOutcomes',
]);

/**
 * @param {StageResult} shown figures of the step that represents the stage
 * @param {readonly Pick<FinishedStep, 'outcome'>[]} finished at least one
 * @returns {StageResult} with the counts of all steps
 */
export function withAllSteps(shown, finished) {
  const sum = sumOfKinds(finished.map(({ outcome }) => outcome.whole));
  return {
    ...shown,
    ...Object.fromEntries(REPORTED_OF_ALL_STEPS.map((name) => [name, sum[name]])),
    // From all steps, because most connections get their first response in the first step.
    connections: { ...shown.connections, colos: sumsByName(finished.map(({ outcome }) => outcome.connections.colos)) },
    end: finished[finished.length - 1].outcome.end,
  };
}

/** The time, operations and attempts that a planner has left. */
export class StepBudget {
  #maxOperations;
  #maxAttempts;
  #objects;
  #used = { operations: 0, attempts: 0 };
  /** In the last step. */
  #attemptsPerOperation = 1;
  /** ms left. */
  timeLeft;
  /** The resource that a step ran short of. @type {LimitingResource | null} */
  limitingResource = null;

  /**
   * @param {object} options
   * @param {number} options.time ms
   * @param {number} [options.maxOperations] that objects allow
   * @param {number} [options.maxAttempts] that dollars allow
   * @param {boolean} [options.sharesOperations] whether the user cannot provide more operations, because the planner uses
   *   what an earlier stage left
   */
  constructor({ time, maxOperations = Infinity, maxAttempts = Infinity, sharesOperations = false }) {
    this.timeLeft = time;
    this.#maxOperations = maxOperations;
    this.#maxAttempts = maxAttempts;
    this.#objects = /** @type {'leftovers' | 'objects'} */ (sharesOperations ? 'leftovers' : 'objects');
  }

  /** @param {{ elapsed: number, consumed: number, attempts: number }} step ms, operations started, and their attempts */
  spend({ elapsed, consumed, attempts }) {
    this.timeLeft -= elapsed;
    this.#used.operations += consumed;
    this.#used.attempts += attempts;
    if (consumed > 0) {
      this.#attemptsPerOperation = Math.max(attempts / consumed, 1);
    }
  }

  /** Operations that can still start if each takes as many attempts as in the last step. */
  get operationsLeft() {
    return Math.floor(Math.max(Math.min(this.#objectsLeft, this.#attemptsLeft / this.#attemptsPerOperation), 0));
  }

  get #attemptsLeft() {
    return this.#maxAttempts - this.#used.attempts;
  }

  get #objectsLeft() {
    return this.#maxOperations - this.#used.operations;
  }

  /**
   * Records what is missing, if anything.
   *
   * @param {number} time ms
   * @param {number} operations
   * @returns {boolean} whether both suffice
   */
  affords(time, operations) {
    if (operations > this.operationsLeft) {
      this.recordShortage();
      return false;
    }
    if (time > this.timeLeft) {
      this.limitingResource ??= 'time';
    }
    return time <= this.timeLeft;
  }

  /** Records that a step could not have the operations that it requires. */
  recordShortage() {
    const areObjectsScarce = this.#objectsLeft * this.#attemptsPerOperation <= this.#attemptsLeft;
    this.limitingResource = areObjectsScarce ? this.#objects : 'dollars';
  }

  /**
   * @param {number} operations that suffice for another search
   * @returns {number | null} null unless this search ran out of objects
   */
  neededIf(operations) {
    return this.limitingResource === this.#objects ? operations : null;
  }
}
