import { networkInterfaces } from 'node:os';
import { HostSampler } from '../measure/host/host-sampler.js';
import { findInterface, findListeningProcess } from '../measure/host/store-interface.js';
import { measureCpuTime } from '../measure/client-load.js';
import { sumOfSeconds, sumOfStages } from '../result/records.js';
import { NO_LATENCY } from '../result/seconds.js';
import { connectionHostname } from '../store/address.js';
import { LiveCredentials } from '../store/live-credentials.js';
import { NO_FLOW, sumOfFlows } from './data-flow.js';
import { RemoteWorker } from './remote-worker.js';
import { settleAll } from './run-pool.js';
import { Worker } from './worker.js';

/**
 * @import { Clock } from '../measure/clock/clock.js'
 * @import { LatencyHistogram } from '../measure/latency-histogram.js'
 * @import { KindCount } from '../measure/stage-meter.js'
 * @import { StageRecord, StageSnapshot } from '../result/records.js'
 * @import { ClientLoad, HostLoad, SecondCount, SecondLatency } from '../result/result.js'
 * @import { DataFlow } from '../result/run-events.js'
 * @import { Payload } from './workload/payload.js'
 * @import { StageHooks } from './run-stage.js'
 * @import { FatalError } from './stage-watch.js'
 * @import { StageTask, WorkerSpec } from './worker.js'
 */

/**
 * The outcome of a stage on all workers.
 *
 * @typedef {ReturnType<typeof sumOfStages> & OtherOfOutcome} StageOutcome
 *
 * @typedef {object} OtherOfOutcome
 * @property {FatalError | null} fatal
 * @property {ReadonlyMap<number, SecondLatency>} secondLatencies by epoch second
 * @property {ClientLoad} clientLoad
 * @property {HostLoad} hostLoad
 */

/** If a stage ends on one worker in one of these ways, the other workers stop too. */
const ENDS_ALL_WORKERS = ['stalled', 'overloaded', 'fatal'];

/** All workers of a run. One worker runs in this thread; several run in separate threads and start stages together. */
export class Workers {
  #clock;
  #workers;
  /** The network interface that carries the traffic to the store; null until known. @type {string | null} */
  #interfaceName = null;
  #endpointProcess;
  /** Process ID of a store on this host that is not embedded. @type {number | null} */
  #storeProcess = null;
  #takesSnapshots;

  /**
   * @param {Omit<WorkerSpec, 'threads'>} spec
   * @param {object} options
   * @param {number} options.cores number of cores, one for each worker
   * @param {number} options.threads of all workers together, at least as many as cores
   * @param {Clock} options.clock
   * @param {() => number} options.random uniform in [0, 1)
   * @param {LiveCredentials} [options.credentials] renewable credentials; default: the store's
   * @param {Payload} [options.payload] of the same run, for a worker in this thread
   * @returns {Promise<Workers>}
   */
  static async open(
    spec,
    { cores, threads, clock, random, credentials = new LiveCredentials(spec.store.credentials), payload },
  ) {
    const all =
      cores === 1
        ? [await Worker.open({ ...spec, threads }, { clock, random, credentials, payload })]
        : sharesOf(threads, cores).map(
            (share, index) => new RemoteWorker({ ...spec, threads: share }, clock, index + 1, credentials),
          );
    const { takesSnapshots, store } = spec;
    const workers = new Workers(clock, all, { endpointProcess: store.processId, takesSnapshots });
    // Not awaited: an unresolvable name can take a long time.
    const { hostname, port } = spec.store.proxy ?? { ...spec.store, hostname: connectionHostname(spec.store) };
    void findInterface(hostname, port).then((name) => {
      workers.#interfaceName = name;
      const isHere = name !== null && networkInterfaces()[name]?.some(({ internal }) => internal);
      workers.#storeProcess =
        isHere && !store.proxy && store.processId === undefined ? findListeningProcess(port) : null;
    });
    return workers;
  }

  /**
   * @param {Clock} clock
   * @param {readonly (Worker | RemoteWorker)[]} workers
   * @param {{ endpointProcess?: number, takesSnapshots?: boolean }} [options] `endpointProcess`: process ID of an
   *   embedded endpoint
   */
  constructor(clock, workers, { endpointProcess, takesSnapshots = false } = {}) {
    this.#clock = clock;
    this.#workers = workers;
    this.#endpointProcess = endpointProcess;
    this.#takesSnapshots = takesSnapshots;
  }

  /**
   * @param {AbortSignal} signal
   * @returns {Promise<{ failed: number, reason: string }>} how many connections failed to open, and why
   */
  async openConnections(signal) {
    // Each worker gets its own signal: Node warns of a leak when one signal has more than ten listeners.
    const results = await Promise.all(this.#workers.map((worker) => worker.openConnections(AbortSignal.any([signal]))));
    return {
      failed: results.reduce((sum, { failed }) => sum + failed, 0),
      reason: results.find(({ failed }) => failed > 0)?.reason ?? '',
    };
  }

  /**
   * @param {StageTask} task
   * @param {AbortSignal} signal stops the stage
   * @param {StageHooks} hooks
   * @returns {Promise<StageOutcome>}
   * @throws {Error} if a worker's thread died
   */
  async runStage(task, signal, hooks) {
    const cpuTime = measureCpuTime();
    const host = new HostSampler({
      now: this.#clock.now,
      interfaceName: this.#interfaceName,
      endpointProcess: this.#endpointProcess,
      storeProcess: this.#storeProcess,
    });
    /** @type {Map<number, SecondLatency>} */
    const secondLatencies = new Map();
    // Workers without threads are left out: their event loops would not be measured and would count as busy.
    const working = this.#share(task.load.threads);
    const merger = new SecondMerger(working.length, (second) => {
      secondLatencies.set(second.secondStart, latencyOf(second.latencies));
      hooks.second(second);
    });
    const done = working.map(() => 0);
    const flows = working.map(() => NO_FLOW);
    /** The latest snapshot of each worker that has one. @type {Map<number, StageSnapshot>} */
    const snapshots = new Map();
    const together = new AbortController();
    const outcomes = await settleAll(
      working.map(async ({ worker, threads }, index) => {
        const workerHooks = {
          ...hooks,
          second: (/** @type {MeasuredSecond} */ second) => merger.add(index, second),
          progress: (/** @type {number} */ count, /** @type {DataFlow} */ flow) => {
            done[index] = count;
            flows[index] = flow;
            hooks.progress(
              done.reduce((sum, each) => sum + each),
              sumOfFlows(flows),
            );
          },
          snapshot: (/** @type {readonly StageSnapshot[]} */ [snapshot]) => {
            snapshots.set(index, snapshot);
            hooks.snapshot?.([...snapshots.values()]);
          },
        };
        try {
          const share = { ...task, load: { ...task.load, threads } };
          const outcome = await worker.runStage(share, AbortSignal.any([signal, together.signal]), workerHooks);
          if (ENDS_ALL_WORKERS.includes(outcome.end)) {
            together.abort();
          }
          return outcome;
        } finally {
          merger.end(index);
        }
      }),
      () => together.abort(),
    ).catch((error) => {
      host.stop();
      throw error;
    });
    const [cpu, ofHost] = [cpuTime(), host.stop()];
    const { loops, ...sum } = sumOfStages(outcomes, this.#clock);
    const utilizations = loops.map(({ utilization }) => utilization);
    const clientLoad = {
      ...cpu,
      loops: loops.length,
      eventLoopUtilization: Math.max(...utilizations),
      busyLoops: utilizations.reduce((total, utilization) => total + utilization),
    };
    if (this.#takesSnapshots) {
      hooks.snapshot?.([finalSnapshot(sum)]);
    }
    const fatal = outcomes.find((outcome) => outcome.fatal !== null)?.fatal ?? null;
    return { ...sum, loops, fatal, clientLoad, secondLatencies, hostLoad: { ...ofHost, loops } };
  }

  /**
   * @param {number} threads
   * @returns {{ worker: Worker | RemoteWorker, threads: number }[]} the workers that take part
   */
  #share(threads) {
    const shares = sharesOf(threads, this.#workers.length);
    return this.#workers
      .map((worker, index) => ({ worker, threads: shares[index] }))
      .filter((share) => share.threads > 0);
  }

  async close() {
    await Promise.all(this.#workers.map((worker) => worker.close()));
  }
}

/**
 * @param {Pick<StageRecord, 'kinds' | 'buckets' | 'connections'>} sum
 * @returns {StageSnapshot} with exactly the counts of the stage's result
 */
function finalSnapshot({ kinds, buckets, connections: { opened, reused } }) {
  return { isFinal: true, kinds, buckets, connections: { opened, reused, open: null }, inFlight: 0, loops: [] };
}

/**
 * @param {LatencyHistogram} latencies of a second
 * @returns {SecondLatency}
 */
function latencyOf(latencies) {
  const summary = latencies.summary();
  if (summary === null) {
    return NO_LATENCY;
  }
  const { p50, p99, maximum } = summary;
  return { p50, p99, maximum, histogram: latencies.encode() };
}

/**
 * @param {number} threads
 * @param {number} workers
 * @returns {number[]} how many threads each worker gets
 */
function sharesOf(threads, workers) {
  return Array.from({ length: workers }, (_, index) => Math.floor((threads + index) / workers));
}

/**
 * @typedef {SecondCount & { latencies: LatencyHistogram, objectBytes?: number, kinds?: KindCount[],
 *   billed: number[] }} MeasuredSecond `latencies`: of operations that completed in the second; `objectBytes`: of their
 *   objects, if there is only one kind; `kinds`: the counts of each kind if there are several; `billed`: attempts by kind
 *   that the store bills, since the previous second
 */

/** Merges the seconds of several workers, and passes each on, in order, once every worker has reported it. */
export class SecondMerger {
  #onSecond;
  /** The last second that each worker has reported. @type {number[]} */
  #reported;
  /** @type {Map<number, MeasuredSecond[]>} */
  #pending = new Map();

  /**
   * @param {number} workers
   * @param {(second: MeasuredSecond) => void} onSecond
   */
  constructor(workers, onSecond) {
    this.#onSecond = onSecond;
    this.#reported = Array.from({ length: workers }, () => -Infinity);
  }

  /**
   * @param {number} worker
   * @param {MeasuredSecond} measured a completed second of that worker, later than its previous one
   */
  add(worker, measured) {
    const { secondStart } = measured;
    this.#pending.set(secondStart, [...(this.#pending.get(secondStart) ?? []), measured]);
    this.#reported[worker] = secondStart;
    this.#handOn(Math.min(...this.#reported));
  }

  /** @param {number} worker that has no more seconds in this stage */
  end(worker) {
    this.#reported[worker] = Infinity;
    this.#handOn(Math.min(...this.#reported));
  }

  /** @param {number} last second */
  #handOn(last) {
    const seconds = [...this.#pending.keys()].filter((second) => second <= last).sort((one, other) => one - other);
    for (const second of seconds) {
      this.#onSecond(sumOfSeconds(/** @type {MeasuredSecond[]} */ (this.#pending.get(second))));
      this.#pending.delete(second);
    }
  }
}
