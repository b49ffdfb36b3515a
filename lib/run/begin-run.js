import { formatDuration } from '../text/units.js';
import { connectionsFor } from '../operations/multipart.js';
import { operationsOf } from '../operations/registry.js';
import { waitUntil } from '../clock/pause.js';
import { PHASES } from './phases.js';
import { preflight } from '../preflight/preflight.js';
import { MAX_WAIT_MS } from '../clock/start-time.js';
import { measureUnloaded } from '../preflight/unloaded-latency.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { Workers } from '../engine/workers.js'
 * @import { PreflightResult } from '../preflight/preflight.js'
 * @import { Begun, BegunSession, Session } from './session.js'
 * @import { Config } from '../model/config.js'
 * @import { Result, UnloadedLatency } from '../model/result.js'
 */

const MINUTE_MS = 60_000;

/** A start that is late by more than this is reported. */
const PUNCTUAL_MS = 50;

/** Measurements end this long before an agreed start. */
const READY_BEFORE_MS = 250;

/** Closed connections are reopened this long before an agreed start. */
const TOP_UP_MS = 3000;

/**
 * Checks that the store is ready. From its first response on, also measures its clock.
 *
 * @param {Session} session
 * @returns {Promise<PreflightResult>}
 */
export async function checkStore({ config, run, signal, observer, runClock, timeBudget, phases, checks }) {
  const measuring = new AbortController();
  /** @type {Promise<void> | null} */
  let measured = null;
  const measureClock = () => {
    if (measured === null) {
      const measure = () => runClock.measure(AbortSignal.any([signal, measuring.signal]));
      measured = config.store.isEmbedded ? measure() : phases.during(PHASES.clock, measure);
      // The error surfaces where `measured` is awaited, after preflight.
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
    lacking: () => checks.lacking(),
    written: (/** @type {string} */ bucket, /** @type {string} */ key) => checks.written(bucket, key),
    reached: measureClock,
    answered: timeBudget.answered.bind(timeBudget),
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
 * @param {Clock} clock already set to the store's clock, if that is known
 * @param {number} launchedAt monotonic ms at which the process was started
 * @param {string | null} clockProblem why the store's clock is unknown; null if it is known
 * @returns {{ startsAt: number | null, problem: string | null }} epoch ms; null if the run starts as soon as it can
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
  // A process that was launched in time keeps the agreed start, even if something else has made it late since.
  const wait = startsAt - launched;
  return { startsAt, problem: startProblem(startsAt, wait, clock.epochNow()) };
}

/**
 * @param {number} startsAt epoch ms
 * @param {number} wait ms from the launch of the process until `startsAt`
 * @param {number} now epoch ms
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

/** @param {Pick<Session, 'config' | 'run' | 'signal' | 'observer'>} session */
export async function openWorkers({ config, run, signal, observer }) {
  const workers = await run.openWorkers();
  // The SDK's own agent opens its sockets itself.
  if (config.load.keepAlive && !config.load.sdkDefaults) {
    const { failed, reason } = await workers.openConnections(signal);
    if (failed > 0 && !signal.aborted) {
      observer.notice(
        `${failed} of ${connectionsFor(config.load)} connections could not be opened in advance (${reason}); each will open when it is first used`,
      );
    }
  }
  return workers;
}

/**
 * @param {Session} session
 * @returns {Promise<BegunSession | null>} null if the run cannot start on time
 */
export async function beginRun(session) {
  const { config, run, observer, runClock, launchedAt, result } = session;
  const { clock } = run;
  const clockProblem = runClock.problem();
  const { startsAt, problem } = chooseStart(config, clock, launchedAt, clockProblem);
  if (problem !== null) {
    result.problems.push(problem);
    return null;
  }
  if (clockProblem !== null) {
    observer.notice(`The store's clock is unknown: ${clockProblem}. All times use this host's clock`);
  }
  const start = new Date(clock.epochNow()).toISOString();
  result.facts = { ...result.facts, start, clock: runClock.facts() };
  observer.runStarts(result.facts);
  if (!run.wroteObjects && !run.listed) {
    operationsOf(config.load.stages)
      .flatMap(({ limitWithoutWrites = [] }) => limitWithoutWrites)
      .forEach((limit) => observer.notice(limit));
  }
  const begun = await getReady(session, startsAt);
  run.costs.spendRequests(run.requests.preflight + run.requests.probe);
  return { ...session, ...begun };
}

/**
 * Prepares the first stage and waits until it is due. If hosts have agreed on a start, connections are opened first,
 * and the latency with one thread is measured in the remaining time.
 *
 * @param {Session} session
 * @param {number | null} startsAt epoch ms; null if the run starts as soon as it can
 * @returns {Promise<Begun>}
 */
async function getReady(session, startsAt) {
  const { config, run, timeBudget, phases } = session;
  const { clock } = run;
  const { keepAlive } = config.load;
  const open = () => (keepAlive ? phases.during(PHASES.connections, () => openWorkers(session)) : openWorkers(session));
  if (startsAt === null) {
    const unloaded = await unloadedLatencies(session);
    const workers = await open();
    return { workers, unloaded, firstStageAt: clock.now() };
  }
  const moment = clock.fromEpoch(startsAt);
  timeBudget.endBy(moment - READY_BEFORE_MS);
  const workers = await open();
  const unloaded = await unloadedLatencies(session);
  await waitForStart(moment, session, keepAlive ? workers : null);
  return { workers, unloaded, firstStageAt: moment };
}

/** @param {Session} session */
async function unloadedLatencies({ config, run, signal, observer, timeBudget, phases, earlier }) {
  if (earlier !== null) {
    return latenciesIn(earlier);
  }
  const isWanted = config.schedule.preflight || config.search !== null;
  if (!isWanted || signal.aborted) {
    return new Map();
  }
  const { latencies, problem } = await phases.during(PHASES.latency, () =>
    measureUnloaded(run, config, timeBudget, signal),
  );
  if (problem !== null && !signal.aborted) {
    observer.notice(`Could not measure the latency with one thread: ${problem}`);
  }
  return latencies;
}

/**
 * @param {Result} result
 * @returns {Map<string, UnloadedLatency>} by the name of the operation
 */
function latenciesIn({ stages }) {
  const all = stages.flatMap(({ stage, unloaded, kinds = [] }) => [
    { operation: stage.toLowerCase(), unloaded },
    ...kinds,
  ]);
  return new Map(all.flatMap(({ operation, unloaded }) => (unloaded ? [[operation, unloaded]] : [])));
}

/**
 * @param {number} moment monotonic ms
 * @param {Pick<Session, 'run' | 'signal' | 'observer' | 'phases'>} session
 * @param {Pick<Workers, 'openConnections'> | null} workers null if connections are not kept
 */
export async function waitForStart(moment, { run: { clock }, signal, observer, phases }, workers) {
  const left = moment - clock.now();
  if (left < -PUNCTUAL_MS) {
    const reasons = phases.summary();
    observer.notice(`Starting ${(-left / 1000).toFixed(1)}s late${reasons === '' ? '' : `: ${reasons}`}`);
    return;
  }
  const time = formatTime(clock.toEpoch(moment));
  observer.notice(`Waiting until ${time} (${(Math.max(left, 0) / 1000).toFixed(1)}s from now by the store's clock)`);
  await phases.during(
    `waiting until ${time}`,
    async () => {
      await waitUntil(moment - TOP_UP_MS, clock, signal);
      await topUp(workers, moment, clock, signal);
      await waitUntil(moment, clock, signal);
    },
    moment,
  );
}

/**
 * Reopens connections that the store closed while they were idle.
 *
 * @param {Pick<Workers, 'openConnections'> | null} workers
 * @param {number} moment monotonic ms after which the stage no longer waits for connections
 * @param {Clock} clock
 * @param {AbortSignal} signal
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
