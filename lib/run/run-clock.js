import { StoreClock } from '../clock/store-clock.js';
import { requestAbsentObject } from '../preflight/control-request.js';

/**
 * @import { Config } from '../model/config.js'
 * @import { RunObserver } from '../model/run-events.js'
 * @import { OpenRun } from './open-run.js'
 */

const CLOCK_LOST =
  "The store's clock is unknown from now on: the Date headers of later responses contradict the offset measured before the start";

/** The embedded endpoint uses this host's clock. */
const SAME_CLOCK = Object.freeze({ offset: 0, uncertainty: 0 });

/** @typedef {ReturnType<typeof openRunClock>} RunClock the store's clock, for one run */

/**
 * @param {Config} config
 * @param {OpenRun} run
 * @param {RunObserver} observer
 * @param {AbortSignal} signal
 */
export function openRunClock({ store }, run, observer, signal) {
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
  const ending = new AbortController();
  const untilEnd = AbortSignal.any([signal, ending.signal]);
  /** @type {Promise<void> | null} */
  let measured = store.isEmbedded ? Promise.resolve() : null;
  let watched = Promise.resolve();
  const measure = async () => {
    await storeClock.measure(untilEnd);
    watched = storeClock.watch(ending.signal, () => observer.notice(CLOCK_LOST));
  };
  return {
    /**
     * Sets the run's clock to the store's, once, and keeps watching it.
     *
     * @param {(measure: () => Promise<void>) => Promise<void>} phase runs the measurement as a phase of the run
     * @returns {Promise<void>}
     */
    measure(phase) {
      measured ??= phase(measure);
      // The error surfaces where the promise is awaited, after preflight.
      measured.catch(() => {});
      return measured;
    },
    facts: () => (store.isEmbedded ? SAME_CLOCK : storeClock.facts),
    /** Why the clock could not be measured; null if it is known. */
    problem: () => (store.isEmbedded ? null : storeClock.problem),
    async stop() {
      ending.abort();
      await measured?.catch(() => {});
      await watched;
    },
  };
}
