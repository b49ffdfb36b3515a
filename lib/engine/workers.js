import { networkInterfaces } from 'node:os';
import { HostSampler } from '../host/host-sampler.js';
import { findListeningProcess } from '../host/store-interface.js';
import { findInterface } from '../host/store-interface.js';
import { sumOfBuckets } from '../meter/part-meter.js';
import { measureCpuTime } from '../meter/client-load.js';
import { sumOfConnections } from '../meter/connection-meter.js';
import { StageMeter, sumOfMeters } from '../meter/stage-meter.js';
import { bucketSnapshots, sumOfSnapshots } from '../meter/stage-snapshot.js';
import { worstEnd } from '../model/stage-ends.js';
import { LiveCredentials } from '../s3/live-credentials.js';
import { connectionHostname } from '../s3/address.js';
import { NO_FLOW, sumOfFlows } from './data-flow.js';
import { sumOfParts } from './operation-parts.js';
import { RemoteWorker } from './remote-worker.js';
import { settleAll } from './run-pool.js';
import { sumOfNoted } from './noted-operations.js';
import { SecondMerger } from './second-merger.js';
import { Worker } from './worker.js';

/**
 * @import { NotedState } from './noted-operations.js'
 * @import { Clock } from '../clock/clock.js'
 * @import { WorkerOutcome, WorkerSpec, StageTask } from './worker.js'
 * @import { StageHooks } from './run-stage.js'
 * @import { MeasuredSecond } from './second-merger.js'
 * @import { FatalError } from './stage-watch.js'
 * @import { KindParts } from './operation-parts.js'
 * @import { BucketMeter } from '../meter/part-meter.js'
 * @import { PartMeter } from '../meter/part-meter.js'
 * @import { ConnectionMeter } from '../meter/connection-meter.js'
 * @import { LatencyHistogram } from '../meter/latency-histogram.js'
 * @import { ClientLoad, HostLoad, SecondLatency, StageEnd } from '../model/result.js'
 * @import { DataFlow, StageSnapshot } from '../model/run-events.js'
 * @import { Stage } from '../operations/stage.js'
 * @import { Payload } from '../workload/payload.js'
 */

/**
 * The merged outcome of a stage on all workers.
 *
 * @typedef {object} StageOutcome
 * @property {StageEnd} end
 * @property {FatalError | null} fatal
 * @property {number} startedAt monotonic ms at which the first worker began
 * @property {number} endedAt monotonic ms at which the last worker ended
 * @property {StageMeter} meter
 * @property {readonly StageMeter[]} kinds the meters by kind; `meter` is their sum
 * @property {number} [waited] total ms that operations waited for an available object
 * @property {NotedState} [noted]
 * @property {readonly BucketOutcome[]} buckets in the order in which the run lists them
 * @property {readonly KindParts<PartMeter>[]} [parts] by kind; absent if operations are not split
 * @property {ReadonlyMap<number, SecondLatency>} secondLatencies by epoch second
 * @property {ClientLoad} clientLoad
 * @property {HostLoad} hostLoad
 * @property {ConnectionOutcome} connections since the previous stage
 */

/** @typedef {{ bucket: string, meter: BucketMeter | null }} BucketOutcome `meter`: null if there is only one bucket */

/**
 * @typedef {{ opened: number, reused: number, socketWait: number, lookupTime: number | null,
 *   meter: ConnectionMeter }} ConnectionOutcome times in ms
 */

/** If a stage ends on one worker in one of these ways, the other workers stop too. */
const ENDS_ALL_WORKERS = ['stalled', 'overloaded', 'fatal'];

/** @type {Readonly<SecondLatency>} */
const NO_LATENCY = Object.freeze({ p50: null, p99: null, maximum: null, histogram: null });

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
          snapshot: (/** @type {StageSnapshot} */ snapshot) => {
            snapshots.set(index, snapshot);
            hooks.snapshot?.(sumOfSnapshots([...snapshots.values()]));
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
    const hostLoad = { ...host.stop(), loops: outcomes.map(({ loop }) => loop) };
    const merged = mergeOutcomes(this.#clock, task, outcomes, cpuTime());
    if (this.#takesSnapshots) {
      hooks.snapshot?.(finalSnapshot(task.stage, merged));
    }
    return { ...merged, secondLatencies, hostLoad };
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
 * @param {Stage} stage
 * @param {Pick<StageOutcome, 'kinds' | 'buckets' | 'connections'>} outcome
 * @returns {StageSnapshot} with exactly the counts of the stage's result
 */
function finalSnapshot(stage, { kinds, buckets, connections: { opened, reused } }) {
  const ofKinds = kinds.map((meter, kind) => meter.snapshot(stage.kinds[kind].operation.name));
  return {
    isFinal: true,
    kinds: ofKinds,
    buckets: bucketSnapshots(buckets, ofKinds, true),
    connections: { opened, reused, open: null },
    inFlight: 0,
    loops: [],
  };
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
 * @param {Clock} clock
 * @param {StageTask} task
 * @param {readonly WorkerOutcome[]} outcomes
 * @param {Pick<ClientLoad, 'cpuUser' | 'cpuSystem'>} cpuTime
 * @returns {Omit<StageOutcome, 'secondLatencies' | 'hostLoad'>}
 */
function mergeOutcomes(clock, { stage, load: { windows } }, outcomes, cpuTime) {
  const startedAt = Math.min(...outcomes.map((outcome) => outcome.startedAt));
  const endedAt = Math.max(...outcomes.map((outcome) => outcome.endedAt));
  const utilizations = outcomes.map(({ loop }) => loop.utilization);
  const kinds = stage.kinds.map(() => new StageMeter(clock, startedAt, { windows }));
  for (const outcome of outcomes) {
    kinds.forEach((meter, kind) => meter.addState(outcome.meters[kind]));
  }
  return {
    end: worstEnd(outcomes.map(({ end }) => end)),
    fatal: outcomes.find(({ fatal }) => fatal !== null)?.fatal ?? null,
    startedAt,
    endedAt,
    meter: sumOfMeters(kinds, clock, { startedAt, endedAt, windows }),
    kinds,
    waited: outcomes.reduce((sum, { waited = 0 }) => sum + waited, 0),
    noted: sumOfNoted(outcomes.flatMap(({ noted = [] }) => noted)),
    buckets: sumOfBuckets(outcomes.map(({ buckets }) => buckets)),
    parts: sumOfParts(outcomes.map(({ parts }) => parts)),
    clientLoad: {
      ...cpuTime,
      loops: outcomes.length,
      eventLoopUtilization: Math.max(...utilizations),
      busyLoops: utilizations.reduce((sum, utilization) => sum + utilization),
    },
    connections: sumOfConnections(outcomes.map(({ connections }) => connections)),
  };
}
