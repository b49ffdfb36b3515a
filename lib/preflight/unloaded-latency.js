import { waitUntil } from '../clock/pause.js';
import { onExisting } from '../operations/existing-object.js';
import { multipartAsFor } from '../operations/multipart.js';
import { OperationRecord } from '../operations/operation-record.js';
import { OPERATIONS, operationsOfRun } from '../operations/registry.js';
import { NOT_FOUND } from '../s3/s3-error.js';
import { typicalSize } from '../workload/size-distribution.js';
import { PREFLIGHT_PROBES, globalIndex } from '../workload/shard.js';
import { sendControlOperation } from './control-request.js';
import { MAX_LATENCY_PROBES, keptWorkload, probeWorkload } from './probe-workload.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { UnloadedLatency } from '../model/result.js'
 * @import { Operation } from '../operations/operation.js'
 * @import { Answer } from './control-request.js'
 * @import { TimeBudget } from './time-budget.js'
 * @import { RunContext } from './run-context.js'
 * @import { MultipartConfig, Config } from '../model/config.js'
 * @import { ObjectConnection } from '../s3/object-store.js'
 */

/** Maximum operations of each kind: enough for a stable median. */
const MAX_OPERATIONS = MAX_LATENCY_PROBES;

/** Minimum samples: one warm-up, five measured. */
const MIN_OPERATIONS = 6;
const MIN_MEASURED = 5;

/** The first operations are slower because of the client: its code is cold, and connections have to be opened. */
const MAX_WARMUP_OPERATIONS = 5;

/**
 * For stores with at least this round-trip time, all kinds of operations are measured concurrently, because one after
 * the other would take too long. Nearby stores get one request at a time, because concurrent requests would compete for
 * their CPU and delay each other.
 */
const FAR_MS = 20;

/** If the median ratio of latencies to those in preflight is above this, concurrent operations delay each other. */
const CROWDED = 1.6;

/** Bytes of the first object. Larger objects are measured only if time allows. */
const SMALL_OBJECT = 64 * 1024;

/** Minimum time that operations may continue after the measurement should end. */
const MIN_GRACE_MS = 1000;

/** Operations may also continue for this many latencies of the slowest kind, if that is longer. */
const GRACE_OPERATIONS = 4;

const MAX_ATTEMPTS = 3;

/** Rounds between the creation of an object and each use of it. */
const LAG = Object.freeze({ creates: 0, copies: 1, reads: 1, removes: 2 });

/** Another object is written only if there is time for this many rounds. */
const ROUNDS_LEFT = 1.5 + LAG.removes;

/**
 * Measures the latency of each stage's operation before the run puts any load on the store, with one thread per kind.
 * Uses probes and removes them; a run that does not write uses existing objects. If the run could not remove its
 * probes, it writes none and measures nothing.
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
  const roundTrip = Number.isFinite(budget.roundTrip) ? budget.roundTrip : 0;
  const isFar = roundTrip >= FAR_MS;
  const times = kinds.map(({ name }) => budget.aloneLatency(name) ?? roundTrip);
  const slowest = Math.max(...times);
  const needed = isFar ? (MIN_OPERATIONS + LAG.removes) * slowest : MIN_OPERATIONS * sumOf(times);
  const now = run.clock.now();
  if (now + needed > budget.deadline) {
    return { latencies: new Map(), problem: 'no time is left for it before the start' };
  }
  const endsAt = Math.min(now + Math.max(budget.left, needed), budget.deadline);
  const cutAt = Math.min(endsAt + Math.max(MIN_GRACE_MS, GRACE_OPERATIONS * slowest), budget.deadline);
  const probe = new Probe({ run, config, kinds, roundTrip, isFar, endsAt });
  await withCut(cutAt, run.clock, signal, async (cut) => {
    // There is no time limit for removing probes, unless the start is scheduled: then clean-up removes the rest.
    const removal = Number.isFinite(budget.deadline) ? cut : signal;
    await (isFar ? probe.measureTogether(cut, removal) : probe.measureInTurn(cut, removal));
  });
  const latencies = probe.latencies();
  if (isFar && isCrowded(latencies, budget)) {
    return { latencies: new Map(), problem: 'requests of different kinds delayed each other' };
  }
  const names = operationsOfRun(config.load).map(({ name }) => name);
  const shown = [...latencies].filter(([name]) => names.includes(name));
  return { latencies: new Map(shown), problem: null };
}

/**
 * @param {RunContext} run
 * @param {Config} config
 * @param {TimeBudget} budget
 */
function kindsOf({ wroteObjects, mayRemove, listed }, config, budget) {
  const names = operationsOfRun(config.load).map(({ name }) => name);
  const { size } = config.objects;
  // Operations on batches cannot be measured with single objects, and copies would need additional removals.
  const single = OPERATIONS.filter(({ grouping, copies }) => grouping === undefined && !copies);
  if (wroteObjects) {
    // Probes are removed even if no stage removes objects.
    return mayRemove ? single.filter(({ name, removes }) => removes || names.includes(name)) : [];
  }
  // The objects of an earlier run must not be removed here, and their size is fixed.
  const isQuick = (/** @type {Operation} */ { name }) => {
    const alone = budget.aloneLatency(name);
    return size <= SMALL_OBJECT || (alone !== null && 2 * MIN_OPERATIONS * alone <= budget.left);
  };
  const reading = single.filter((operation) => {
    const { name, effect, movesWhole } = operation;
    return names.includes(name) && effect === 'reads' && (!movesWhole || isQuick(operation));
  });
  return listed ? reading.map(onExisting) : reading;
}

/**
 * @param {number} cutAt monotonic ms
 * @param {Clock} clock
 * @param {AbortSignal} signal
 * @param {(cut: AbortSignal) => Promise<void>} work its signal `cut` aborts at `cutAt`, or when `signal` aborts
 */
async function withCut(cutAt, clock, signal, work) {
  const cut = new AbortController();
  const done = new AbortController();
  const timer = waitUntil(cutAt, clock, AbortSignal.any([signal, done.signal])).then(() => cut.abort());
  try {
    await work(AbortSignal.any([signal, cut.signal]));
  } finally {
    done.abort();
    await timer;
  }
}

/**
 * @param {ReadonlyMap<string, UnloadedLatency>} latencies
 * @param {TimeBudget} budget
 */
function isCrowded(latencies, budget) {
  const ratios = [...latencies].flatMap(([name, { p50 }]) => {
    const alone = budget.aloneLatency(name);
    return alone === null ? [] : [p50 / alone];
  });
  ratios.sort((one, other) => one - other);
  return ratios.length > 0 && ratios[(ratios.length - 1) >> 1] > CROWDED;
}

/** @param {readonly number[]} values */
function sumOf(values) {
  return values.reduce((sum, value) => sum + value, 0);
}

class Probe {
  #run;
  #kinds;
  #roundTrip;
  #isFar;
  #startedAt;
  #endsAt;
  #workload;
  #connections;
  /** Bytes of the first object; small if the run writes it. */
  #firstSize;
  /** Bytes of a typical object of the run, or of one of its parts. */
  #typicalSize;
  /** undefined if each object takes a single request. @type {MultipartConfig | undefined} */
  #multipart;
  /** Bytes of all other objects. */
  #size;
  #begun = 0;
  #written = 0;
  /** Indices of objects that an unconfirmed write may have created. @type {Set<number>} */
  #uncertain = new Set();
  /** Kinds that start no more operations. @type {Set<Operation>} */
  #ended = new Set();
  /** Latencies by kind in ms, or null if the first attempt failed. @type {Map<Operation, (number | null)[]>} */
  #times = new Map();

  /**
   * @param {object} options
   * @param {RunContext} options.run
   * @param {Config} options.config
   * @param {readonly Operation[]} options.kinds
   * @param {number} options.roundTrip ms
   * @param {boolean} options.isFar whether the kinds are measured at the same time
   * @param {number} options.endsAt monotonic ms
   */
  constructor({ run, config, kinds, roundTrip, isFar, endsAt }) {
    this.#run = run;
    this.#kinds = kinds;
    this.#roundTrip = roundTrip;
    this.#isFar = isFar;
    this.#startedAt = run.clock.now();
    this.#endsAt = endsAt;
    const { objects, load } = config;
    const { shard } = objects;
    this.#multipart = run.wroteObjects ? multipartAsFor(typicalSize(objects), load.multipart) : undefined;
    // With one connection, several parts would be sent in turn, which takes longer than in a stage.
    this.#typicalSize = Math.min(typicalSize(objects), this.#multipart?.partSize ?? Infinity);
    this.#firstSize = run.wroteObjects ? Math.min(this.#typicalSize, SMALL_OBJECT) : this.#typicalSize;
    this.#size = this.#firstSize;
    const firstIndex = globalIndex(shard, this.#localIndexOf(0));
    const sizeOf = (/** @type {number} */ index) => (index === firstIndex ? this.#firstSize : this.#size);
    this.#workload = run.wroteObjects ? probeWorkload(run, shard, sizeOf) : keptWorkload(run, objects);
    // The connections for the clock are already open, but there may be more kinds than connections.
    const [first, ...further] = run.controlConnections;
    this.#connections = [first, ...run.clockConnections, ...further];
  }

  /**
   * @param {AbortSignal} cut
   * @param {AbortSignal} removal aborts the removal of probes
   */
  async measureInTurn(cut, removal) {
    const { clock } = this.#run;
    for (const [kind, operation] of this.#kinds.entries()) {
      const endsAt = this.#startedAt + ((this.#endsAt - this.#startedAt) * (kind + 1)) / this.#kinds.length;
      for (let number = 0; this.#isDue(operation, number); number++) {
        if (number >= MIN_OPERATIONS && clock.now() >= endsAt && !operation.removes) {
          break;
        }
        await this.#time(operation, number, this.#connections[0], operation.removes ? removal : cut);
      }
    }
  }

  /**
   * Measures all kinds in rounds: while one object is created, the previous one is read, and the one before is removed.
   *
   * @param {AbortSignal} cut
   * @param {AbortSignal} removal aborts the removal of probes
   */
  async measureTogether(cut, removal) {
    const { clock, wroteObjects } = this.#run;
    const numberIn = (/** @type {Operation} */ operation, /** @type {number} */ round) =>
      wroteObjects ? round - LAG[operation.effect] : round;
    for (let round = 0; ; round++) {
      const due = this.#kinds.filter((operation) => this.#isDue(operation, numberIn(operation, round)));
      if (due.length === 0 && round >= LAG.removes) {
        return;
      }
      const startedAt = clock.now();
      await Promise.all(
        due.map((operation) => {
          const connection = this.#connections[this.#kinds.indexOf(operation)];
          return this.#time(operation, numberIn(operation, round), connection, operation.removes ? removal : cut);
        }),
      );
      const roundTook = clock.now() - startedAt;
      const left = this.#endsAt - clock.now();
      if (round + 1 >= MIN_OPERATIONS && left < roundTook * (wroteObjects ? ROUNDS_LEFT : 1)) {
        this.#endFirstKinds();
      }
    }
  }

  /** @returns {Map<string, UnloadedLatency>} by the operation's name; kinds with too few samples are omitted */
  latencies() {
    /** @type {Map<string, UnloadedLatency>} */
    const latencies = new Map();
    for (const [operation, times] of this.#times) {
      const size = this.#sizeFor(operation);
      const warmup = Math.min(Math.max(Math.floor(times.length / MIN_MEASURED), 1), MAX_WARMUP_OPERATIONS);
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

  /** Starts no further objects, but finishes the operations on objects that were started. */
  #endFirstKinds() {
    if (this.#run.wroteObjects) {
      this.#kinds.filter(({ creates }) => creates).forEach((operation) => this.#ended.add(operation));
    } else {
      this.#kinds.forEach((operation) => this.#ended.add(operation));
    }
  }

  /**
   * @param {Operation} operation
   * @param {number} number of the object
   */
  #isDue(operation, number) {
    if (number < 0 || number >= MAX_OPERATIONS || this.#ended.has(operation)) {
      return false;
    }
    if (operation.creates || !this.#run.wroteObjects) {
      return true;
    }
    return number < (operation.removes ? this.#begun : this.#written);
  }

  /**
   * @param {Operation} operation
   * @param {number} number of the object
   * @param {ObjectConnection} connection
   * @param {AbortSignal} signal
   */
  async #time(operation, number, connection, signal) {
    if (signal.aborted) {
      this.#ended.add(operation);
      return;
    }
    const { clock, requests } = this.#run;
    const record = new OperationRecord(operation, this.#workload, connection);
    record.take(0, operation, this.#localIndexOf(number));
    const { index } = record;
    if (operation.creates) {
      this.#begun += 1;
      this.#run.probes.add(index);
    }
    const startedAt = clock.now();
    const context = { run: this.#run, maxAttempts: MAX_ATTEMPTS, signal };
    const answer = await sendControlOperation(context, record, this.#multipart);
    const time = clock.now() - startedAt;
    requests.probe += answer.attempts;
    const isFirstAnswer = answer.error === null && answer.isFirstTry;
    this.#times.set(operation, [...(this.#times.get(operation) ?? []), isFirstAnswer ? time : null]);
    if (answer.error !== null) {
      // The stage itself will report the error. Clean-up removes the remaining probes.
      this.#ended.add(operation);
    }
    if (operation.creates) {
      this.#noteWritten(number, index, answer, isFirstAnswer ? time : Infinity);
    } else if (operation.removes) {
      this.#noteRemoved(index, answer);
    }
  }

  /**
   * @param {number} number
   * @param {number} index
   * @param {Answer} answer
   * @param {number} time ms that the write took
   */
  #noteWritten(number, index, { error, outcomeUnknown }, time) {
    if (outcomeUnknown) {
      this.#uncertain.add(index);
    }
    if (error === null) {
      this.#written += 1;
    }
    if (number === 0 && this.#isTimeFor(this.#typicalSize, time)) {
      this.#size = this.#typicalSize;
    }
  }

  /**
   * @param {number} index
   * @param {Answer} answer
   */
  #noteRemoved(index, { error }) {
    // A write with an unknown outcome may still take effect, so clean-up has to look again.
    if ((error === null || error.kind === NOT_FOUND) && !this.#uncertain.has(index)) {
      this.#run.probes.delete(index);
    }
  }

  /**
   * @param {number} size bytes of an object
   * @param {number} time ms that a small object took
   * @returns {boolean} whether objects of this size can be written and read in half of the remaining time
   */
  #isTimeFor(size, time) {
    const each = this.#roundTrip + (Math.max(time - this.#roundTrip, 0) * size) / SMALL_OBJECT;
    const needed = each * MIN_OPERATIONS * (this.#isFar ? 1 : 2);
    return needed <= (this.#endsAt - this.#run.clock.now()) / 2;
  }

  /** @param {number} number */
  #localIndexOf(number) {
    const { wroteObjects, listed } = this.#run;
    if (listed) {
      // Spread the sample over the whole list, so that its sizes match those of the stages.
      return Math.floor((number * listed.count) / MAX_OPERATIONS);
    }
    return wroteObjects ? PREFLIGHT_PROBES + number : number;
  }
}
