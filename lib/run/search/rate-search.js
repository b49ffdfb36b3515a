import { HOLD_MS } from '../../measure/statistics/plateau.js';
import { studentT } from '../../measure/statistics/student-t.js';
import { StepBudget, WINDOW_MS, inWholeWindows } from './search-step.js';

/**
 * @import { RateVerdict } from '../../result/result.js'
 * @import { RateConclusion, SearchPhase } from '../../result/search.js'
 * @import { SearchOptions } from './capacity-search.js'
 * @import { Step } from './search-step.js'
 */

/**
 * @typedef {object} RateMeasurement the outcome of an open-loop step, after settling
 * @property {number} completed operations
 * @property {number} late operations that took longer than the limit, timed from their scheduled start
 * @property {readonly SecondCount[]} seconds whole seconds of the measured time
 * @property {number} attempts
 * @property {number} lateAttempts attempts that alone took longer than the limit
 * @property {number} failedAttempts in the whole step
 * @property {number} allAttempts in the whole step
 * @property {number} p99 ms
 * @property {number} maximum ms
 * @property {number} duration measured ms
 * @property {boolean} isClientBusy whether this host, its link, or an embedded endpoint short of CPU was at its limit,
 *   rather than the store
 * @property {boolean} isHostUnsteady whether this host stalled so often that it may have delayed 1% of operations
 *
 * @typedef {LateCount & { verdict: RateVerdict, p99: number, phase: SearchPhase }} Tried
 *
 * @typedef {object} RateStepResult
 * @property {number} elapsed ms of the whole step
 * @property {number} consumed operations started, whatever their outcome
 * @property {number} attempts
 * @property {number} closedRate ops/s that the step implies for a closed loop
 * @property {RateMeasurement} measurement
 */

/** Time limit for the search of a stage, in ms. */
export const RATE_SEARCH_MS = 90_000;

/** Confidence of the interval around a limit that is not sharp. */
const CONFIDENCE = 0.95;

/** The share of operations that may be late. */
const LATE_SHARE = 0.01;

/** If a larger share of operations is late, occasional stalls of this host cannot explain it. */
const MAX_LATE_BY_HOST = 0.5;

export const ERROR_SHARE = 0.001;

/** This many late or failed operations are tolerated, even if their share is too high. */
const ACCIDENTS = 1;

/** Two rates at most this factor apart count as one result. */
const FINE_ENOUGH = 1.03;

/** A wider gap is enough if this host, not the store, limited the higher rate. */
const FINE_ENOUGH_OF_HOST = 1.15;

/** A limit is sharp if almost no operations are late below it, and a large share are late above it. */
const SHARP = Object.freeze({ lateBelow: 0.1 * LATE_SHARE, lateAbove: 10 * LATE_SHARE });

/** Share of the available operations that the closed loop may take, which shows what all threads can do. */
const CLOSED_SHARE = 0.1;

/** The first rate, as a share of the closed loop's rate. */
const FIRST_SHARE = 0.95;

/** The threads can do at most this many times the rate of the closed loop. */
const BEYOND_CLOSED = 1.1;

/** The first rate without a closed loop, in multiples of one thread's unloaded rate. */
const FIRST_THREADS = 4;
const MIN_RATE = 1;
const MAX_RATE = 1_000_000;

/** Growing factors for steps away from the first rate, which is seldom far from the result. */
const FACTORS_UP = Object.freeze([1.1, 1.5, 2]);
const FACTORS_DOWN = Object.freeze([1 / 1.25, 1 / 1.5, 1 / 2, 1 / 4]);

const SETTLE_MS = 500;
const MAX_SETTLE_MS = 3000;
const GRACE_MS = 1000;
const DURATION_MS = Object.freeze({ ramp: 2000, refine: 4000 });

/** Operations that a percentile needs: at a low rate, a step is longer to include this many. */
const MIN_OPERATIONS = 200;
const MAX_STRETCHED_MS = 6000;

/** Time in ms to keep for the hold, besides its length. */
const AROUND_HOLD_MS = MAX_SETTLE_MS + GRACE_MS;

/** Maximum number of holds: after a hold that missed its limits, a lower rate is held. */
const MAX_HOLDS = 3;

/**
 * Tries per rate. A rate is tried again after interference on the host or a possible hiccup of the store. `aboveKept`
 * applies if a lower rate met the limits, which shows that this host can start operations on time at some rate.
 */
const MAX_TRIES = Object.freeze({ aboveKept: 4, first: 2, hiccup: 2 });

/** If a larger share is late, it is not a hiccup: a queue grows because the store cannot sustain the rate. */
const MAX_LATE_BY_HICCUP = 0.5;

/** Holds run at this share of the limit: at the limit itself, half of them would miss. */
const BELOW_LIMIT = 0.97;

/** Below a sharp limit, holds run at this share of the best rate, which may be slightly too high. */
const BELOW_SHARP = 0.99;

/** A limit that is not sharp is located best by trying these multiples of it in turn. */
const AROUND_LIMIT = Object.freeze([0.97, 1.02, 0.94]);

/** Minimum number of longer steps near a limit, because a queue's behaviour over a few seconds is random. */
const MIN_SAMPLES = 3;

/** The interval is precise enough at this half-width, as a share of the limit. */
const PRECISION = 0.05;

/** Multiples of the limit between which the regression of late operations is valid. */
const NEAR = Object.freeze({ from: 0.75, to: 1.15 });

/**
 * Finds the highest rate of an open loop at which a latency percentile and the share of errors stay within their
 * limits. It decides what to try and what the results mean, but has no access to a clock or a store. It begins near a
 * closed loop's rate, goes up or down until one rate is kept (meets the limits) and one is not, halves the gap until
 * it is narrow, and holds the result. If the client could not start operations on time, the store's limit was not
 * reached.
 */
export class RateSearch {
  #maxThreads;
  #isRandom;
  #budget;
  #unloadedRate;
  /** @type {Tried[]} */
  #tried = [];
  /** ops/s at which the search begins: nearly what a closed loop with all threads reaches, if that can be measured. */
  #first;
  #settle = SETTLE_MS;
  #stepsAway = 0;
  #samples = 0;
  /** The highest rate in ops/s for which there were too few operations. */
  #scarce = 0;
  #steps = this.#search();

  /** @param {SearchOptions & { isRandom?: boolean }} options `isRandom`: whether some operations wait at any rate */
  constructor({ maxThreads, unloadedLatency, isRandom = false, ...limits }) {
    this.#maxThreads = maxThreads;
    this.#isRandom = isRandom;
    this.#budget = new StepBudget({ time: RATE_SEARCH_MS, ...limits });
    this.#unloadedRate = inRange((1000 * Math.min(FIRST_THREADS, maxThreads)) / unloadedLatency);
    this.#first = this.#unloadedRate;
  }

  /**
   * @param {RateStepResult | null} done result of the step planned last; null for the first step
   * @returns {Step | null} null if the search is over; a step without a rate is a closed loop with all threads
   */
  next(done) {
    return this.#steps.next(/** @type {RateStepResult} */ (done)).value ?? null;
  }

  /** @returns {Generator<Step, void, RateStepResult>} */
  *#search() {
    const operations = Math.floor(CLOSED_SHARE * this.#budget.operationsLeft);
    if (operations >= 2 * this.#maxThreads) {
      const step = this.#planned('ramp', MAX_RATE, DURATION_MS.ramp);
      const result = yield { ...step, rate: undefined, operations };
      this.#budget.spend(result);
      this.#first = result.closedRate === 0 ? this.#unloadedRate : inRange(FIRST_SHARE * result.closedRate);
      this.#settle = settleAfter(result.measurement);
    }
    for (let step = this.#plan(); step !== null; step = this.#plan()) {
      const { phase, minDuration } = step;
      const rate = Number(step.rate);
      const result = yield step;
      const { measurement } = result;
      this.#budget.spend(result);
      // If a step ended long before its time was up, it had too few operations.
      if (measurement.duration < minDuration / 2) {
        this.#recordShortage(rate);
        return;
      }
      const verdict = verdictOf(rate, measurement);
      const { completed, late, seconds, p99 } = measurement;
      this.#tried.push({ rate, operations: completed, late, seconds, verdict, p99, phase });
      this.#settle = verdict === 'kept' ? SETTLE_MS : settleAfter(measurement);
    }
  }

  /**
   * What the tries show. A try spoiled by a busy host is dropped if another try at the same rate was not spoiled; a miss
   * is dropped if a later try at the same rate was kept. `low` is the highest rate that was kept, below the lowest one
   * that was too much for the store; `high` the lowest one above it that was not kept: a rate kept once stays kept, even
   * if the host is busy later. `limit` is estimated from all steps together; null if they do not show it. If the limit
   * `isSharp`, it is known well enough without that.
   */
  get #seen() {
    const conclusive = this.#tried.filter(({ rate, verdict }, index) => {
      const later = this.#tried.slice(verdict === 'client' ? 0 : index + 1).filter((other) => other.rate === rate);
      const isDropped = (/** @type {Tried} */ other) =>
        verdict === 'client' ? other.verdict !== 'client' : verdict === 'missed' && other.verdict === 'kept';
      return !later.some(isDropped);
    });
    const kept = this.#tried.filter(({ verdict }) => verdict === 'kept');
    const missed = lowestOf(conclusive.filter(({ verdict }) => verdict === 'missed'));
    const low = highestOf(kept.filter(({ rate }) => rate < (missed?.rate ?? Infinity)));
    const high = lowestOf(conclusive.filter(({ rate, verdict }) => verdict !== 'kept' && rate > (low?.rate ?? 0)));
    const limit = crossingNear(highestOf(kept), missed, conclusive);
    return { low, high, limit, isSharp: !this.#isRandom && isSharp(low, high) };
  }

  /** @returns {Step | null} */
  #plan() {
    const { low, high, limit, isSharp: isKnown } = this.#seen;
    const last = this.#tried.at(-1);
    if (last?.phase === 'hold') {
      const holds = this.#tried.filter(({ phase }) => phase === 'hold').length;
      if (last.verdict === 'kept' || holds >= MAX_HOLDS) {
        return null;
      }
      const known = limit === null ? low?.rate : BELOW_LIMIT * limit.rate;
      if (known) {
        return this.#hold(Math.min(known, BELOW_LIMIT * last.rate));
      }
    }
    if (last !== undefined && this.#mayHelpAgain(last, low)) {
      return this.#planned('refine', last.rate, DURATION_MS.refine);
    }
    if (high === null) {
      return this.#stepUp(low);
    }
    if (low === null && limit === null) {
      return this.#away(high.rate, FACTORS_DOWN, 0);
    }
    if (low !== null && (isKnown || isFineOfHost(low, high))) {
      return this.#hold(BELOW_SHARP * low.rate);
    }
    const between = low === null || limit !== null ? null : this.#bisect(low, high);
    const held = limit === null ? Number(low?.rate) : BELOW_LIMIT * limit.rate;
    return between ?? this.#sample(limit, low) ?? this.#hold(held);
  }

  /**
   * @param {Tried} last
   * @param {Tried | null} low
   */
  #mayHelpAgain({ rate, verdict, operations, late }, low) {
    // Above the rate of all threads in a closed loop, another try will not help.
    const isBeyondThreads = rate > (BEYOND_CLOSED * this.#first) / FIRST_SHARE;
    const ofHost = low === null || isBeyondThreads ? MAX_TRIES.first : MAX_TRIES.aboveKept;
    const ofStore = verdict === 'missed' && late <= MAX_LATE_BY_HICCUP * operations ? MAX_TRIES.hiccup : 1;
    const tries = this.#tried.filter((each) => each.rate === rate).length;
    return tries < (verdict === 'client' ? ofHost : ofStore) && this.#affords(rate, DURATION_MS.refine, low?.rate ?? 0);
  }

  /** @param {Tried | null} low the highest rate that was tried and kept; null before the first */
  #stepUp(low) {
    if (low === null) {
      const affordable = [this.#first, Math.min(this.#first, this.#unloadedRate)].find((rate) =>
        this.#affords(rate, DURATION_MS.ramp, 0),
      );
      return affordable === undefined ? null : this.#planned('ramp', affordable, DURATION_MS.ramp);
    }
    return this.#away(low.rate, FACTORS_UP, low.rate) ?? this.#hold(low.rate);
  }

  /**
   * @param {number} from the rate tried last, in ops/s
   * @param {readonly number[]} factors for the steps away from it
   * @param {number} held ops/s to hold afterwards; 0 for no hold
   * @returns {Step | null} null at the end of the range, or if too little time or too few operations are left
   */
  #away(from, factors, held) {
    const rate = inRange(factors[Math.min(this.#stepsAway, factors.length - 1)] * from);
    if (rate === from || !this.#affords(rate, DURATION_MS.ramp, held)) {
      return null;
    }
    this.#stepsAway += 1;
    return this.#planned('ramp', rate, DURATION_MS.ramp);
  }

  /**
   * @param {Tried} low
   * @param {Tried} high
   * @returns {Step | null} null if the rates are close, or too little time or too few operations are left
   */
  #bisect(low, high) {
    const rate = Math.sqrt(low.rate * high.rate);
    return high.rate / low.rate > FINE_ENOUGH && this.#affords(rate, DURATION_MS.refine, rate)
      ? this.#planned('refine', rate, DURATION_MS.refine)
      : null;
  }

  /**
   * Null if the limit is known well enough, or time or operations are short.
   *
   * @param {Crossing | null} crossing
   * @param {Tried | null} low
   */
  #sample(crossing, low) {
    const limit = crossing?.rate ?? low?.rate ?? 0;
    const rate = limit * AROUND_LIMIT[this.#samples % AROUND_LIMIT.length];
    const isPrecise = crossing === null || crossing.high - crossing.low <= 2 * PRECISION * limit;
    if (limit === 0 || (this.#samples >= MIN_SAMPLES && isPrecise) || !this.#affords(rate, HOLD_MS, rate)) {
      return null;
    }
    this.#samples += 1;
    return this.#planned('refine', rate, HOLD_MS);
  }

  /** @param {number} rate ops/s */
  #hold(rate) {
    return this.#affords(rate, HOLD_MS, 0) ? this.#planned('hold', rate, HOLD_MS) : null;
  }

  /**
   * @param {number} rate ops/s
   * @param {number} duration ms
   * @param {number} held ops/s to hold afterwards; 0 for no hold
   * @returns {boolean} whether time and operations suffice for a step and the hold after it
   */
  #affords(rate, duration, held) {
    const hold =
      held === 0
        ? { time: 0, operations: 0 }
        : { time: AROUND_HOLD_MS + HOLD_MS, operations: this.#operationsOf(held, HOLD_MS) };
    if (this.#operationsOf(rate, duration) + hold.operations > this.#budget.operationsLeft) {
      this.#recordShortage(rate);
      return false;
    }
    if (this.#settle + stretched(rate, duration) + GRACE_MS + hold.time > this.#budget.timeLeft) {
      this.#budget.limitingResource ??= 'time';
      return false;
    }
    return true;
  }

  /**
   * @param {number} rate ops/s
   * @param {number} duration ms
   */
  #operationsOf(rate, duration) {
    // A step is stopped one check early, so that it does not exceed its operations.
    return (rate * (this.#settle + stretched(rate, duration) + 2 * WINDOW_MS)) / 1000 + this.#maxThreads;
  }

  /**
   * @param {'ramp' | 'refine' | 'hold'} phase
   * @param {number} rate ops/s
   * @param {number} time measured ms
   * @returns {Step}
   */
  #planned(phase, rate, time) {
    const duration = stretched(rate, time);
    const operations = this.#budget.operationsLeft;
    const settle = inWholeWindows(this.#settle + WINDOW_MS - 1);
    const times = { settle, minDuration: duration, maxDuration: duration, grace: GRACE_MS };
    return { phase, rate, threads: this.#maxThreads, operations, precision: 0, ...times };
  }

  /** @param {number} rate ops/s of a step with too few operations */
  #recordShortage(rate) {
    this.#scarce = Math.max(this.#scarce, rate);
    this.#budget.recordShortage();
  }

  /** @returns {RateConclusion} */
  conclusion() {
    const { low, high, limit, isSharp: isKnown } = this.#seen;
    const held = this.#tried.filter(({ phase, verdict }) => phase === 'hold' && verdict === 'kept').at(-1) ?? null;
    const isClientLimited = high?.verdict === 'client';
    const common = {
      held: held && { rate: held.rate, p99: held.p99 },
      isClientLimited,
      operationsNeeded: this.#budget.neededIf(Math.ceil((this.#scarce * RATE_SEARCH_MS) / 1000) + this.#maxThreads),
      limitingResource: this.#budget.limitingResource,
    };
    if (!isKnown && limit !== null && !isClientLimited) {
      const { rate, ...interval } = limit;
      return { ...common, bound: 'exact', rate, interval: { ...interval, confidence: CONFIDENCE } };
    }
    if (low === null) {
      return high === null || isClientLimited
        ? { ...common, bound: 'none', rate: null, interval: null }
        : { ...common, bound: 'at most', rate: high.rate, interval: null };
    }
    if (high === null || isClientLimited || held === null) {
      return { ...common, bound: 'at least', rate: held?.rate ?? low.rate, interval: null };
    }
    // The held rate may be above one that missed earlier.
    const rate = held.rate < high.rate ? held.rate : low.rate;
    return { ...common, bound: 'exact', rate, interval: { low: rate, high: high.rate, confidence: null } };
  }
}

/**
 * @param {Tried | null} kept the highest rate that was kept
 * @param {Tried | null} missed the lowest rate that was too much for the store
 * @param {readonly Tried[]} conclusive
 * @returns {Crossing | null}
 */
function crossingNear(kept, missed, conclusive) {
  if (missed === null || kept === null) {
    return null;
  }
  const [from, to] = [NEAR.from * Math.min(kept.rate, missed.rate), NEAR.to * Math.max(kept.rate, missed.rate)];
  const near = conclusive.filter(({ rate, verdict }) => verdict !== 'client' && rate >= from && rate <= to);
  const crossing = crossingOf(near, LATE_SHARE);
  // Outside the tried range, the crossing is only a guess.
  return crossing !== null && crossing.rate >= from && crossing.rate <= to ? crossing : null;
}

/**
 * @param {Tried | null} low
 * @param {Tried | null} high
 */
function isSharp(low, high) {
  if (low === null || high?.verdict !== 'missed' || high.rate / low.rate > FINE_ENOUGH) {
    return false;
  }
  const isByErrors = high.late <= LATE_SHARE * high.operations;
  return low.late <= SHARP.lateBelow * low.operations && (isByErrors || high.late >= SHARP.lateAbove * high.operations);
}

/**
 * @param {number} rate requested ops/s
 * @param {RateMeasurement} measurement
 * @returns {RateVerdict}
 */
export function verdictOf(rate, measurement) {
  const { completed, late, attempts, lateAttempts, duration, isClientBusy, isHostUnsteady } = measurement;
  const expected = (rate * duration) / 1000;
  const isBehind = completed < 0.95 * expected - 4 * Math.sqrt(expected);
  const isLate = late > Math.max(LATE_SHARE * completed, ACCIDENTS) || isBehind;
  if (measurement.failedAttempts > Math.max(ERROR_SHARE * measurement.allAttempts, ACCIDENTS)) {
    return 'missed';
  }
  if (!isLate) {
    return 'kept';
  }
  const isByHost = isClientBusy || (isHostUnsteady && late <= MAX_LATE_BY_HOST * completed);
  // If the store responded in time, the request was sent too late.
  return isByHost || lateAttempts <= Math.max(LATE_SHARE * attempts, ACCIDENTS) ? 'client' : 'missed';
}

/**
 * @param {number} rate ops/s
 * @param {number} duration ms
 * @returns {number} ms in whole windows, longer if there would be too few operations for a percentile
 */
function stretched(rate, duration) {
  const wanted = Math.min((1000 * MIN_OPERATIONS) / rate, MAX_STRETCHED_MS);
  return inWholeWindows(Math.max(duration, wanted));
}

/**
 * @param {Tried} low
 * @param {Tried} high
 */
function isFineOfHost(low, high) {
  return high.verdict === 'client' && high.rate / low.rate <= FINE_ENOUGH_OF_HOST;
}

/** ms until pending requests of the last step no longer delay the next one. @param {RateMeasurement} measurement */
function settleAfter({ maximum }) {
  return Math.min(SETTLE_MS + maximum, MAX_SETTLE_MS);
}

/** @param {number} rate ops/s */
function inRange(rate) {
  return Math.min(Math.max(rate, MIN_RATE), MAX_RATE);
}

/** @param {readonly Tried[]} tried @returns {Tried | null} */
function highestOf(tried) {
  return tried.toSorted((one, other) => other.rate - one.rate)[0] ?? null;
}

/** @param {readonly Tried[]} tried @returns {Tried | null} */
function lowestOf(tried) {
  return tried.toSorted((one, other) => one.rate - other.rate)[0] ?? null;
}

/**
 * @typedef {object} LateCount the outcome of a step at one rate
 * @property {number} rate operations started per second
 * @property {number} operations measured
 * @property {number} late operations that took too long
 * @property {readonly SecondCount[]} seconds counts for each whole second of the measured time
 *
 * @typedef {Pick<LateCount, 'operations' | 'late'>} SecondCount
 */

/**
 * @typedef {{ rate: number, low: number, high: number }} Crossing ops/s at which the share of late operations crosses a
 *   limit, and its 95% confidence interval
 */

const MAX_ITERATIONS = 50;
const CONVERGED = 1e-9;

/** An operation is often late because the previous one was: a single wait shows as several late operations. */
const MIN_DISPERSION = 8;

/**
 * Widens the interval. Seconds share a queue, and each rate was chosen by earlier results, so the counts contain less
 * information than the model assumes.
 */
const DEPENDENCE = 2;

/** Minimum number of rates to estimate a share of late operations. */
const MIN_RATES = 3;

/**
 * Finds the rate at which the share of late operations crosses the limit. Late operations come in clusters, so a few
 * seconds reveal little, but all rates near the limit together reveal much more. The tail of a queue's waiting time is
 * roughly exponential, so the logarithm of a small share of late operations is roughly linear in the rate (S. Asmussen,
 * Applied Probability and Queues, 2003, chapter XIII). A logistic regression, with the dispersion estimated from the
 * seconds, fits the line (P. McCullagh, J. A. Nelder, Generalized Linear Models, 1989, chapter 4). The delta method
 * gives the rate at which the line crosses the limit, and its interval.
 *
 * @param {readonly LateCount[]} counts in any order
 * @param {number} limit the share of late operations, between 0 and 1
 * @returns {Crossing | null} null if the counts show no rising line
 */
function crossingOf(counts, limit) {
  const withLate = new Set(counts.filter(({ late }) => late > 0).map(({ rate }) => rate));
  if (counts.length < MIN_RATES || withLate.size < 2) {
    return null;
  }
  const center = counts.reduce((sum, { rate }) => sum + rate, 0) / counts.length;
  const points = counts.map(({ rate, ...count }) => ({ ...count, x: rate / center - 1 }));
  const line = fitLine(points);
  if (line === null || line.slope <= 0) {
    return null;
  }
  const { intercept, slope, covariance } = line;
  const cells = points.flatMap(({ x, seconds }) => seconds.map((second) => ({ ...second, x })));
  const freedom = Math.max(cells.length - 2, 1);
  const residuals = cells.map(({ x, operations, late }) => {
    const share = logistic(intercept + slope * x);
    return (late - operations * share) ** 2 / (operations * share * (1 - share));
  });
  const dispersion = Math.max(residuals.reduce((sum, each) => sum + each, 0) / freedom, MIN_DISPERSION);
  const x = (Math.log(limit / (1 - limit)) - intercept) / slope;
  const variance = (covariance[0] + 2 * x * covariance[1] + x ** 2 * covariance[2]) / slope ** 2;
  const half = DEPENDENCE * studentT(freedom) * Math.sqrt(dispersion * variance) * center;
  const rate = center * (1 + x);
  return Number.isFinite(half) ? { rate, low: Math.max(rate - half, 0), high: rate + half } : null;
}

/**
 * Fits log(late ÷ punctual) = intercept + slope × x by maximum likelihood, with Newton's method.
 *
 * @param {readonly { x: number, operations: number, late: number }[]} points
 * @returns {{ intercept: number, slope: number, covariance: [number, number, number] } | null} `covariance`:
 *   variance of the intercept, covariance of both, variance of the slope, at a dispersion of 1; null if the fit fails
 */
function fitLine(points) {
  const late = points.reduce((sum, point) => sum + point.late, 0);
  const operations = points.reduce((sum, point) => sum + point.operations, 0);
  let intercept = Math.log(late / Math.max(operations - late, 1));
  let slope = 0;
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    let [a, b, c, u, v] = [0, 0, 0, 0, 0];
    for (const point of points) {
      const share = logistic(intercept + slope * point.x);
      const weight = point.operations * share * (1 - share);
      const surplus = point.late - point.operations * share;
      a += weight;
      b += weight * point.x;
      c += weight * point.x ** 2;
      u += surplus;
      v += surplus * point.x;
    }
    const determinant = a * c - b * b;
    if (!(determinant > 0) || !Number.isFinite(determinant)) {
      return null;
    }
    const steps = [(c * u - b * v) / determinant, (a * v - b * u) / determinant];
    intercept += steps[0];
    slope += steps[1];
    if (Math.abs(steps[0]) + Math.abs(steps[1]) < CONVERGED * (1 + Math.abs(slope))) {
      return { intercept, slope, covariance: [c / determinant, -b / determinant, a / determinant] };
    }
  }
  return null;
}

/** @param {number} value */
function logistic(value) {
  return 1 / (1 + Math.exp(-value));
}
