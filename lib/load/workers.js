import { Worker as Thread } from 'node:worker_threads';
import { measureCpuTime } from '../measure/host/client-load.js';
import { findInterface, measureHost } from '../measure/host/host-sampler.js';
import { sumOfSeconds, sumOfStages } from '../result/records.js';
import { NO_LATENCY } from '../result/seconds.js';
import { connectionHostname } from '../store/address.js';
import { LiveCredentials } from '../store/live-credentials.js';
import { NO_FLOW, sumOfFlows } from './run-stage.js';
import { settleAll } from './run-pool.js';
import { packTask, unpackFatal } from './worker-messages.js';
import { Worker } from './worker.js';

/**
 * @import { Clock } from '../measure/clock/clock.js'
 * @import { KindCount } from '../measure/stage-meter.js'
 * @import { LatencyRecord, StageRecord, StageSnapshot } from '../result/records.js'
 * @import { ClientLoad, HostLoad, SecondCount, SecondLatency } from '../result/result.js'
 * @import { DataFlow } from '../result/run-events.js'
 * @import { StageHooks } from './run-stage.js'
 * @import { FatalError } from './stage-watch.js'
 * @import { Event, Reply } from './worker-messages.js'
 * @import { StageTask, WorkerOutcome, WorkerSpec } from './worker.js'
 * @import { Payload } from './workload/payload.js'
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
    const readHost = measureHost({
      now: this.#clock.now,
      interfaceName: this.#interfaceName,
      endpointProcess: this.#endpointProcess,
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
      readHost();
      throw error;
    });
    const [cpu, ofHost] = [cpuTime(), readHost()];
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
 * @param {LatencyRecord} latencies of a second
 * @returns {SecondLatency}
 */
function latencyOf({ latency, histogram }) {
  return latency === null ? NO_LATENCY : { p50: latency.p50, p99: latency.p99, maximum: latency.maximum, histogram };
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
 * @typedef {SecondCount & { latencies: LatencyRecord, objectBytes?: number, kinds?: KindCount[],
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

/** @typedef {{ resolve: (result: any) => void, reject: (error: Error) => void }} Waiting */

/** Thrown if a worker's thread has ended. */
class WorkerError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = 'WorkerError';
  }
}

/** The main thread's handle to a Worker in another thread, with the same methods. */
export class RemoteWorker {
  #thread;
  #calls = 0;
  /** @type {Map<number, Waiting>} */
  #waiting = new Map();
  /** @type {StageHooks | null} */
  #hooks = null;
  #stopRenewing;
  /** Why the thread no longer replies. @type {Error | null} */
  #failure = null;
  #isClosing = false;

  /**
   * @param {WorkerSpec} spec
   * @param {Clock} clock
   * @param {number} number of the worker, for error messages
   * @param {LiveCredentials} credentials used instead of those in the store configuration
   */
  constructor(spec, clock, number, credentials) {
    this.#thread = new Thread(new URL('./worker-thread.js', import.meta.url), {
      workerData: { spec, clock: clock.toState(), credentials: credentials.toState() },
    });
    this.#stopRenewing = credentials.onReplaced((renewed) =>
      this.#thread.postMessage({ id: this.#calls++, call: 'renew', credentials: renewed }),
    );
    this.#thread.on('message', (message) => this.#receive(message));
    this.#thread.on('error', (error) =>
      this.#fail(new WorkerError(`the thread of worker ${number} died: ${error.message}`)),
    );
    this.#thread.on('exit', () => this.#fail(this.#isClosing ? closedError() : endedError(number)));
  }

  /**
   * @param {AbortSignal} signal
   * @returns {ReturnType<Worker['openConnections']>}
   */
  openConnections(signal) {
    return this.#stoppable(signal, () => this.#call({ call: 'open' }));
  }

  /**
   * @param {StageTask} task
   * @param {AbortSignal} signal stops the stage
   * @param {StageHooks} hooks
   * @returns {Promise<WorkerOutcome>}
   */
  async runStage(task, signal, hooks) {
    this.#hooks = hooks;
    const outcome = await this.#stoppable(signal, () => this.#call({ call: 'run', task: packTask(task) }));
    return { ...outcome, fatal: unpackFatal(outcome.fatal) };
  }

  async close() {
    this.#stopRenewing();
    if (this.#failure === null) {
      this.#isClosing = true;
      // A thread that dies while it closes counts as closed.
      await this.#call({ call: 'close' }).catch(() => {});
      this.#fail(closedError());
    }
    await this.#thread.terminate();
  }

  /**
   * @template Result
   * @param {AbortSignal} signal
   * @param {() => Promise<Result>} call
   * @returns {Promise<Result>}
   */
  async #stoppable(signal, call) {
    const stop = () => this.#thread.postMessage({ id: this.#calls++, call: 'stop' });
    const called = call();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) {
      stop();
    }
    try {
      return await called;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /**
   * @param {{ call: string } & Record<string, unknown>} request
   * @returns {Promise<any>}
   */
  #call(request) {
    return new Promise((resolve, reject) => {
      if (this.#failure !== null) {
        reject(this.#failure);
        return;
      }
      const id = this.#calls++;
      this.#waiting.set(id, { resolve, reject });
      this.#thread.postMessage({ ...request, id });
    });
  }

  /** @param {Reply | Event} message */
  #receive(message) {
    if (message.kind === 'event') {
      const hook = /** @type {(...parameters: any[]) => void} */ (this.#hooks?.[message.hook]);
      hook(...message.parameters);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error === undefined) {
      waiting?.resolve(message.result);
    } else {
      waiting?.reject(new Error(message.error));
    }
  }

  /** @param {Error} error */
  #fail(error) {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) {
      reject(this.#failure);
    }
    this.#waiting.clear();
  }
}

/** @param {number} number of the worker */
function endedError(number) {
  return new WorkerError(`the thread of worker ${number} ended unexpectedly`);
}

function closedError() {
  return new Error('the worker is closed');
}
