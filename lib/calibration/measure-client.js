import { readOptions } from '../options/read-options.js';
import { resolve } from '../options/resolve.js';
import { DEFAULT_STAGES } from '../operations/registry.js';
import { runBenchmark } from '../run/benchmark-run.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { FailedOperation, RunObserver } from '../model/run-events.js'
 * @import { RunResult, StageResult } from '../model/result.js'
 * @import { Place, Settings, StageMeasurement } from './calibration.js'
 * @import { NullEndpoint } from './null-endpoint.js'
 */

const STAGE_MS = 2000;

/** Lets operations in flight finish: the next stage would have to reopen a connection that was cut. */
const GAP_MS = 300;

/** More than an event loop can write in a stage. */
const MAX_OBJECTS = 250_000;

/** Remove is measured again if it was shorter: it ends early if Write created few objects, as with large ones. */
const MIN_STAGE_MS = 1000;

const TIMEOUT_MS = 10_000;

/** The client could not work, so nothing was measured. */
export class ClientFailure extends Error {}

/**
 * Measures the client on one event loop, the caller's, against an endpoint in another process.
 *
 * The benchmark runs in the process of the command, because a separate process per measurement gives the same figures:
 * in eight alternating pairs (two shared cores, 20,000 objects of 16 KiB over TLS), the medians of the client's CPU
 * time per operation differed by at most 10%, with a spread of at least 15%. Only a repeated Remove would differ: a new
 * process would start it with cold code, unlike the last stage of a run.
 *
 * @param {{ endpoint: Pick<NullEndpoint, 'report' | 'store'>, settings: Settings & { threads: number },
 *   identity: Place, availableCores: number, clock: Clock, random: () => number, signal: AbortSignal }} parts
 *   `availableCores` can be fractional; `random` is uniform in [0, 1)
 * @returns {Promise<StageMeasurement[]>} all stages, after about ten seconds
 * @throws {ClientFailure}
 * @throws the signal's reason, if aborted
 */
export async function measureClient(parts) {
  const stages = await measure(parts, {
    stages: DEFAULT_STAGES,
    objects: MAX_OBJECTS,
    duration: STAGE_MS,
  });
  const last = stages[stages.length - 1];
  if (last.milliseconds < MIN_STAGE_MS && last.operationsPerSecond > 0) {
    const objects = Math.ceil((last.operationsPerSecond * STAGE_MS) / 1000);
    stages.splice(-1, 1, ...(await measure(parts, { stages: DEFAULT_STAGES.slice(-1), objects })));
  }
  return stages;
}

/**
 * @param {Parameters<typeof measureClient>[0]} parts
 * @param {{ stages: readonly string[], objects: number, duration?: number }} load
 * @returns {Promise<(StageMeasurement & { milliseconds: number })[]>}
 */
async function measure({ endpoint, settings, identity, availableCores, clock, random, signal }, load) {
  const { client, size, threads, keepAlive } = settings;
  const { values } = readOptions('run', {});
  // The endpoint stores nothing, so there is nothing to clean up.
  const ofRun = { runId: 'calibration', cores: 1, timeout: TIMEOUT_MS, gap: GAP_MS, keep: true };
  const options = { ...values, ...ofRun, ...load, stages: [...load.stages], threads, client, size, keepAlive };
  const config = resolve(options, { store: endpoint.store, env: {}, availableCores, now: 0, random });
  const watch = new StageWatch(endpoint);
  const result = await runBenchmark(config, {
    clock,
    random,
    signal,
    identity,
    observer: watch,
    launchedAt: clock.now(),
  });
  signal.throwIfAborted();
  const failure = failureOf(result) ?? watch.failure;
  if (failure !== null) {
    throw new ClientFailure(failure);
  }
  return Promise.all(result.stages.map((stage) => watch.measurementOf(stage)));
}

/** On a busy host, a stage may have no operations: that is not a failure. @param {RunResult} result */
function failureOf({ problems, stages, crash }) {
  if (crash !== null) {
    throw crash;
  }
  if (problems.length > 0) {
    return problems[0];
  }
  const broken = stages.find(({ end }) => end !== 'complete');
  return broken === undefined ? null : `${broken.stage} ended early: ${broken.end}`;
}

/** @implements {RunObserver} */
class StageWatch {
  #endpoint;
  /** By stage: the share of time in which the endpoint's event loop was busy. */
  #endpointUtilizations = /** @type {Map<string, Promise<number>>} */ (new Map());
  /** Why the first failed operation failed. @type {string | null} */
  failure = null;

  /** @param {Pick<NullEndpoint, 'report'>} endpoint */
  constructor(endpoint) {
    this.#endpoint = endpoint;
  }

  stageStarts() {
    // Reset the endpoint's counters before the stage. If it has died, the report at the end of the stage shows that.
    this.#endpoint.report().catch(() => {});
  }

  /** @param {StageResult} result */
  stage({ stage }) {
    const utilization = this.#endpoint.report().then(({ eventLoopUtilization }) => eventLoopUtilization);
    // An aborted run does not await the report.
    utilization.catch(() => {});
    this.#endpointUtilizations.set(stage, utilization);
  }

  /**
   * @param {string} stage
   * @param {string} message
   */
  integrityError(stage, message) {
    this.failure ??= `${stage}: ${message}`;
  }

  /**
   * @param {string} stage
   * @param {FailedOperation} _operation
   * @param {string} message
   */
  failed(stage, _operation, message) {
    this.failure ??= `${stage}: ${message}`;
  }

  runIsNamed() {}
  phaseStarts() {}
  phaseEnds() {}
  runStarts() {}
  second() {}
  retrying() {}
  progress() {}
  stepEnds() {}
  slotEnds() {}
  snapshot() {}
  cleanupProgress() {}
  notice() {}
  warning() {}
  runEnds() {}

  /**
   * @param {StageResult} result
   * @returns {Promise<StageMeasurement & { milliseconds: number }>}
   */
  async measurementOf({ stage, average, duration, clientLoad, hostLoad }) {
    const { eventLoopUtilization, cpuUser, cpuSystem } = clientLoad;
    const endpointUtilization = await /** @type {Promise<number>} */ (this.#endpointUtilizations.get(stage));
    // The client has a single event loop.
    const waiting = hostLoad?.loops[0]?.waiting ?? null;
    return {
      stage,
      operationsPerSecond: average,
      milliseconds: duration,
      eventLoopUtilization,
      // The fallback overestimates the share, because a process's CPU time includes all its threads.
      coreShare:
        waiting === null
          ? Math.min((cpuUser + cpuSystem) / (duration * eventLoopUtilization), 1)
          : Math.max(1 - waiting / eventLoopUtilization, 0),
      endpointUtilization,
    };
  }
}
