import { CapacitySearch } from './capacity-search.js';
import { HOLD_MS, MAX_EDGES_MS, MIN_HOLD_MS, STAGE_MS, inWholeWindows, timesOf } from './search-plan.js';
import { sumOf } from '../statistics/moments.js';
import { batchMeans } from './batch-means.js';
import { StepBudget } from './step-budget.js';
import { WINDOW_MS } from './step-rate.js';

/**
 * @import { BucketLimit, RateInterval } from '../model/result.js'
 * @import { BucketConclusion, UnknownLimitReason, SearchConclusion } from '../model/search.js'
 * @import { Step, StepResult } from './search-plan.js'
 */

/** Duration in ms of a step with fewer than all buckets. The step with all of them lasts as long as a hold. */
const BUCKETS_MS = 5000;

/** Safety margin for the rate of one bucket, which was measured only briefly. */
const MARGIN = 1.1;

/** If each additional bucket adds at least this share of one bucket's rate, the rate is proportional. */
const IN_PROPORTION = 0.85;

/** A lower minimum for the last buckets added, because their share is less certain. */
const STILL_IN_PROPORTION = 0.7;

/** If all buckets together reach at most this many times the rate of one, the rate is flat. */
const FLAT = 1.15;

/** @typedef {{ buckets: number, threads: number, rate: RateInterval, isClientBusy: boolean }} BucketStep */

/**
 * Determines whether each bucket has its own limit. It decides what to try and what the results mean, but has no access
 * to a clock or a store. First it searches for the plateau of the first bucket. Then it loads more and more buckets,
 * each with as many threads as that plateau needed.
 */
export class BucketSearch {
  #buckets;
  #maxThreads;
  #unloadedLatency;
  #available;
  /** Operations that the first bucket's objects allowed at the start, and their share of all operations. */
  #inFirst;
  /** Share of all operations that the search on the first bucket may take, 0 to 1. */
  #share;
  #inner;
  #budget;
  /** The conclusion about one bucket. @type {SearchConclusion | null} */
  #one = null;
  /** Bucket counts still to be tried. @type {number[]} */
  #plan = [];
  /** @type {BucketStep[]} */
  #steps = [];
  /** @type {Step | null} */
  #step = null;

  /**
   * @param {object} options
   * @param {number} options.buckets at least two
   * @param {number} options.maxThreads
   * @param {number} options.unloadedLatency ms of an operation with one thread
   * @param {number} [options.maxOperations] that objects allow
   * @param {number} [options.maxAttempts] that dollars allow
   * @param {(buckets: number) => number} [options.available] operations that objects in the first n buckets allow
   * @param {boolean} [options.sharesOperations] see SearchOptions
   */
  constructor({ buckets, maxThreads, unloadedLatency, available = () => Infinity, ...options }) {
    const { maxOperations = Infinity, maxAttempts = Infinity, sharesOperations = false } = options;
    this.#buckets = buckets;
    this.#maxThreads = maxThreads;
    this.#unloadedLatency = unloadedLatency;
    this.#available = available;
    const inFirst = available(1);
    const ofFirst = Math.min(shareOfOne(buckets) * maxOperations, shareOfFirst(buckets) * inFirst);
    this.#share = ofFirst > 0 && ofFirst < Infinity ? ofFirst / maxOperations : shareOfOne(buckets);
    this.#inFirst = { before: inFirst, share: inFirst / maxOperations };
    this.#inner = new CapacitySearch({
      maxThreads,
      unloadedLatency,
      maxOperations: ofFirst,
      maxAttempts: shareOfOne(buckets) * maxAttempts,
      sharesOperations,
    });
    this.#budget = new StepBudget({ time: Infinity, maxOperations, maxAttempts, sharesOperations });
  }

  /** @returns {Step | null} null if the search is over */
  next() {
    if (this.#one === null) {
      const step = this.#inner.next();
      if (step !== null) {
        this.#step = step;
        return step;
      }
      this.#one = this.#inner.conclusion();
      this.#plan =
        this.#threads === null ? [] : numbersOf(Math.min(this.#buckets, Math.floor(this.#maxThreads / this.#threads)));
    }
    this.#step = this.#nextBuckets();
    return this.#step;
  }

  /** @param {StepResult} result of the step planned last */
  take(result) {
    this.#budget.spend(result.elapsed, result.consumed, result.attempts);
    const { buckets, threads } = /** @type {Step} */ (this.#step);
    if (buckets === undefined) {
      this.#inner.take(result);
      return;
    }
    const rate = result.windows.length * WINDOW_MS < MIN_HOLD_MS ? null : batchMeans(result.windows, WINDOW_MS / 1000);
    if (rate === null || rate.mean === 0) {
      this.#plan = [];
      this.#recordShortage([buckets]);
      return;
    }
    const { mean: operationsPerSecond, low, high } = rate;
    const { isClientBusy = false } = result;
    this.#steps.push({ buckets, threads, rate: { operationsPerSecond, low, high, confidence: 0.95 }, isClientBusy });
  }

  /** Threads for each bucket. @returns {number | null} null if one bucket alone showed no plateau */
  get #threads() {
    return this.#one?.hasPlateau ? (this.#one.capacity?.threads ?? null) : null;
  }

  /** @returns {Step | null} */
  #nextBuckets() {
    const [buckets, ...others] = this.#plan;
    if (buckets === undefined) {
      return null;
    }
    const threads = buckets * Number(this.#threads);
    const times = timesOf('hold', { unloadedLatency: this.#unloadedLatency, latency: this.#latency });
    const rest = sumOf(this.#plan.map((each) => this.#operationsFor(each)));
    const share = Math.floor((this.#budget.operationsLeft * this.#operationsFor(buckets)) / rest);
    // Every step uses the first bucket, whose objects may run out before the operations of the whole search do.
    const ofThis = this.#operationsFor(buckets) / buckets / this.#inFirstFor(this.#plan);
    const operations = Math.min(share, Math.floor(ofThis * this.#available(buckets)));
    const time = (1000 * (operations - 2 * threads)) / (buckets * this.#rateOfOne);
    const duration = Math.min(durationOf(buckets, this.#most), inWholeWindows(time - times.settle));
    if (duration < MIN_HOLD_MS) {
      this.#recordShortage(this.#plan);
      this.#plan = [];
      return null;
    }
    this.#plan = others;
    return {
      ...times,
      phase: 'hold',
      buckets,
      threads,
      operations: Math.min(this.#budget.operationsLeft, this.#available(buckets)),
      attempts: this.#budget.attemptsLeft,
      precision: 0,
      minDuration: duration,
      maxDuration: duration,
    };
  }

  get #rateOfOne() {
    return MARGIN * (this.#one?.capacity?.operationsPerSecond ?? 0);
  }

  /** Latency of an operation on the plateau, in ms. */
  get #latency() {
    const { capacity } = /** @type {SearchConclusion} */ (this.#one);
    return capacity === null ? this.#unloadedLatency : (1000 * capacity.threads) / capacity.operationsPerSecond;
  }

  /** The maximum number of buckets for which there are enough threads. */
  get #most() {
    return Math.min(this.#buckets, Math.floor(this.#maxThreads / Number(this.#threads)));
  }

  /** @param {number} buckets */
  #operationsFor(buckets) {
    const { settle } = timesOf('hold', { unloadedLatency: this.#unloadedLatency, latency: this.#latency });
    const seconds = (settle + durationOf(buckets, this.#most)) / 1000;
    return buckets * (this.#rateOfOne * seconds + 2 * Number(this.#threads));
  }

  /** Operations that steps with these bucket counts need in the first bucket. @param {readonly number[]} numbers */
  #inFirstFor(numbers) {
    return sumOf(numbers.map((each) => this.#operationsFor(each) / each));
  }

  /** @param {readonly number[]} numbers bucket counts of the steps that lacked operations */
  #recordShortage(numbers) {
    const { before, share } = this.#inFirst;
    const inAll = sumOf(numbers.map((each) => this.#operationsFor(each)));
    const inFirst = before - this.#available(1) + this.#inFirstFor(numbers);
    // The first bucket has a fixed share of all objects: with this total, its share is enough.
    const forFirst = before < Infinity ? inFirst / share - this.#budget.operationsUsed : 0;
    this.#budget.recordShortage(Math.max(inAll, forFirst));
  }

  /** @returns {BucketConclusion} */
  conclusion() {
    const one = this.#one ?? this.#inner.conclusion();
    const first = this.#steps[0];
    const last = this.#steps.at(-1);
    const found = {
      one,
      steps: this.#steps.map(({ buckets, threads, rate }) => ({ buckets, threads, rate })),
      threadsPerBucket: this.#threads,
      threadsNeeded: this.#threadsNeeded,
      ...this.#shortage(one),
    };
    const { limit, reason } = this.#limit(first, last);
    return {
      ...found,
      limit,
      reason,
      perBucket: limit === 'per bucket' && last !== undefined ? dividedBy(last.rate, last.buckets) : null,
    };
  }

  /** @returns {number | null} threads needed for all buckets; null if there are enough */
  get #threadsNeeded() {
    const needed = this.#buckets * Number(this.#threads);
    return needed > this.#maxThreads ? needed : null;
  }

  /**
   * @param {SearchConclusion} one
   * @returns {Pick<BucketConclusion, 'needed' | 'limitingResource'>}
   */
  #shortage(one) {
    const { needed, limitingResource } = this.#budget;
    if (needed !== null || one.needed === null) {
      return { needed, limitingResource: limitingResource ?? one.limitingResource };
    }
    const ofAll = (/** @type {number} */ part) => Math.ceil(part / this.#share);
    return {
      needed: { operations: ofAll(one.needed.operations), attempts: ofAll(one.needed.attempts) },
      limitingResource: one.limitingResource,
    };
  }

  /**
   * @param {BucketStep | undefined} first
   * @param {BucketStep | undefined} last
   * @returns {{ limit: BucketLimit, reason: UnknownLimitReason | null }}
   */
  #limit(first, last) {
    const unknown = (/** @type {UnknownLimitReason} */ reason) => ({
      limit: /** @type {const} */ ('inconclusive'),
      reason,
    });
    if (this.#threads === null) {
      return unknown(this.#one === null ? 'ended early' : 'no plateau');
    }
    if (this.#most < 2) {
      return unknown('too few threads');
    }
    if (first === undefined || last === undefined || last.buckets === 1) {
      return unknown(this.#budget.needed === null ? 'ended early' : 'too few operations');
    }
    const growth = growthOf(first, last);
    const before = this.#steps[this.#steps.length - 2];
    // A rate that grew in proportion at first may have reached another limit with the last buckets added.
    if (growth.share >= IN_PROPORTION && growthOf(before, last).share >= STILL_IN_PROPORTION) {
      return { limit: 'per bucket', reason: null };
    }
    // A client at its limit may itself be the reason that more buckets did not raise the rate.
    if (this.#steps.some(({ isClientBusy }) => isClientBusy)) {
      return unknown('client busy');
    }
    return growth.times <= FLAT ? { limit: 'whole store', reason: null } : unknown('in between');
  }
}

/**
 * @param {BucketStep} one
 * @param {BucketStep} other with more buckets
 * @returns {{ times: number, share: number }} `times`: growth factor; `share`: growth as a share of proportional growth
 */
function growthOf(one, other) {
  const times = other.rate.operationsPerSecond / one.rate.operationsPerSecond;
  return { times, share: (times - 1) / (other.buckets / one.buckets - 1) };
}

/** The bucket counts to try: 1, 2, 4, …, most; empty if `most` is less than 2. @param {number} most */
function numbersOf(most) {
  const numbers = [];
  for (let number = 1; number < most; number *= 2) {
    numbers.push(number);
  }
  return most < 2 ? [] : [...numbers, most];
}

/**
 * @param {number} buckets
 * @param {number} most
 */
function durationOf(buckets, most) {
  return buckets === most ? HOLD_MS : BUCKETS_MS;
}

/** Maximum ms of a search over this many buckets. @param {number} buckets */
export function searchTime(buckets) {
  return STAGE_MS + sumOf(numbersOf(buckets).map((each) => durationOf(each, buckets) + MAX_EDGES_MS));
}

/** Share of all operations that the search on the first bucket may take, 0 to 1. @param {number} buckets */
function shareOfOne(buckets) {
  const others = sumOf(numbersOf(buckets).map((each) => MARGIN * each * durationOf(each, buckets)));
  return STAGE_MS / (STAGE_MS + others);
}

/** Share of the first bucket's operations that the search on that bucket may take, 0 to 1. @param {number} buckets */
function shareOfFirst(buckets) {
  const others = sumOf(numbersOf(buckets).map((each) => MARGIN * durationOf(each, buckets)));
  return STAGE_MS / (STAGE_MS + others);
}

/**
 * @param {RateInterval} rate
 * @param {number} buckets
 */
function dividedBy({ operationsPerSecond, low, high, confidence }, buckets) {
  return { operationsPerSecond: operationsPerSecond / buckets, low: low / buckets, high: high / buckets, confidence };
}
