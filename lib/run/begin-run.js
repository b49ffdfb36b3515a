import { invocationsFor } from '../edge/send-by-slices.js';
import { runsSlices } from '../edge/slice.js';
import { formatDuration } from '../text/units.js';
import { connectionsFor } from '../operations/multipart.js';
import { requestAbsentObject } from '../preflight/control-request.js';
import { waitUntil } from '../clock/pause.js';
import { PHASES } from './phases.js';
import { lengthOfRamps } from './stage-schedule.js';
import { preflight } from '../preflight/preflight.js';
import { MAX_WAIT_MS } from '../clock/start-time.js';
import { StoreClock } from '../clock/store-clock.js';
import { measureUnloaded } from '../preflight/unloaded-latency.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { Workers } from '../engine/workers.js'
 * @import { ClockFacts, UnloadedLatency } from '../model/result.js'
 * @import { RunObserver } from '../model/run-events.js'
 * @import { PreflightResult } from '../preflight/preflight.js'
 * @import { Beginning } from './benchmark-run.js'
 * @import { OpenRun } from './open-run.js'
 * @import { Config } from '../model/config.js'
 */

const MINUTE_MS = 60_000;

/** A start that is later than this by the store's clock is reported. */
const PUNCTUAL_MS = 50;

/** What is measured before a start that was agreed on is over so long before it. */
const READY_BEFORE_MS = 250;

const CLOCK_LOST =
  "The store's clock is unknown from here on: the Date headers of later answers contradict what was measured before the start";

/** Connections that were closed during the wait are opened anew so long before its end. */
const TOP_UP_MS = 3000;

/** What is known of the clock of a store on this host: it is the same. */
const SAME_CLOCK = Object.freeze({ offset: 0, uncertainty: 0 });

/**
 * The store's clock, as a run uses it.
 *
 * @typedef {object} RunClock
 * @property {(signal: AbortSignal) => Promise<void>} measure sets the run's clock by the store's, and goes on watching it
 * @property {() => ClockFacts | null} facts null where it is unknown
 * @property {() => string | null} problem why it is unknown, once it was measured; null where it is not
 * @property {() => Promise<void>} stop ends watching
 */

/** @type {Readonly<RunClock>} */
const EMBEDDED_CLOCK = Object.freeze({
  measure: async () => {},
  facts: () => SAME_CLOCK,
  problem: () => null,
  stop: async () => {},
});

/**
 * @param {Config} config
 * @param {OpenRun} run
 * @param {RunObserver} observer
 * @returns {RunClock}
 */
export function openRunClock({ store }, run, observer) {
  if (store.isEmbedded) {
    return EMBEDDED_CLOCK;
  }
  const [bucket] = store.buckets;
  const storeClock = new StoreClock({
    clock: run.clock,
    connections: run.clockConnections,
    request: async (connection, until) => {
      run.requests.clock += 1;
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

/**
 * Sees whether the store is ready for the run, and what time it has. Its clock is measured as soon as a first answer shows
 * that it can be, while preflight goes on.
 *
 * @param {Beginning} beginning
 * @returns {Promise<PreflightResult>}
 */
export async function checkStore({ config, run, signal, observer, runClock, budget, phases, checks }) {
  const measuring = new AbortController();
  /** @type {Promise<void> | null} */
  let measured = null;
  const measureClock = () => {
    if (measured === null) {
      const measure = () => runClock.measure(AbortSignal.any([signal, measuring.signal]));
      measured = config.store.isEmbedded ? measure() : phases.during(PHASES.clock, measure);
      // An error is thrown where it is awaited, which is after preflight.
      measured.catch(() => {});
    }
  };
  const hooks = {
    async mayWrite() {
      const mayWrite = await checks.mayWrite();
      if (mayWrite) {
        observer.runIsNamed();
      }
      return mayWrite;
    },
    written: (/** @type {string} */ bucket, /** @type {string} */ key) => checks.written(bucket, key),
    reached: measureClock,
    answered: budget.answered.bind(budget),
  };
  try {
    const check = () => preflight(run, config, signal, hooks);
    const result = await (config.schedule.preflight ? phases.during(PHASES.buckets, check) : check());
    if (result.problems.length > 0) {
      measuring.abort();
    } else {
      measureClock();
    }
    return result;
  } catch (error) {
    measuring.abort();
    throw error;
  } finally {
    await measured;
  }
}

/**
 * @param {Config} config
 * @param {Clock} clock that has been set
 * @param {number} launchedAt monotonic ms at which the process was started
 * @param {string | null} clockProblem why the store's clock is unknown
 * @returns {{ startsAt: number | null, problem: string | null }} epoch ms, null where the run starts as soon as it can
 */
export function chooseStart(config, clock, launchedAt, clockProblem) {
  const { startAt } = config.schedule;
  if (startAt === undefined) {
    return { startsAt: null, problem: null };
  }
  const launched = clock.toEpoch(launchedAt);
  const startsAt = startAt.after(launched);
  if (startAt.isCommon && clockProblem !== null) {
    return {
      startsAt,
      problem: `--start-at: hosts cannot start together, because the store's clock is unknown: ${clockProblem}`,
    };
  }
  // A run that was started in time, and is late for another reason, keeps to its moment as well as it can.
  const wait = startsAt - launched;
  // Slots that are over are missed; those to come can still be kept.
  const isUnderWay = wait < 0 && -wait < lengthOfRamps(config);
  return { startsAt, problem: isUnderWay ? null : startProblem(startsAt, wait, clock.epochNow()) };
}

/**
 * @param {number} startsAt epoch ms
 * @param {number} wait ms from the start of the process until then
 * @param {number} now epoch ms
 * @returns {string | null}
 */
function startProblem(startsAt, wait, now) {
  if (wait < 0) {
    const past = now - startsAt;
    const late = past < MINUTE_MS ? `${(past / 1000).toFixed(1)}s` : formatDuration(past);
    return `--start-at: ${formatTime(startsAt)} was ${late} ago by the store's clock`;
  }
  if (wait > MAX_WAIT_MS) {
    const longest = formatDuration(MAX_WAIT_MS);
    return `--start-at: ${formatTime(startsAt)} is more than ${longest} ahead by the store's clock`;
  }
  return null;
}

/**
 * Opens the workers and their threads' connections.
 *
 * @param {Config} config
 * @param {OpenRun} run
 * @param {AbortSignal} signal gives up
 * @param {RunObserver} observer
 * @returns {Promise<Workers>}
 */
export async function openWorkers(config, run, signal, observer) {
  const workers = await run.openWorkers();
  const { keepAlive, threads } = config.load;
  if (keepAlive) {
    const { failed, reason } = await workers.openConnections(signal);
    if (failed > 0 && !signal.aborted) {
      observer.notice(
        `${failed} of ${runsSlices(config.load) ? invocationsFor(threads).length : connectionsFor(config.load)} connections could not be opened ahead (${reason}): they are opened when they are first needed`,
      );
    }
  }
  return workers;
}

/**
 * Gets everything ready for the first stage, and waits for its moment. Connections are open by then: where the moment is
 * agreed on they go first, and the latency with one thread is measured in the time that is left.
 *
 * @param {Beginning} beginning
 * @param {number | null} startsAt epoch ms; null where the run starts as soon as it can
 * @returns {Promise<Begun>}
 *
 * @typedef {object} Begun
 * @property {Workers} workers
 * @property {Map<string, UnloadedLatency>} unloaded by the stage's name in lower case
 * @property {number} firstStageAt monotonic ms: the moment that was agreed on, even where it has passed, so that later
 *   stages start together all the same
 */
export async function getReady(beginning, startsAt) {
  const { config, run, signal, observer, budget, phases } = beginning;
  const { clock } = run;
  const { keepAlive } = config.load;
  const open = () => {
    const openAll = () => openWorkers(config, run, signal, observer);
    return keepAlive ? phases.during(PHASES.connections, openAll) : openAll();
  };
  if (startsAt === null) {
    const unloaded = await unloadedLatencies(beginning);
    const workers = await open();
    return { workers, unloaded, firstStageAt: clock.now() };
  }
  const moment = clock.fromEpoch(startsAt);
  budget.endBy(moment - READY_BEFORE_MS);
  const workers = await open();
  const unloaded = await unloadedLatencies(beginning);
  await waitForStart(moment, beginning, keepAlive ? workers : null);
  return { workers, unloaded, firstStageAt: moment };
}

/** @param {Beginning} beginning */
async function unloadedLatencies({ config, run, signal, observer, budget, phases }) {
  // From here, a request takes its way to the Worker in addition: that is not the latency of what slices do.
  if (!(config.schedule.preflight || config.search !== null) || runsSlices(config.load) || signal.aborted) {
    return new Map();
  }
  const { latencies, problem } = await phases.during(PHASES.latency, () =>
    measureUnloaded(run, config, budget, signal),
  );
  if (problem !== null && !signal.aborted) {
    observer.notice(`The latency with one thread is not known: ${problem}`);
  }
  return latencies;
}

/**
 * Waits for the moment at which all hosts start.
 *
 * @param {number} moment monotonic ms
 * @param {Pick<Beginning, 'run' | 'signal' | 'observer' | 'phases'>} beginning
 * @param {Pick<Workers, 'openConnections'> | null} workers whose connections the store may close
 *   meanwhile; null where none are kept
 */
export async function waitForStart(moment, { run: { clock }, signal, observer, phases }, workers) {
  const left = moment - clock.now();
  if (left < -PUNCTUAL_MS) {
    const reasons = phases.summary();
    observer.notice(`Starting ${(-left / 1000).toFixed(1)}s late${reasons === '' ? '' : `: ${reasons}`}`);
    return;
  }
  const time = formatTime(clock.toEpoch(moment));
  observer.notice(`Waiting for ${time}, in ${(Math.max(left, 0) / 1000).toFixed(1)}s by the store's clock`);
  await phases.during(
    `waiting for ${time}`,
    async () => {
      await waitUntil(moment - TOP_UP_MS, clock, signal);
      await topUp(workers, moment, clock, signal);
      await waitUntil(moment, clock, signal);
    },
    moment,
  );
}

/**
 * A store does not keep connections for ever that carry nothing.
 *
 * @param {Pick<Workers, 'openConnections'> | null} workers
 * @param {number} moment monotonic ms after which the stage does not wait for them
 * @param {Clock} clock
 * @param {AbortSignal} signal gives up
 */
async function topUp(workers, moment, clock, signal) {
  if (workers === null || signal.aborted || clock.now() >= moment) {
    return;
  }
  const giveUp = new AbortController();
  const opened = workers.openConnections(AbortSignal.any([signal, giveUp.signal]));
  await Promise.race([opened, waitUntil(moment, clock, signal)]);
  giveUp.abort();
  await opened;
}

/** @param {number} epoch ms */
function formatTime(epoch) {
  return new Date(epoch).toISOString();
}
