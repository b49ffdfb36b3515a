import { multipartAsFor } from '../operations/multipart.js';
import { OperationRecord } from '../operations/operation-record.js';
import { OPERATIONS, operationsOfRun } from '../operations/registry.js';
import { NOT_FOUND } from '../s3/s3-error.js';
import { PREFLIGHT_PROBES, globalIndex } from '../workload/shard.js';
import { typicalSize } from '../workload/size-distribution.js';
import { sendControlOperation } from './control-request.js';
import { MAX_LATENCY_PROBES, keptWorkload, probeWorkload } from './probe-workload.js';

/**
 * @import { Config } from '../model/config.js'
 * @import { UnloadedLatency } from '../model/result.js'
 * @import { Operation } from '../operations/operation.js'
 * @import { RunContext } from './run-context.js'
 */

/** Operations of each kind: enough for a stable median. */
const ROUNDS = MAX_LATENCY_PROBES;

/** Fewer rounds if time is short: one warm-up, five measured. */
const MIN_ROUNDS = 6;
const MIN_MEASURED = 5;

/** The first operations are slower because the client's code is cold. */
const MAX_WARMUP_ROUNDS = 5;

/** Bytes of the first object. Larger objects are measured only if time allows. */
const SMALL_OBJECT = 64 * 1024;

/** Requests are cut off after this multiple of the time, or at the deadline. */
const GRACE = 2;

const MAX_ATTEMPTS = 3;

/**
 * Measures the latency of each stage's operation before the run puts any load on the store: in rounds, with one request
 * at a time. A round writes a probe, reads it in every way of the run, and removes it; in a run that does not write, it
 * uses an existing object. If the run could not remove its probes, it writes none and measures nothing.
 *
 * @param {RunContext} run
 * @param {Config} config
 * @param {TimeBudget} budget the time that preflight has left
 * @param {AbortSignal} signal aborts the work
 * @returns {Promise<{ latencies: Map<string, UnloadedLatency>, problem: string | null }>} measured latencies by the
 *   stage's lower-case name; `problem` is why there are none, unless the stages themselves will show the reason
 */
export async function measureUnloaded(run, config, budget, signal) {
  const kinds = kindsOf(run, config, budget);
  if (kinds.length === 0) {
    return { latencies: new Map(), problem: null };
  }
  const { now } = run.clock;
  const roundTime = kinds.reduce((sum, { name }) => sum + (budget.aloneLatency(name) ?? budget.roundTrip), 0);
  const time = Math.max(budget.left, MIN_ROUNDS * roundTime);
  const latest = budget.deadline - now();
  if (time > latest) {
    return { latencies: new Map(), problem: 'no time is left for it before the start' };
  }
  const cut = new AbortController();
  const timer = setTimeout(() => cut.abort(), Math.min(GRACE * time, latest));
  const probe = new Probe({ run, config, kinds, time, roundTrip: budget.roundTrip });
  const until = now() + time;
  try {
    const either = AbortSignal.any([signal, cut.signal]);
    for (let round = 0, took = 0; round < ROUNDS && (round < MIN_ROUNDS || now() + took <= until); round++) {
      const startedAt = now();
      if (!(await probe.measure(round, either))) {
        break;
      }
      took = now() - startedAt;
    }
  } finally {
    clearTimeout(timer);
  }
  const names = operationsOfRun(config.load).map(({ name }) => name);
  const shown = [...probe.latencies()].filter(([name]) => names.includes(name));
  return { latencies: new Map(shown), problem: null };
}

/**
 * @param {RunContext} run
 * @param {Config} config
 * @param {TimeBudget} budget
 */
function kindsOf({ wroteObjects, mayRemove }, config, budget) {
  const names = operationsOfRun(config.load).map(({ name }) => name);
  const { size } = config.objects;
  // Operations on batches cannot be measured with single objects, nor races with a single request. Copies would need
  // additional removals.
  const single = OPERATIONS.filter(({ grouping, race, copies }) => !(grouping || race || copies));
  if (wroteObjects) {
    // Probes are removed even if no stage removes objects.
    return mayRemove ? single.filter(({ name, removes }) => removes || names.includes(name)) : [];
  }
  // The objects of an earlier run must not be removed here, and their size is fixed.
  const isQuick = (/** @type {Operation} */ { name }) => {
    const alone = budget.aloneLatency(name);
    return size <= SMALL_OBJECT || (alone !== null && 2 * MIN_ROUNDS * alone <= budget.left);
  };
  return single.filter((operation) => {
    const { name, effect, movesWhole } = operation;
    return names.includes(name) && effect === 'reads' && (!movesWhole || isQuick(operation));
  });
}

class Probe {
  #run;
  #kinds;
  #time;
  #roundTrip;
  #workload;
  /** Bytes of a typical object of the run, or of one of its parts. */
  #typicalSize;
  /** undefined if each object takes a single request. */
  #multipart;
  /** Bytes of all objects but the first, which is small if the run writes it. */
  #size;
  /** Latencies by kind in ms, or null if the first attempt failed. @type {Map<Operation, (number | null)[]>} */
  #times;

  /**
   * @param {object} options
   * @param {RunContext} options.run
   * @param {Config} options.config
   * @param {readonly Operation[]} options.kinds
   * @param {number} options.time ms for all rounds
   * @param {number} options.roundTrip ms
   */
  constructor({ run, config: { objects, load }, kinds, time, roundTrip }) {
    this.#run = run;
    this.#kinds = kinds;
    this.#time = time;
    this.#roundTrip = roundTrip;
    this.#times = new Map(kinds.map((operation) => [operation, []]));
    const { shard } = objects;
    this.#multipart = run.wroteObjects ? multipartAsFor(typicalSize(objects), load.multipart) : undefined;
    // With one connection, several parts would be sent in turn, which takes longer than in a stage.
    this.#typicalSize = Math.min(typicalSize(objects), this.#multipart?.partSize ?? Infinity);
    const firstSize = run.wroteObjects ? Math.min(this.#typicalSize, SMALL_OBJECT) : this.#typicalSize;
    this.#size = firstSize;
    const firstIndex = globalIndex(shard, this.#localIndexOf(0));
    const sizeOf = (/** @type {number} */ index) => (index === firstIndex ? firstSize : this.#size);
    this.#workload = run.wroteObjects ? probeWorkload(run, shard, sizeOf) : keptWorkload(run, objects);
  }

  /**
   * Sends one operation of each kind, in turn, to one object.
   *
   * @param {number} round
   * @param {AbortSignal} signal
   * @returns {Promise<boolean>} whether all succeeded; otherwise the stages will report the error
   */
  async measure(round, signal) {
    const { clock, probes, requests, controlConnections } = this.#run;
    let hasFailed = false;
    let isUncertain = false;
    for (const operation of this.#kinds) {
      if (signal.aborted || (hasFailed && !operation.removes)) {
        hasFailed = true;
        continue;
      }
      const record = new OperationRecord(operation, this.#workload, controlConnections[0]);
      record.take(0, operation, this.#localIndexOf(round));
      if (operation.creates) {
        probes.add(record.index);
      }
      const startedAt = clock.now();
      const context = { run: this.#run, maxAttempts: MAX_ATTEMPTS, signal };
      const { error, attempts, isFirstTry, outcomeUnknown } = await sendControlOperation(
        context,
        record,
        this.#multipart,
      );
      const time = error === null && isFirstTry ? clock.now() - startedAt : null;
      requests.probe += attempts;
      this.#times.get(operation)?.push(time);
      hasFailed ||= error !== null;
      isUncertain ||= outcomeUnknown;
      // A write with an unknown outcome may still take effect, so clean-up has to look again.
      if (operation.removes && !isUncertain && (error === null || error.kind === NOT_FOUND)) {
        probes.delete(record.index);
      }
      if (operation.creates && round === 0 && time !== null && this.#isTimeForTypical(time)) {
        this.#size = this.#typicalSize;
      }
    }
    return !hasFailed;
  }

  /** @returns {Map<string, UnloadedLatency>} by the operation's name; kinds with too few samples are omitted */
  latencies() {
    /** @type {Map<string, UnloadedLatency>} */
    const latencies = new Map();
    for (const [operation, times] of this.#times) {
      const size = this.#sizeFor(operation);
      const warmup = Math.min(Math.max(Math.floor(times.length / MIN_MEASURED), 1), MAX_WARMUP_ROUNDS);
      const measured = times.slice(warmup).filter((time) => time !== null);
      measured.sort((one, other) => one - other);
      if (measured.length >= MIN_MEASURED && size !== null) {
        latencies.set(operation.name, { count: measured.length, p50: measured[measured.length >> 1], size });
      }
    }
    return latencies;
  }

  /**
   * Reading a range of a small object takes as long as reading the same range of a large one.
   *
   * @param {Operation} operation
   * @returns {number | null} bytes of the objects that its latency represents; null if the range did not fit
   *   into the small object
   */
  #sizeFor({ movesBytes, movesWhole, bytesOf }) {
    if (movesWhole || !movesBytes) {
      return this.#size;
    }
    const { amounts } = this.#workload;
    const bytes = (/** @type {number} */ size) => bytesOf({ sizeOf: () => size, amounts }, 0);
    return bytes(this.#size) === bytes(this.#typicalSize) ? this.#typicalSize : null;
  }

  /**
   * @param {number} time ms that a small object took
   * @returns {boolean} whether writing and reading typical objects adds at most half of the time
   */
  #isTimeForTypical(time) {
    const transfer = (Math.max(time - this.#roundTrip, 0) * this.#typicalSize) / SMALL_OBJECT;
    return 2 * MIN_ROUNDS * transfer <= this.#time / 2;
  }

  /** @param {number} round */
  #localIndexOf(round) {
    const { wroteObjects, listed } = this.#run;
    if (listed) {
      // Spread the sample over the whole list, so that its sizes match those of the stages.
      return Math.floor((round * listed.count) / ROUNDS);
    }
    return wroteObjects ? PREFLIGHT_PROBES + round : round;
  }
}

/** Minimum time for all requests before the first stage. */
const MIN_BUDGET_MS = 3000;

const ROUND_TRIPS = 30;

/**
 * The time that a run may take to check and measure the store before its first stage: three seconds or, for a distant
 * store, thirty round trips. The fastest operation so far shows how long a round trip takes.
 */
export class TimeBudget {
  #now;
  #startedAt;
  #deadline = Infinity;
  /** Shortest latency of each operation, in ms. @type {Map<string, number>} */
  #alone = new Map();

  /** @param {() => number} now monotonic ms */
  constructor(now) {
    this.#now = now;
    this.#startedAt = now();
  }

  /**
   * @param {string} operation
   * @param {number} milliseconds from the request to the response
   */
  answered(operation, milliseconds) {
    this.#alone.set(operation, Math.min(this.aloneLatency(operation) ?? Infinity, milliseconds));
  }

  /** The shortest latency of any operation, in ms; 0 before the first response. */
  get roundTrip() {
    return this.#alone.size === 0 ? 0 : Math.min(...this.#alone.values());
  }

  /** The operation's shortest latency in preflight, in ms; null if it was not tried. @param {string} operation */
  aloneLatency(operation) {
    return this.#alone.get(operation) ?? null;
  }

  /** Sets a deadline, which applies even if some of the budget is left. @param {number} moment monotonic ms */
  endBy(moment) {
    this.#deadline = Math.min(this.#deadline, moment);
  }

  /** Monotonic ms; Infinity without a deadline. */
  get deadline() {
    return this.#deadline;
  }

  /** Remaining ms; negative once the budget is exceeded. */
  get left() {
    const whole = Math.max(MIN_BUDGET_MS, ROUND_TRIPS * this.roundTrip);
    return Math.min(this.#startedAt + whole, this.#deadline) - this.#now();
  }
}
