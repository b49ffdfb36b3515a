import { CountBudget, RoundBudget } from '../engine/budget.js';
import { runStage } from '../engine/run-stage.js';
import { AttemptError } from '../s3/s3-error.js';
import { STAGES } from '../stages/index.js';
import { isInShard } from '../workload/shard.js';
import { chooseStart, openConnections, startStoreClock, waitForStart, waitUntil } from './begin-run.js';
import { cleanUpRun } from './clean-up-run.js';
import { explainError } from './explain-error.js';
import { openRun } from './open-run.js';
import { preflight } from './preflight.js';
import { runFacts } from './run-facts.js';
import { stageResult } from './stage-result.js';
import { slotOf } from './stage-schedule.js';

/**
 * What a run tells while it runs.
 *
 * @typedef {object} RunObserver
 * @property {(facts: import('./run-facts.js').RunFacts) => void} runStarts everything is in order, and nothing is written yet
 * @property {(plan: StagePlan) => void} stageStarts
 * @property {(stage: StageName, count: import('../meter/second-counts.js').SecondCount) => void} second
 * @property {() => void} retrying
 * @property {(stage: StageName, error: import('../stages/index.js').IntegrityError) => void} integrityError
 * @property {(stage: StageName, operation: FailedOperation, error: AttemptError) => void} failed
 * @property {(result: import('./stage-result.js').StageResult) => void} stageEnds
 * @property {(message: string) => void} notice something worth knowing
 *
 * @typedef {{ bucket: string, key: string, attempts: number }} FailedOperation
 * @typedef {import('../log/log-line.js').StageName} StageName
 * @typedef {import('./store-clock.js').ClockFacts} ClockFacts
 */

/**
 * @typedef {object} StagePlan
 * @property {StageName} stage
 * @property {number} objects
 * @property {number} threads
 * @property {number} buckets
 * @property {() => number} done operations so far
 * @property {number | null} duration ms, where it is time that ends the stage
 */

/**
 * @typedef {object} RunResult
 * @property {import('./run-facts.js').RunFacts} facts
 * @property {string[]} problems why the run could not begin, or had to end: a line each
 * @property {import('./stage-result.js').StageResult[]} stages those that ran, the last one maybe in part
 * @property {import('./cleanup.js').CleanupResult | null} cleanup null where nothing had to be cleaned up
 * @property {import('./open-run.js').RequestCounts} requests that are no stage's
 * @property {unknown} crash an error that nobody expected, or null
 */

/**
 * Runs the stages in their order and leaves the buckets as they were.
 *
 * @param {import('./run-config.js').RunConfig} config
 * @param {object} world
 * @param {import('../meter/clock.js').Clock} world.clock
 * @param {() => number} world.random uniform in [0, 1)
 * @param {AbortSignal} world.signal asks the run to end early
 * @param {{ host: string, versions: Record<string, string> }} world.identity of the host that runs it
 * @param {RunObserver} world.observer
 * @returns {Promise<RunResult>}
 */
export async function runBenchmark(config, { clock, random, signal, identity, observer }) {
  const run = await openRun(config, { clock, random });
  const facts = runFacts({ config, ...identity, startedAt: clock.epochNow(), clock: null });
  /** @type {RunResult} */
  const result = { facts, problems: [], stages: [], cleanup: null, requests: run.requests, crash: null };
  try {
    result.problems = await preflight(run, config.store, signal);
    if (result.problems.length === 0 && !signal.aborted) {
      const storeClock = await startStoreClock(config, run, signal);
      try {
        await runByStoreClock({ config, run, signal, observer, clockFacts: storeClock.facts }, result);
      } finally {
        await storeClock.stop();
      }
    }
  } finally {
    await run.close();
  }
  return result;
}

/**
 * What the parts of a run need to know.
 *
 * @typedef {object} Running
 * @property {import('./run-config.js').RunConfig} config
 * @property {import('./open-run.js').OpenRun} run
 * @property {AbortSignal} signal
 * @property {RunObserver} observer
 * @property {() => ClockFacts | null} clockFacts
 */

/**
 * @param {Running} running
 * @param {RunResult} result
 */
async function runByStoreClock(running, result) {
  const { config, run, signal, observer, clockFacts } = running;
  const { clock, workload } = run.engine;
  const { startsAt, problem } = chooseStart(config, clock);
  if (problem !== null) {
    result.problems.push(problem);
    return;
  }
  const startTime = new Date(clock.epochNow()).toISOString();
  result.facts = { ...result.facts, start: startTime, clock: clockFacts() };
  observer.runStarts(result.facts);
  if (config.stages.includes('stat') && !workload.wroteObjects) {
    observer.notice('Stat checks sizes alone: the ETags are known only to the run that wrote the objects');
  }
  await openConnections(config, run, signal, observer);
  await waitForStart(startsAt, clock, signal, observer);
  try {
    await runStages(running, result);
  } finally {
    result.cleanup = await removeLeftovers(config, run, result);
  }
}

/**
 * @param {Running} running
 * @param {RunResult} result
 */
async function runStages({ config, run, signal, observer, clockFacts }, result) {
  const { objects, threads, store, duration, gap } = config;
  const { clock } = run.engine;
  const connectionsSinceLastStage = connectionCounter(run, config.keepAlive);
  const startedAt = clock.now();
  let objectsThere = objects;
  for (const [place, stage] of stagesOf(config).entries()) {
    const limit = duration === undefined ? null : slotOf(startedAt, { duration, gap }, place);
    await waitUntil(limit?.startsAt ?? startedAt, clock, signal);
    if (signal.aborted || result.problems.length > 0 || result.crash !== null) {
      return;
    }
    const { name } = stage;
    // Whatever goes round has to be there already, and be there afterwards.
    const goesRound = limit !== null && !stage.isWrite && !stage.removes;
    const budget = goesRound ? new RoundBudget(objectsThere) : new CountBudget(objectsThere);
    const outcome = await runStage(stage, {
      engine: run.engine,
      budget,
      limit: stage.removes ? null : limit,
      signal,
      hooks: {
        second: (count) => observer.second(name, count),
        retrying: () => observer.retrying(),
        integrityError: (error) => observer.integrityError(name, error),
        failed: (operation, error) => observer.failed(name, operation, error),
      },
      onStart: (meter) =>
        observer.stageStarts({
          stage: name,
          objects: objectsThere,
          threads,
          buckets: store.buckets.length,
          done: () => meter.operations + meter.failed + meter.integrityErrors + meter.skipped,
          duration: stage.removes ? null : (duration ?? null),
        }),
    });
    const connections = connectionsSinceLastStage();
    const parts = { stage, outcome, clock, objects: objectsThere, threads, connections };
    const finished = stageResult({ ...parts, storeClock: clockFacts() });
    result.stages.push(finished);
    observer.stageEnds(finished);
    noteFatalError(outcome.fatal, config, run, stage, result);
    if (stage.isWrite) {
      objectsThere = budget.claimed;
    }
  }
}

/** @param {import('./run-config.js').RunConfig} config */
function stagesOf({ stages }) {
  return STAGES.filter(({ name }) => stages.includes(name.toLowerCase()));
}

/**
 * @param {import('./open-run.js').OpenRun} run
 * @param {boolean} keepAlive whether the connections opened so far are the first stage's
 * @returns {() => import('./stage-result.js').ConnectionResult} what became of the connections since the last call
 */
function connectionCounter({ agent, connectionMeter }, keepAlive) {
  let opened = keepAlive ? 0 : agent.opened;
  let { reused } = agent;
  return () => {
    const counts = {
      opened: agent.opened - opened,
      reused: agent.reused - reused,
      lookupTime: agent.opened > opened ? agent.lookupTime : null,
    };
    ({ opened, reused } = agent);
    return { ...counts, ...connectionMeter.take() };
  };
}

/**
 * @param {import('../engine/stage-watch.js').FatalError | null} fatal
 * @param {import('./run-config.js').RunConfig} config
 * @param {import('./open-run.js').OpenRun} run
 * @param {import('../stages/stage.js').Stage} stage
 * @param {RunResult} result
 */
function noteFatalError(fatal, { store }, { engine }, stage, result) {
  if (fatal === null) {
    return;
  }
  const { error, bucket } = fatal;
  if (!(error instanceof AttemptError)) {
    result.crash = error;
    return;
  }
  const { hostname, port } = store;
  const action = stage.name.toLowerCase();
  result.problems.push(
    explainError(error, { hostname, port, buckets: [bucket], action, now: engine.clock.epochNow() }),
  );
}

/**
 * A run that has removed all that it wrote, and knows it, needs no clean-up.
 *
 * @param {import('./run-config.js').RunConfig} config
 * @param {import('./open-run.js').OpenRun} run
 * @param {RunResult} result
 */
async function removeLeftovers({ keep, objects, timeout, shard }, { engine, attendantOptions, requests }, { stages }) {
  const { clock, random, workload } = engine;
  const outcomeUnknown = stages.some(({ unknownOutcomes }) => unknownOutcomes > 0);
  if (keep || !workload.wroteObjects || (workload.written.count === 0 && !outcomeUnknown)) {
    return null;
  }
  const { keyspace } = workload;
  const owns = (/** @type {number} */ index) => isInShard(shard, index, objects);
  const storeOptions = attendantOptions;
  return cleanUpRun({ keyspace, storeOptions, clock, random, timeout, owns, outcomeUnknown, requests });
}
