import { stagesOf } from '../operations/registry.js';
import { waitUntil } from '../clock/pause.js';
import { runSlot } from '../engine/run-slot.js';
import { AttemptError } from '../s3/s3-error.js';
import { explainError } from '../s3/explain-error.js';

/**
 * @import { FinishedSlot } from '../engine/run-slot.js'
 * @import { FatalError } from '../engine/stage-watch.js'
 * @import { StageOutcome } from '../engine/workers.js'
 * @import { Stage } from '../operations/stage.js'
 * @import { Plan, PlanContext, PlannedSlot, StagePlan } from './plan.js'
 * @import { BegunSession } from './session.js'
 */

/**
 * Runs the stages as planned, until all are done, the run is asked to end, or a stage fails.
 *
 * @param {Plan} plan
 * @param {BegunSession} session whose result the stages are added to
 * @returns {Promise<boolean>} whether all stages ran, and ended well
 */
export async function runPlan(plan, session) {
  const { config, signal } = session;
  for (const [place, stage] of stagesOf(config.load).entries()) {
    if (signal.aborted || !(await runStage(stage, plan.stage(stage, place), session))) {
      return false;
    }
  }
  return true;
}

/**
 * @param {Stage} stage
 * @param {StagePlan} plan
 * @param {BegunSession} session
 * @returns {Promise<boolean>} whether the next stage can run
 */
async function runStage(stage, plan, session) {
  const { run, signal, observer, result } = session;
  await waitForStage(stage, plan, session);
  if (signal.aborted) {
    return false;
  }
  observer.stageStarts(plan.starts);
  const last = await runSlots(plan, session);
  const ofStage = plan.result();
  result.stages.push(ofStage);
  observer.stageEnds(ofStage);
  if (stage.rewrites && run.mixed?.versions.hasForgotten) {
    observer.notice(
      `${stage.name}: so many changes had no definite answer that stale reads of some objects could not be told`,
    );
  }
  noteFatalError(last?.fatal ?? null, session);
  return last?.end === 'complete';
}

/**
 * @param {Stage} stage
 * @param {StagePlan} plan
 * @param {BegunSession} session
 */
async function waitForStage({ name }, { startsAt, notice }, { run: { clock }, signal, observer, phases }) {
  if (startsAt <= clock.now()) {
    return;
  }
  if (notice !== null) {
    observer.notice(notice);
  }
  await phases.during(`waiting for the time of ${name}`, () => waitUntil(startsAt, clock, signal), startsAt);
}

/**
 * @param {StagePlan} plan
 * @param {BegunSession} session
 * @returns {Promise<StageOutcome | null>} of the last slot
 */
async function runSlots(plan, session) {
  /** @type {StageOutcome | null} */
  let last = null;
  let planned = plan.next();
  while (planned !== null && (last === null || last.end === 'complete')) {
    const finished = await runPlanned(planned, plan, session);
    last = finished.outcome;
    plan.take(finished);
    planned = plan.next();
  }
  return last;
}

/**
 * @param {PlannedSlot} planned
 * @param {StagePlan} plan
 * @param {BegunSession} session
 * @returns {Promise<FinishedSlot>}
 */
function runPlanned({ slot, ending }, plan, session) {
  const { run, observer } = session;
  if (slot.stage.rewrites) {
    run.mixed?.begin(run.written, slot.range.count);
  }
  return runSlot(slot, session, {
    second(second, budget) {
      plan.second(second, observer);
      ending?.second(second, budget);
    },
    progress: (done, flow) => observer.progress(done, flow),
  });
}

/**
 * @param {FatalError | null} fatal
 * @param {BegunSession} session
 */
export function noteFatalError(fatal, { config, run, result }) {
  if (fatal === null) {
    return;
  }
  const { error, bucket, operation } = fatal;
  if (!(error instanceof AttemptError)) {
    result.crash = error;
    return;
  }
  const { hostname, port, settings } = config.store;
  const place = { hostname, port, settings, buckets: [bucket], action: operation };
  result.problems.push(explainError(error, { ...place, now: run.clock.epochNow() }));
}

/**
 * @param {BegunSession} session
 * @returns {PlanContext}
 */
export function planContext({ config, run, firstStageAt, unloaded, runClock }) {
  return { config, clock: run.clock, firstStageAt, unloaded, storeClock: () => runClock.facts() };
}
