import { measureCpuTime } from '../meter/client-load.js';
import { Core } from './core.js';
import { NO_FLOW, sumOfFlows } from './data-flow.js';
import { mergeOutcomes } from './merge-outcomes.js';
import { RemoteCore } from './remote-core.js';
import { SecondMerger } from './second-merger.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { CoreSpec, StageTask } from './core.js'
 * @import { StageHooks } from './run-stage.js'
 * @import { MeasuredSecond } from './second-merger.js'
 * @import { FatalError } from './stage-watch.js'
 * @import { ConnectionMeter } from '../meter/connection-meter.js'
 * @import { StageMeter } from '../meter/stage-meter.js'
 * @import { ClientLoad, SecondLatency, StageEnd } from '../model/result.js'
 * @import { DataFlow } from '../model/run-events.js'
 */

/**
 * What a stage came to on all cores.
 *
 * @typedef {object} StageOutcome
 * @property {StageEnd} end
 * @property {FatalError | null} fatal
 * @property {number} startedAt monotonic ms at which the first core began
 * @property {number} endedAt monotonic ms at which the last core had done
 * @property {StageMeter} meter
 * @property {ReadonlyMap<number, SecondLatency>} secondLatencies by epoch second
 * @property {ClientLoad} clientLoad
 * @property {ConnectionOutcome} connections since the stage before
 */

/**
 * @typedef {object} ConnectionOutcome
 * @property {number} opened
 * @property {number} reused
 * @property {number | null} lookupTime ms
 * @property {ConnectionMeter} meter
 */

/** Ends of a stage on one core after which the others have nothing to go on for. */
const BREAKING_OFF = ['stalled', 'overloaded', 'fatal'];

const NO_LATENCY = Object.freeze({ p50: null, p99: null, maximum: null });

/** All cores of a run: one runs in this thread, several run in threads of their own and start a stage together. */
export class Cores {
  #clock;
  #cores;

  /**
   * @param {Omit<CoreSpec, 'threads'>} spec
   * @param {object} options
   * @param {number} options.cores
   * @param {number} options.threads of all cores together, not fewer than cores
   * @param {Clock} options.clock
   * @param {() => number} options.random uniform in [0, 1)
   * @returns {Promise<Cores>}
   */
  static async open(spec, { cores, threads, clock, random }) {
    if (cores === 1) {
      return new Cores(clock, [await Core.open({ ...spec, threads }, { clock, random })]);
    }
    return new Cores(
      clock,
      sharesOf(threads, cores).map((share, place) => new RemoteCore({ ...spec, threads: share }, clock, place + 1)),
    );
  }

  /**
   * @param {Clock} clock
   * @param {readonly (Core | RemoteCore)[]} cores
   */
  constructor(clock, cores) {
    this.#clock = clock;
    this.#cores = cores;
  }

  /**
   * @param {AbortSignal} signal gives up
   * @returns {Promise<{ failed: number, reason: string }>} how many connections could not be opened, and why
   */
  async openConnections(signal) {
    // Each listens to a signal of its own: more than ten listeners on one are taken for a leak, and warned of.
    const results = await Promise.all(this.#cores.map((core) => core.openConnections(AbortSignal.any([signal]))));
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
   * @throws {Error} where a core's thread died
   */
  async runStage(task, signal, hooks) {
    const cpuTime = measureCpuTime();
    /** @type {Map<number, SecondLatency>} */
    const secondLatencies = new Map();
    // A core without threads has nothing to tell: a loop that was looked at for no time at all would count as busy.
    const working = this.#share(task.load.threads);
    const merger = new SecondMerger(working.length, (second) => {
      const { p50, p99, maximum } = second.latencies.summary() ?? NO_LATENCY;
      secondLatencies.set(second.second, { p50, p99, maximum });
      hooks.second(second);
    });
    const done = working.map(() => 0);
    const flows = working.map(() => NO_FLOW);
    // Where one core cannot go on, the others have nothing to go on for.
    const together = new AbortController();
    const outcomes = await settleAll(
      working.map(async ({ core, threads }, place) => {
        const coreHooks = {
          ...hooks,
          second: (/** @type {MeasuredSecond} */ second) => merger.add(place, second),
          progress: (/** @type {number} */ count, /** @type {DataFlow} */ flow) => {
            done[place] = count;
            flows[place] = flow;
            hooks.progress(
              done.reduce((sum, each) => sum + each),
              sumOfFlows(flows),
            );
          },
        };
        try {
          const share = { ...task, load: { ...task.load, threads } };
          const outcome = await core.runStage(share, AbortSignal.any([signal, together.signal]), coreHooks);
          if (BREAKING_OFF.includes(outcome.end)) {
            together.abort();
          }
          return outcome;
        } finally {
          merger.end(place);
        }
      }),
      () => together.abort(),
    );
    return { ...mergeOutcomes(this.#clock, task.load, outcomes, cpuTime()), secondLatencies };
  }

  /**
   * @param {number} threads
   * @returns {{ core: Core | RemoteCore, threads: number }[]} the cores that take part, with the threads of each
   */
  #share(threads) {
    const shares = sharesOf(threads, this.#cores.length);
    return this.#cores.map((core, place) => ({ core, threads: shares[place] })).filter((share) => share.threads > 0);
  }

  async close() {
    await Promise.all(this.#cores.map((core) => core.close()));
  }
}

/**
 * @template Value
 * @param {readonly Promise<Value>[]} promises
 * @param {() => void} onFailure
 * @returns {Promise<Value[]>} once all have come to an end
 * @throws the first one's error
 */
async function settleAll(promises, onFailure) {
  promises.forEach((promise) => promise.catch(onFailure));
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/**
 * @param {number} threads
 * @param {number} cores
 * @returns {number[]} how many threads each core gets
 */
function sharesOf(threads, cores) {
  return Array.from({ length: cores }, (_, place) => Math.floor((threads + place) / cores));
}
