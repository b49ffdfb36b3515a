import { waitUntil } from '../measure/clock/pause.js';
import { MAX_WAIT_MS } from '../measure/clock/start-time.js';
import { StoreClock } from '../measure/clock/store-clock.js';
import { connectionsFor } from '../load/operations/multipart.js';
import { operationsOf } from '../load/operations/registry.js';
import { requestAbsentObject } from './preflight/control-request.js';
import { preflight } from './preflight/preflight.js';
import { measureUnloaded } from './preflight/unloaded-latency.js';
import { formatDuration } from '../text/units.js';

/**
 * @import { Clock } from '../measure/clock/clock.js'
 * @import { Config } from '../result/config.js'
 * @import { ClockFacts, Result, UnloadedLatency } from '../result/result.js'
 * @import { RunObserver } from '../result/run-events.js'
 * @import { PreflightResult } from './preflight/preflight.js'
 * @import { OpenRun } from './open-run.js'
 * @import { Session } from './session.js'
 */

const MINUTE_MS = 60_000;

/** A start that is late by more than this is reported. */
const PUNCTUAL_MS = 50;

/** Measurements end this long before an agreed start. */
const READY_BEFORE_MS = 250;

/** Connections are opened this long before an agreed start: stores close idle ones. */
const OPEN_BEFORE_MS = 10_000;

/**
 * Checks that the store is ready. From its first response on, also measures its clock.
 *
 * @param {Session} session
 * @returns {Promise<PreflightResult>}
 */
export async function checkStore({ config, run, signal, observer, runClock, timeBudget, phases, checks }) {
  const measureClock = () => runClock.measure((measure) => phases.during(PHASES.clock, measure));
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
  const result = await phases.during(PHASES.buckets, () => preflight(run, config, signal, hooks));
  if (result.problems.length === 0) {
    await measureClock();
  }
  return result;
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
  // A process that was launched in time keeps the agreed start, even if something else has made it late since.
  const wait = startsAt - launched;
  const past = clock.epochNow() - startsAt;
  let problem = null;
  if (startAt.isCommon && clockProblem !== null) {
    problem = `hosts cannot start together, because the store's clock is unknown: ${clockProblem}`;
  } else if (wait < 0) {
    const late = past < MINUTE_MS ? `${(past / 1000).toFixed(1)}s` : formatDuration(past);
    problem = `${formatTime(startsAt)} was ${late} ago by the store's clock`;
  } else if (wait > MAX_WAIT_MS) {
    problem = `${formatTime(startsAt)} is more than ${formatDuration(MAX_WAIT_MS)} ahead by the store's clock`;
  }
  return { startsAt, problem: problem && `--start-at: ${problem}` };
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
 * @returns {Promise<boolean>} false if the run cannot start on time
 */
export async function beginRun(session) {
  const { config, run, observer, runClock, launchedAt, result } = session;
  const clockProblem = runClock.problem();
  const { startsAt, problem } = chooseStart(config, run.clock, launchedAt, clockProblem);
  if (problem !== null) {
    result.problems.push(problem);
    return false;
  }
  if (clockProblem !== null) {
    observer.notice(`The store's clock is unknown: ${clockProblem}. All times use this host's clock`);
  }
  const start = new Date(run.clock.epochNow()).toISOString();
  result.facts = { ...result.facts, start, clock: runClock.facts() };
  observer.runStarts(result.facts);
  if (!run.wroteObjects && !run.listed) {
    operationsOf(config.load.stages)
      .flatMap(({ limitWithoutWrites = [] }) => limitWithoutWrites)
      .forEach((limit) => observer.notice(limit));
  }
  await getReady(session, startsAt);
  run.costs.spendRequests(run.requests.preflight + run.requests.probe);
  return true;
}

/**
 * Prepares the first stage and waits until it is due.
 *
 * @param {Session} session
 * @param {number | null} startsAt epoch ms; null if the run starts as soon as it can
 */
async function getReady(session, startsAt) {
  const { clock } = session.run;
  const open = async () => {
    session.workers = await session.phases.during(PHASES.connections, () => openWorkers(session));
  };
  if (startsAt === null) {
    await measureLatencies(session);
    await open();
    session.firstStageAt = clock.now();
    return;
  }
  const moment = clock.fromEpoch(startsAt);
  session.timeBudget.endBy(moment - READY_BEFORE_MS);
  await measureLatencies(session);
  await waitForStart(moment, session, open);
  session.firstStageAt = moment;
}

/** @param {Session} session */
async function measureLatencies(session) {
  const { config, run, signal, timeBudget, phases, earlier } = session;
  if (earlier !== null) {
    session.unloaded = latenciesIn(earlier);
    return;
  }
  const isWanted = config.schedule.preflight || config.search !== null;
  if (!isWanted || signal.aborted) {
    return;
  }
  session.unloaded = await phases.during(PHASES.latency, () => measureUnloaded(run, config, timeBudget, signal));
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
 * @param {() => Promise<void>} open opens the connections
 */
export async function waitForStart(moment, { run: { clock }, signal, observer, phases }, open) {
  const time = formatTime(clock.toEpoch(moment));
  const left = Math.max(moment - clock.now(), 0) / 1000;
  observer.notice(`Waiting until ${time} (${left.toFixed(1)}s from now by the store's clock)`);
  await phases.during(
    `waiting until ${time}`,
    async () => {
      await waitUntil(moment - OPEN_BEFORE_MS, clock, signal);
      await open();
      await waitUntil(moment, clock, signal);
    },
    moment,
  );
  const late = clock.now() - moment;
  if (late > PUNCTUAL_MS) {
    observer.notice(`Starting ${(late / 1000).toFixed(1)}s late`);
  }
}

/** @param {number} epoch ms */
function formatTime(epoch) {
  return new Date(epoch).toISOString();
}

/** The embedded endpoint uses this host's clock. */
const SAME_CLOCK = Object.freeze({ offset: 0, uncertainty: 0 });

/** @typedef {ReturnType<typeof openRunClock>} RunClock the store's clock, for one run */

/**
 * @param {Config} config
 * @param {OpenRun} run
 * @param {AbortSignal} signal
 * @param {ClockFacts | null} earlier the store's clock, if an earlier run has measured it
 */
export function openRunClock({ store }, run, signal, earlier) {
  const known = store.isEmbedded ? SAME_CLOCK : earlier;
  run.clock.adjust(known?.offset ?? 0);
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
  let measured = known === null ? null : Promise.resolve();
  return {
    /**
     * Sets the run's clock to the store's, once.
     *
     * @param {(measure: () => Promise<void>) => Promise<void>} phase runs the measurement as a phase of the run
     * @returns {Promise<void>}
     */
    measure(phase) {
      measured ??= phase(() => storeClock.measure(untilEnd));
      // The error surfaces where the promise is awaited, after preflight.
      measured.catch(() => {});
      return measured;
    },
    facts: () => known ?? storeClock.facts,
    /** Why the clock could not be measured; null if it is known. */
    problem: () => (known === null ? storeClock.problem : null),
    async stop() {
      ending.abort();
      await measured?.catch(() => {});
    },
  };
}

/** @enum {string} */
export const PHASES = Object.freeze({
  list: 'listing the objects',
  buckets: 'checking the buckets',
  clock: "measuring the store's clock",
  latency: 'measuring the latency with one thread',
  connections: 'opening the connections',
});

/**
 * @param {Pick<RunObserver, 'phaseStarts' | 'phaseEnds'>} observer is shown what the run does before and between stages
 */
export function phasesOf(observer) {
  return {
    /**
     * @template Result
     * @param {string} text
     * @param {() => Promise<Result>} work
     * @param {number | null} [endsAt] monotonic ms
     * @returns {Promise<Result>}
     */
    async during(text, work, endsAt = null) {
      const phase = { text, endsAt };
      observer.phaseStarts(phase);
      try {
        return await work();
      } finally {
        observer.phaseEnds(phase);
      }
    },
  };
}
