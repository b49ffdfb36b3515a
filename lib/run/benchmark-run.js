import { CountBudget } from '../engine/budget.js';
import { runStage } from '../engine/run-stage.js';
import { AttemptError } from '../s3/s3-error.js';
import { STAGES } from '../stages/index.js';
import { cleanUpRun } from './clean-up-run.js';
import { explainError } from './explain-error.js';
import { openRun } from './open-run.js';
import { preflight } from './preflight.js';
import { stageResult } from './stage-result.js';

/**
 * What a run tells while it runs.
 *
 * @typedef {object} RunObserver
 * @property {() => void} runStarts everything is in order, and nothing is written yet
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
 */

/**
 * @typedef {object} StagePlan
 * @property {StageName} stage
 * @property {number} objects
 * @property {number} threads
 * @property {number} buckets
 * @property {() => number} done operations so far
 */

/**
 * @typedef {object} RunResult
 * @property {string[]} problems why the run could not begin, or had to end: a line each
 * @property {import('./stage-result.js').StageResult[]} stages those that ran, the last one maybe in part
 * @property {import('./cleanup.js').CleanupResult | null} cleanup null where nothing had to be cleaned up
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
 * @param {RunObserver} world.observer
 * @returns {Promise<RunResult>}
 */
export async function runBenchmark(config, { clock, random, signal, observer }) {
  const run = await openRun(config, { clock, random });
  /** @type {RunResult} */
  const result = { problems: [], stages: [], cleanup: null, crash: null };
  try {
    result.problems = await preflight({ engine: run.engine, store: config.store, signal });
    if (result.problems.length === 0 && !signal.aborted) {
      observer.runStarts();
      if (config.stages.includes('stat') && !run.engine.workload.wroteObjects) {
        observer.notice('Stat checks sizes alone: the ETags are known only to the run that wrote the objects');
      }
      await openConnections(config, run, signal, observer);
      try {
        await runStages(config, run, signal, observer, result);
      } finally {
        result.cleanup = await removeLeftovers(config, run, result);
      }
    }
  } finally {
    await run.close();
  }
  return result;
}

/**
 * All but the one that the preflight has opened.
 *
 * @param {import('./run-config.js').RunConfig} config
 * @param {import('./open-run.js').OpenRun} run
 * @param {AbortSignal} signal
 * @param {RunObserver} observer
 */
async function openConnections({ keepAlive, threads }, { agent }, signal, observer) {
  if (!keepAlive) {
    return;
  }
  const { failed, lastError } = await agent.openAhead(threads - 1, signal);
  if (failed > 0) {
    observer.notice(
      `${failed} of ${threads} connections could not be opened ahead (${lastError?.message}): they are opened when they are first needed`,
    );
  }
}

/**
 * @param {import('./run-config.js').RunConfig} config
 * @param {import('./open-run.js').OpenRun} run
 * @param {AbortSignal} signal
 * @param {RunObserver} observer
 * @param {RunResult} result
 */
async function runStages(config, run, signal, observer, result) {
  const { objects, threads, store } = config;
  const connectionsSinceLastStage = connectionCounter(run, config.keepAlive);
  for (const stage of STAGES.filter(({ name }) => config.stages.includes(name.toLowerCase()))) {
    if (signal.aborted || result.problems.length > 0 || result.crash !== null) {
      return;
    }
    const { name } = stage;
    const outcome = await runStage(stage, {
      engine: run.engine,
      budget: new CountBudget(objects),
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
          objects,
          threads,
          buckets: store.buckets.length,
          done: () => meter.operations + meter.failed + meter.integrityErrors + meter.skipped,
        }),
    });
    const connections = connectionsSinceLastStage();
    const finished = stageResult({ stage, outcome, clock: run.engine.clock, objects, threads, connections });
    result.stages.push(finished);
    observer.stageEnds(finished);
    noteFatalError(outcome.fatal, config, run, stage, result);
  }
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
async function removeLeftovers({ keep, objects, timeout }, { engine, storeOptions }, { stages }) {
  const { clock, random, workload } = engine;
  const outcomeUnknown = stages.some(({ unknownOutcomes }) => unknownOutcomes > 0);
  if (keep || !workload.wroteObjects || (workload.written.count === 0 && !outcomeUnknown)) {
    return null;
  }
  const { keyspace } = workload;
  const owns = (/** @type {number} */ index) => index < objects;
  return cleanUpRun({ keyspace, storeOptions, clock, random, timeout, owns, outcomeUnknown });
}
