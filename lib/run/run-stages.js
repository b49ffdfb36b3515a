import { CountBudget, RoundBudget } from '../engine/budget.js';
import { runStage } from '../engine/run-stage.js';
import { AttemptError } from '../s3/s3-error.js';
import { STAGES } from '../stages/index.js';
import { waitUntil } from './begin-run.js';
import { explainError } from './explain-error.js';
import { stageResult } from './stage-result.js';
import { slotOf } from './stage-schedule.js';

/**
 * @typedef {import('./benchmark-run.js').Running} Running
 * @typedef {import('./benchmark-run.js').RunResult} RunResult
 * @typedef {import('../stages/stage.js').Stage} Stage
 */

/**
 * Runs the stages in their order, until all are done, the run is asked to end, or one of them cannot go on.
 *
 * @param {Running} running
 * @param {number} startsAt monotonic ms of the first stage
 * @param {RunResult} result that the stages are added to
 */
export async function runStages(running, startsAt, result) {
  const { config, run, signal } = running;
  const { clock } = run.engine;
  const connectionsSinceLastStage = connectionCounter(run, config.keepAlive);
  let objects = config.objects;
  for (const [place, stage] of stagesOf(config).entries()) {
    const slot = config.duration === undefined ? null : slotOf(startsAt, config.duration, config.gap, place);
    await waitUntil(slot?.startsAt ?? startsAt, clock, signal);
    if (signal.aborted || result.problems.length > 0 || result.crash !== null) {
      return;
    }
    const { outcome, claimed } = await runOne(stage, objects, slot, running);
    const connections = connectionsSinceLastStage();
    const parts = { stage, outcome, clock, objects, threads: config.threads, connections };
    const finished = stageResult({ ...parts, storeClock: running.clockFacts() });
    result.stages.push(finished);
    running.observer.stageEnds(finished);
    noteFatalError(outcome.fatal, running, stage, result);
    if (stage.isWrite) {
      objects = claimed;
    }
  }
}

/** @param {import('./run-config.js').RunConfig} config */
function stagesOf({ stages }) {
  return STAGES.filter(({ name }) => stages.includes(name.toLowerCase()));
}

/**
 * @param {Stage} stage
 * @param {number} objects that are there, or with Write the most that may be
 * @param {import('./stage-schedule.js').Slot | null} slot
 * @param {Running} running
 */
async function runOne(stage, objects, slot, { config, run, signal, observer }) {
  const { name, isWrite, removes } = stage;
  // What is over after a fixed time goes round until then. Objects are written once, and all of them are removed.
  const limit = removes ? null : slot;
  const budget = limit === null || isWrite ? new CountBudget(objects) : new RoundBudget(objects);
  const outcome = await runStage(stage, {
    engine: run.engine,
    budget,
    limit,
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
        threads: config.threads,
        buckets: config.store.buckets.length,
        done: () => meter.operations + meter.failed + meter.integrityErrors + meter.skipped,
        duration: limit === null ? null : limit.stopsAt - limit.startsAt,
      }),
  });
  return { outcome, claimed: budget.claimed };
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
 * @param {Running} running
 * @param {Stage} stage
 * @param {RunResult} result
 */
function noteFatalError(fatal, { config, run }, stage, result) {
  if (fatal === null) {
    return;
  }
  const { error, bucket } = fatal;
  if (!(error instanceof AttemptError)) {
    result.crash = error;
    return;
  }
  const { hostname, port } = config.store;
  const place = { hostname, port, buckets: [bucket], action: stage.name.toLowerCase() };
  result.problems.push(explainError(error, { ...place, now: run.engine.clock.epochNow() }));
}
