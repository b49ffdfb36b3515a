import { measureCpuTime } from '../meter/client-load.js';
import { ConnectionMeter } from '../meter/connection-meter.js';
import { StageMeter } from '../meter/stage-meter.js';
import { Core } from './core.js';
import { RemoteCore } from './remote-core.js';
import { SecondMerger } from './second-merger.js';

/**
 * @typedef {import('./core.js').CoreSpec} CoreSpec
 * @typedef {import('./core.js').CoreOutcome} CoreOutcome
 * @typedef {import('./run-stage.js').StageHooks} StageHooks
 */

/**
 * What a stage came to on all cores.
 *
 * @typedef {object} StageOutcome
 * @property {import('./run-stage.js').StageEnd} end
 * @property {import('./stage-watch.js').FatalError | null} fatal
 * @property {number} startedAt monotonic ms at which the first core began
 * @property {number} endedAt monotonic ms at which the last core had done
 * @property {StageMeter} meter
 * @property {import('../meter/client-load.js').ClientLoad} clientLoad
 * @property {ConnectionOutcome} connections since the stage before
 */

/**
 * @typedef {object} ConnectionOutcome
 * @property {number} opened
 * @property {number} reused
 * @property {number | null} lookupTime ms
 * @property {ConnectionMeter} meter
 */

/** The worse end of two: what has to be told of a stage that ended differently on two cores. */
const ENDS = /** @type {const} */ (['complete', 'stopped', 'stalled', 'fatal']);

/** All cores of a run: one runs in this thread, several run in threads of their own and start a stage together. */
export class Cores {
  #clock;
  #cores;

  /**
   * @param {Omit<CoreSpec, 'threads'>} spec
   * @param {object} options
   * @param {number} options.cores
   * @param {number} options.threads of all cores together, not fewer than cores
   * @param {import('../meter/clock.js').Clock} options.clock
   * @param {() => number} options.random uniform in [0, 1)
   * @returns {Promise<Cores>}
   */
  static async open(spec, { cores, threads, clock, random }) {
    if (cores === 1) {
      return new Cores(clock, [await Core.open({ ...spec, threads }, { clock, random })]);
    }
    const shares = Array.from({ length: cores }, (_, place) => Math.floor((threads + place) / cores));
    return new Cores(
      clock,
      shares.map((share, place) => new RemoteCore({ ...spec, threads: share }, clock, place + 1)),
    );
  }

  /**
   * @param {import('../meter/clock.js').Clock} clock
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
    const results = await Promise.all(this.#cores.map((core) => core.openConnections(signal)));
    return {
      failed: results.reduce((sum, { failed }) => sum + failed, 0),
      reason: results.find(({ failed }) => failed > 0)?.reason ?? '',
    };
  }

  /**
   * @param {import('./core.js').StageTask} task
   * @param {AbortSignal} signal stops the stage
   * @param {StageHooks} hooks
   * @returns {Promise<StageOutcome>}
   * @throws {Error} where a core's thread died
   */
  async runStage(task, signal, hooks) {
    const cpuTime = measureCpuTime();
    const merger = new SecondMerger(this.#cores.length, hooks.second);
    const done = this.#cores.map(() => 0);
    // Where one core cannot go on, the others have nothing to go on for.
    const together = new AbortController();
    const outcomes = await settleAll(
      this.#cores.map(async (core, place) => {
        const coreHooks = {
          ...hooks,
          second: (/** @type {import('../meter/second-counts.js').SecondCount} */ count) => merger.add(place, count),
          progress: (/** @type {number} */ count) => {
            done[place] = count;
            hooks.progress(done.reduce((sum, each) => sum + each));
          },
        };
        try {
          const outcome = await core.runStage(task, AbortSignal.any([signal, together.signal]), coreHooks);
          if (outcome.end === 'fatal' || outcome.end === 'stalled') {
            together.abort();
          }
          return outcome;
        } finally {
          merger.end(place);
        }
      }),
      () => together.abort(),
    );
    return mergeOutcomes(this.#clock, outcomes, cpuTime());
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
 * @param {import('../meter/clock.js').Clock} clock
 * @param {readonly CoreOutcome[]} outcomes
 * @param {Pick<import('../meter/client-load.js').ClientLoad, 'cpuUser' | 'cpuSystem'>} cpuTime
 * @returns {StageOutcome}
 */
function mergeOutcomes(clock, outcomes, cpuTime) {
  const startedAt = Math.min(...outcomes.map((outcome) => outcome.startedAt));
  const meter = new StageMeter(clock, startedAt);
  const connections = {
    opened: 0,
    reused: 0,
    lookupTime: outcomes.find(({ connections: { lookupTime } }) => lookupTime !== null)?.connections.lookupTime ?? null,
    meter: new ConnectionMeter(),
  };
  for (const outcome of outcomes) {
    meter.addState(outcome.meter);
    connections.opened += outcome.connections.opened;
    connections.reused += outcome.connections.reused;
    connections.meter.addState(outcome.connections.costs);
  }
  return {
    end: ENDS[Math.max(...outcomes.map(({ end }) => ENDS.indexOf(end)))],
    fatal: outcomes.find(({ fatal }) => fatal !== null)?.fatal ?? null,
    startedAt,
    endedAt: Math.max(...outcomes.map((outcome) => outcome.endedAt)),
    meter,
    clientLoad: {
      ...cpuTime,
      eventLoopUtilization: Math.max(...outcomes.map(({ eventLoopUtilization }) => eventLoopUtilization)),
    },
    connections,
  };
}
