import { COUNT_NAMES, failedAttemptsOf, sumsByName } from '../result/counters.js';
import { LatencyHistogram, StageLatencyMeter } from './latency-histogram.js';
import { CacheMeter } from './part-meter.js';
import { SecondCounts } from './second-counts.js';

/**
 * @import { ConnectionRecord, KindRecord } from '../result/records.js'
 * @import { CountName, SecondCount } from '../result/result.js'
 * @import { RetriedRequest } from '../store/retry.js'
 * @import { Clock } from './clock/clock.js'
 */

/**
 * @typedef {Pick<Timings, 'startedAt' | 'attemptStartedAt' | 'finishedAt'>
 *   & { isPart?: boolean, isAbort?: boolean }} StepTimings
 */

/** Why these attempts failed is known only to the client. */
const RETRIED_INSIDE = 'retried-by-sdk';

/** @typedef {Exclude<CountName, 'attempts'>} SummedCount */

/** Counters that are updated directly. Attempts are derived from operations, their steps and failed attempts. */
const SUMMED_COUNTS = /** @type {SummedCount[]} */ (COUNT_NAMES.filter((name) => name !== 'attempts'));

/** @typedef {Pick<RetriedRequest, 'startedAt' | 'attemptStartedAt' | 'finishedAt'>} Timings in monotonic ms */

/** @typedef {{ operations: number, bytes: number }} KindCount operations of one kind in a second */

/**
 * Counts the operations of one kind in one stage on one worker. The hot path only adds; figures are derived at the end.
 *
 * @implements {Record<SummedCount, number>}
 */
export class StageMeter {
  // result.schema.json documents the counters. Separate fields are fast: an operation updates five of them.
  operations = 0;
  bytes = 0;
  keys = 0;
  steps = 0;
  parts = 0;
  aborts = 0;
  retries = 0;
  throttled = 0;
  unsent = 0;
  failed = 0;
  integrityErrors = 0;
  staleReads = 0;
  foreignReads = 0;
  tornReads = 0;
  staleByCache = 0;
  vanished = 0;
  changed = 0;
  archived = 0;
  skipped = 0;
  abandoned = 0;
  warmupOperations = 0;
  warmupBytes = 0;
  drainOperations = 0;
  drainBytes = 0;
  unknownOutcomes = 0;
  timeLost = 0;
  timeGivenUp = 0;
  undecidedRaces = 0;
  #clock;
  #latencies;
  #measuredFrom;
  #measuredUntil;
  #windows;
  /** By status, or by outcome of a race. @type {Map<string, CacheMeter>} */
  #cache = new Map();
  #failedAttempts = 0;
  /** @type {Map<string, number>} */
  #errors = new Map();

  /**
   * @param {Clock} clock
   * @param {number} startedAt monotonic ms
   * @param {object} [options]
   * @param {number} [options.measuredFrom] monotonic ms; operations that complete earlier are warm-up: they are
   *   counted, but excluded from rates and percentiles
   * @param {number} [options.measuredUntil] monotonic ms; operations that complete later are excluded from rates
   * @param {Windows | null} [options.windows]
   */
  constructor(clock, startedAt, { measuredFrom = startedAt, measuredUntil = Infinity, windows = null } = {}) {
    this.#clock = clock;
    this.seconds = new SecondCounts(clock, startedAt);
    const second = this.seconds.secondOf(startedAt);
    this.#latencies = new StageLatencyMeter(second);
    this.#measuredFrom = measuredFrom;
    this.#measuredUntil = measuredUntil;
    this.#windows = new WindowCounts(windows);
    /** Monotonic ms of the last success, or of the stage's start. */
    this.lastSuccessAt = startedAt;
  }

  /**
   * Counts each request of an upload except the completing one, which counts as the operation.
   *
   * @param {StepTimings} step that has succeeded
   */
  stepSucceeded({ startedAt, attemptStartedAt, finishedAt, isPart = false, isAbort = false }) {
    this.steps += 1;
    this.parts += Number(isPart);
    this.aborts += Number(isAbort);
    this.lastSuccessAt = finishedAt;
    if (this.#isMeasured(startedAt, finishedAt)) {
      this.#latencies.attempts.record(finishedAt - attemptStartedAt);
      if (isPart) {
        this.#latencies.parts.record(finishedAt - startedAt);
      }
    }
  }

  /**
   * The last attempt of an object written in parts is the request that completed it.
   *
   * @param {Timings} timings
   * @param {number} bytes
   * @param {number} [objectBytes] see SecondCounts
   * @param {number} [timeLost] ms lost before the transfer; by default, those before the last attempt
   */
  succeeded(timings, bytes, objectBytes = bytes, timeLost = timings.attemptStartedAt - timings.startedAt) {
    const { startedAt, finishedAt } = timings;
    const wasSuspended = this.#clock.wasSuspended(startedAt, finishedAt);
    this.operations += 1;
    this.bytes += bytes;
    this.lastSuccessAt = finishedAt;
    const second = this.seconds.add(finishedAt, bytes, objectBytes);
    if (!wasSuspended) {
      this.#windows.add(finishedAt);
    }
    if (finishedAt < this.#measuredFrom || wasSuspended) {
      this.warmupOperations += 1;
      this.warmupBytes += bytes;
    } else {
      this.#latencies.succeeded(timings, second);
      this.timeLost += timeLost;
      if (finishedAt > this.#measuredUntil) {
        this.drainOperations += 1;
        this.drainBytes += bytes;
      }
    }
  }

  /**
   * @param {number} latency ms from the start of a successful attempt to the first byte of its response
   * @param {number} finishedAt monotonic ms
   */
  answered(latency, finishedAt) {
    if (this.#isMeasured(finishedAt - latency, finishedAt)) {
      this.#latencies.firstByte.record(latency);
    }
  }

  /**
   * @param {number} time ms that a Worker's call of its binding took
   * @param {boolean} isFirstByte whether this is the time to the first byte of a body
   * @param {Pick<Timings, 'attemptStartedAt' | 'finishedAt'>} timings
   */
  answeredByBinding(time, isFirstByte, { attemptStartedAt, finishedAt }) {
    if (this.#isMeasured(attemptStartedAt, finishedAt)) {
      this.#latencies[isFirstByte ? 'bindingFirstByte' : 'binding'].record(time);
    }
  }

  /**
   * @param {number} delay ms by which an operation of an open loop started late
   * @param {number} startedAt monotonic ms
   */
  started(delay, startedAt) {
    if (startedAt >= this.#measuredFrom) {
      this.#latencies.startDelay.record(delay);
    }
  }

  /**
   * @param {string} kind
   * @param {number} latency ms
   * @param {number} finishedAt monotonic ms
   */
  attemptFailed(kind, latency, finishedAt) {
    this.#failedAttempts += 1;
    this.#errors.set(kind, (this.#errors.get(kind) ?? 0) + 1);
    if (this.#isMeasured(finishedAt - latency, finishedAt)) {
      this.#latencies.attempts.record(latency);
    }
  }

  /** @param {number} count attempts that failed within an attempt, and that the client itself retried */
  retriedInside(count) {
    if (count > 0) {
      this.#failedAttempts += count;
      this.retries += count;
      this.#errors.set(RETRIED_INSIDE, (this.#errors.get(RETRIED_INSIDE) ?? 0) + count);
    }
  }

  /**
   * @param {number} startedAt monotonic ms
   * @param {number} finishedAt monotonic ms
   * @returns {boolean} whether the time between them counts as a latency
   */
  #isMeasured(startedAt, finishedAt) {
    return finishedAt >= this.#measuredFrom && !this.#clock.wasSuspended(startedAt, finishedAt);
  }

  /**
   * @param {Pick<Timings, 'startedAt' | 'finishedAt'>} timings of a failed operation
   * @param {number} lostUntil monotonic ms, the end of the lost time
   */
  gaveUp({ startedAt, finishedAt }, lostUntil) {
    if (finishedAt >= this.#measuredFrom) {
      this.timeGivenUp += lostUntil - startedAt;
    }
  }

  /** @param {'stale' | 'foreign' | 'torn' | null} error of a response with a wrong version of an object */
  versionError(error) {
    this.staleReads += Number(error === 'stale');
    this.foreignReads += Number(error === 'foreign');
    this.tornReads += Number(error === 'torn');
  }

  /**
   * Also counts an operation by the cache status of its response, or a write of a race by its outcome.
   *
   * @param {string} status
   * @param {Timings} timings
   * @param {number} bytes
   * @param {number} [age] see CacheMeter
   */
  answeredBy(status, timings, bytes, age = -1) {
    let meter = this.#cache.get(status);
    if (meter === undefined) {
      const time = { measuredFrom: this.#measuredFrom, measuredUntil: this.#measuredUntil, clock: this.#clock };
      meter = new CacheMeter(time);
      this.#cache.set(status, meter);
    }
    meter.answered(timings, bytes, age);
  }

  /** The figures so far, without the seconds. @returns {Omit<KindRecord, 'seconds'>} */
  toRecord() {
    const sums = /** @type {Record<SummedCount, number>} */ (
      Object.fromEntries(SUMMED_COUNTS.map((name) => [name, this[name]]))
    );
    const attempts = this.operations + this.steps + this.#failedAttempts;
    const counts = { ...sums, attempts, errors: sumsByName([Object.fromEntries(this.#errors)]) };
    return {
      ...counts,
      failedAttempts: failedAttemptsOf(counts),
      done: this.done,
      latency: this.#latencies.toRecord(),
      windows: this.#windows.counts,
      cache: [...this.#cache].map(([status, meter]) => ({ status, ...meter.toRecord() })),
      lastSuccessAt: this.lastSuccessAt,
    };
  }

  /** Attempts that a store bills: those that abort an upload are free. */
  get billed() {
    return this.operations + this.steps + this.#failedAttempts - this.aborts;
  }

  /** Operations that have ended, whatever their outcome. */
  get done() {
    const { operations, failed, integrityErrors, skipped, vanished, changed, archived } = this;
    return operations + failed + integrityErrors + skipped + vanished + changed + archived;
  }

  /**
   * @param {number} endedAt monotonic ms
   * @returns {KindRecord}
   */
  until(endedAt) {
    return { ...this.toRecord(), seconds: this.seconds.until(endedAt) };
  }

  /** Latencies of the operations that completed in a second. @param {number} second that is over */
  takeSecond(second) {
    return this.#latencies.takeSecond(second);
  }
}

/** The meters of a stage's kinds on one worker. The stage's counts are their sum. */
export class StageMeters {
  /**
   * @param {number} kinds
   * @param {ConstructorParameters<typeof StageMeter>} parameters of each meter
   */
  constructor(kinds, ...parameters) {
    this.kinds = Array.from({ length: kinds }, () => new StageMeter(...parameters));
  }

  get done() {
    return this.kinds.reduce((sum, { done }) => sum + done, 0);
  }

  get lastSuccessAt() {
    return this.kinds.reduce((last, { lastSuccessAt }) => Math.max(last, lastSuccessAt), -Infinity);
  }

  /** @param {number} monotonic ms */
  secondOf(monotonic) {
    return this.kinds[0].seconds.secondOf(monotonic);
  }

  /**
   * @param {number} second epoch second
   * @returns {SecondCount & { objectBytes?: number, kinds?: KindCount[] }} with the counts of each kind if there are
   *   several, and otherwise the bytes of the objects
   */
  at(second) {
    const kinds = this.kinds.map(({ seconds }) => {
      const { operations, bytes } = seconds.at(second);
      return { operations, bytes };
    });
    const sum = (/** @type {'operations' | 'bytes'} */ name) => kinds.reduce((total, kind) => total + kind[name], 0);
    const whole = { secondStart: second, operations: sum('operations'), bytes: sum('bytes') };
    return kinds.length === 1
      ? { ...whole, objectBytes: this.kinds[0].seconds.objectBytesAt(second) }
      : { ...whole, kinds };
  }

  /**
   * Every second of the stage, including those without operations.
   *
   * @param {number} endedAt monotonic ms
   * @returns {Pick<SecondCount, 'secondStart'>[]}
   */
  until(endedAt) {
    const ofKinds = this.kinds.map(({ seconds }) => seconds.until(endedAt));
    return ofKinds.reduce((one, other) => (other.length > one.length ? other : one));
  }

  /** Latencies of all kinds. @param {number} second that is over */
  takeSecond(second) {
    const [first, ...others] = this.kinds.map((meter) => meter.takeSecond(second));
    return first.plus(others).toRecord();
  }
}

/** @typedef {{ startsAt: number, width: number }} Windows of `width` ms each, the first at monotonic ms `startsAt` */

/** Operations by the window in which they completed, for cases in which seconds are too coarse. */
export class WindowCounts {
  #startsAt;
  #width;
  /** @type {number[]} */
  #counts = [];

  /** @param {Windows | null} windows null to count nothing */
  constructor(windows) {
    this.#startsAt = windows?.startsAt ?? 0;
    this.#width = windows?.width ?? 0;
  }

  /** @param {number} finishedAt monotonic ms; times before the first window count in it */
  add(finishedAt) {
    if (this.#width === 0) {
      return;
    }
    const window = Math.max(Math.floor((finishedAt - this.#startsAt) / this.#width), 0);
    while (this.#counts.length <= window) {
      this.#counts.push(0);
    }
    this.#counts[window] += 1;
  }

  /** @returns {readonly number[]} from the first window to the last in which an operation completed */
  get counts() {
    return this.#counts;
  }
}

/** Collects the costs of opening connections during a stage. */
export class ConnectionMeter {
  #tcp = new LatencyHistogram();
  #tls = new LatencyHistogram();
  /** @type {Map<string, number>} */
  #colos = new Map();

  /** @param {{ tcp: number, tls: number | null }} milliseconds of one connection */
  opened({ tcp, tls }) {
    this.#tcp.record(tcp);
    if (tls !== null) {
      this.#tls.record(tls);
    }
  }

  /** @param {string} colo that sent the first response over a connection */
  answered(colo) {
    this.#colos.set(colo, (this.#colos.get(colo) ?? 0) + 1);
  }

  /** @returns {Pick<ConnectionRecord, 'tcp' | 'tls' | 'colos'>} since the last call; the busiest data center first */
  take() {
    const colos = sumsByName([Object.fromEntries(this.#colos)]);
    const record = { tcp: this.#tcp.toRecord(), tls: this.#tls.toRecord(), colos };
    this.#tcp = new LatencyHistogram();
    this.#tls = new LatencyHistogram();
    this.#colos = new Map();
    return record;
  }
}
