import { StoreClock } from '../clock/store-clock.js';
import { requestAbsentObject } from '../preflight/control-request.js';

/**
 * @import { Config } from '../model/config.js'
 * @import { RunObserver } from '../model/run-events.js'
 * @import { ClockFacts } from '../model/result.js'
 * @import { OpenRun } from './open-run.js'
 */

const CLOCK_LOST =
  "The store's clock is unknown from now on: the Date headers of later responses contradict the offset measured before the start";

/** The embedded endpoint uses this host's clock. */
const SAME_CLOCK = Object.freeze({ offset: 0, uncertainty: 0 });

/**
 * @typedef {object} RunClock the store's clock, for one run
 * @property {(signal: AbortSignal) => Promise<void>} measure sets the run's clock to the store's and keeps watching it
 * @property {() => ClockFacts | null} facts null if unknown
 * @property {() => string | null} problem why the clock could not be measured; null if it is known
 * @property {() => Promise<void>} stop
 */

/**
 * @param {Config} config
 * @param {OpenRun} run
 * @param {RunObserver} observer
 * @param {ClockFacts | null} known the store's clock, if an earlier run has measured it
 * @returns {RunClock}
 */
export function openRunClock({ store }, run, observer, known) {
  if (store.isEmbedded || known !== null) {
    const facts = known ?? SAME_CLOCK;
    return {
      measure: async () => run.clock.adjust(facts.offset),
      facts: () => facts,
      problem: () => null,
      stop: async () => {},
    };
  }
  const [bucket] = store.buckets;
  const storeClock = new StoreClock({
    clock: run.clock,
    connections: run.clockConnections,
    request: async (connection, until) => {
      run.requests.clock += 1;
      run.costs.spendRequests(1);
      const { error } = await requestAbsentObject({ run, maxAttempts: 1, signal: until }, connection, bucket);
      return error?.serverTime ?? 0;
    },
  });
  const watching = new AbortController();
  let watched = Promise.resolve();
  return {
    async measure(signal) {
      await storeClock.measure(signal);
      watched = storeClock.watch(watching.signal, () => observer.notice(CLOCK_LOST));
    },
    facts: () => storeClock.facts,
    problem: () => storeClock.problem,
    async stop() {
      watching.abort();
      await watched;
    },
  };
}
