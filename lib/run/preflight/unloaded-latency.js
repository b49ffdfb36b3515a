import { multipartAsFor } from '../../load/operations/multipart.js';
import { OperationRecord } from '../../load/operations/operation-record.js';
import { OPERATIONS, operationsOfRun } from '../../load/operations/registry.js';
import { NOT_FOUND } from '../../store/s3-error.js';
import { PREFLIGHT_PROBES, globalIndex } from '../../load/workload/shard.js';
import { typicalSize } from '../../load/workload/size-distribution.js';
import { sendControlOperation } from './control-request.js';
import { MAX_LATENCY_PROBES, keptWorkload, probeWorkload } from './probe-workload.js';

/**
 * @import { Config } from '../../result/config.js'
 * @import { UnloadedLatency } from '../../result/result.js'
 * @import { Operation } from '../../load/operations/operation.js'
 * @import { RunContext } from './run-context.js'
 */

/** Operations of each kind: enough for a stable median. */
const ROUNDS = MAX_LATENCY_PROBES;

/** Fewer rounds if time is short: one warm-up, five measured. */
export const MIN_ROUNDS = 6;
const MIN_MEASURED = 5;

/** Bytes of the first object. Larger objects are measured only if time allows. */
const SMALL_OBJECT = 64 * 1024;

/** Requests are cut off after this multiple of the time, or at the deadline. */
const GRACE = 2;

const MAX_ATTEMPTS = 3;

/**
 * Measures the latency of each stage's operation before the run puts any load on the store: in rounds, with one request
 * at a time. A round writes a probe, reads it in every way of the run, and removes it; in a run that does not write, it
 * uses an existing object.
 *
 * @param {RunContext} run
 * @param {Config} config
 * @param {TimeBudget} budget the time that preflight has left
 * @param {AbortSignal} signal aborts the work
 * @returns {Promise<Map<string, UnloadedLatency>>} measured latencies by the stage's lower-case name
 */
export async function measureUnloaded(run, config, budget, signal) {
  const { clock, wroteObjects, listed } = run;
  const { load, objects } = config;
  const kinds = kindsOf(run, config, budget);
  const roundTime = kinds.reduce((sum, { name }) => sum + (budget.aloneLatency(name) ?? budget.roundTrip), 0);
  const time = Math.max(budget.left, MIN_ROUNDS * roundTime);
  const latest = budget.deadline - clock.now();
  /** @type {Map<string, UnloadedLatency>} */
  const latencies = new Map();
  if (kinds.length === 0 || time > latest) {
    return latencies;
  }
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), Math.min(GRACE * time, latest));
  const cut = AbortSignal.any([signal, end.signal]);
  const multipart = wroteObjects ? multipartAsFor(typicalSize(objects), load.multipart) : undefined;
  // With one connection, several parts would be sent in turn, which takes longer than in a stage.
  const typical = Math.min(typicalSize(objects), multipart?.partSize ?? Infinity);
  const firstSize = wroteObjects ? Math.min(typical, SMALL_OBJECT) : typical;
  /** Bytes of all objects but the first. */
  let size = firstSize;
  const localIndexOf = (/** @type {number} */ round) =>
    // Spread the sample over the whole list, so that its sizes match those of the stages.
    listed ? Math.floor((round * listed.count) / ROUNDS) : round + (wroteObjects ? PREFLIGHT_PROBES : 0);
  const firstIndex = globalIndex(objects.shard, localIndexOf(0));
  const sizeOf = (/** @type {number} */ index) => (index === firstIndex ? firstSize : size);
  const workload = wroteObjects ? probeWorkload(run, objects.shard, sizeOf) : keptWorkload(run, objects);
  /** Latencies by kind in ms, or null if the first attempt failed. @type {Map<Operation, (number | null)[]>} */
  const times = new Map(kinds.map((operation) => [operation, []]));
  const until = clock.now() + time;
  let hasFailed = false;
  for (let round = 0, took = 0; round < ROUNDS && (round < MIN_ROUNDS || clock.now() + took <= until); round++) {
    const startedAt = clock.now();
    let isUncertain = false;
    for (const operation of kinds) {
      hasFailed ||= cut.aborted;
      const record = new OperationRecord(operation, workload, run.controlConnections[0]);
      record.take(0, operation, localIndexOf(round));
      // The list stage would report a probe that is left, so it is removed even if this is late, unless the run must start.
      const untilCut = operation.removes && latest === Infinity ? signal : cut;
      if (untilCut.aborted || (hasFailed && !operation.removes)) {
        continue;
      }
      if (operation.creates) {
        run.probes.add(record.index);
      }
      const sentAt = clock.now();
      const context = { run, maxAttempts: MAX_ATTEMPTS, signal: untilCut };
      const { error, attempts, isFirstTry, outcomeUnknown } = await sendControlOperation(context, record, multipart);
      const latency = error === null && isFirstTry ? clock.now() - sentAt : null;
      run.requests.probe += attempts;
      times.get(operation)?.push(latency);
      hasFailed ||= error !== null;
      isUncertain ||= outcomeUnknown;
      // A write with an unknown outcome may still take effect, so clean-up has to look again.
      if (operation.removes && !isUncertain && (error === null || error.kind === NOT_FOUND)) {
        run.probes.delete(record.index);
      }
      if (operation.creates && round === 0 && latency !== null) {
        // Typical objects may add at most half of the time, to write and to read them.
        const transfer = (Math.max(latency - budget.roundTrip, 0) * typical) / SMALL_OBJECT;
        size = 2 * MIN_ROUNDS * transfer <= time / 2 ? typical : size;
      }
    }
    if (hasFailed) {
      // The stages will report the error.
      break;
    }
    took = clock.now() - startedAt;
  }
  clearTimeout(timer);
  const names = operationsOfRun(load).map(({ name }) => name);
  for (const [{ name }, all] of times) {
    // The first operations are slower because the client's code is cold.
    const measured = all.slice(Math.floor(all.length / MIN_MEASURED)).filter((latency) => latency !== null);
    measured.sort((one, other) => one - other);
    if (measured.length >= MIN_MEASURED && names.includes(name)) {
      latencies.set(name, { count: measured.length, p50: measured[measured.length >> 1], size });
    }
  }
  return latencies;
}

/**
 * @param {RunContext} run
 * @param {Config} config
 * @param {TimeBudget} budget
 */
function kindsOf({ wroteObjects }, config, budget) {
  const names = operationsOfRun(config.load).map(({ name }) => name);
  const { size } = config.objects;
  // Operations on batches cannot be measured with single objects, nor races with a single request. Copies would need
  // additional removals.
  const single = OPERATIONS.filter(({ grouping, race, copies }) => !(grouping || race || copies));
  if (wroteObjects) {
    // Probes are removed even if no stage removes objects.
    return single.filter(({ name, removes }) => removes || names.includes(name));
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

/** Minimum time for all requests before the first stage. */
export const MIN_BUDGET_MS = 3000;

export const ROUND_TRIPS = 30;

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
