import { priceOf } from './prices.js';
import { stagesOf } from '../load/operations/registry.js';
import { proveWrites } from './after-run.js';
import { waitUntil } from '../measure/clock/pause.js';
import { runSlot } from '../load/run-slot.js';
import { AttemptError } from '../store/s3-error.js';
import { explainError, isTransient } from '../store/explain-error.js';
import { sumOf } from '../measure/statistics/moments.js';

/**
 * @import { FinishedSlot, Slot } from '../load/run-slot.js'
 * @import { FatalError } from '../load/stage-watch.js'
 * @import { MeasuredSecond, StageOutcome } from '../load/workers.js'
 * @import { Stage } from '../load/operations/stage.js'
 * @import { Conclusion, Plan, PlanContext, PlannedSlot, StagePlan } from './plan.js'
 * @import { Session } from './session.js'
 */

/**
 * Runs the planned stages until all are done, the run is aborted, or a stage fails.
 *
 * @param {Plan} plan
 * @param {Session} session stages are added to its result
 * @returns {Promise<boolean>} whether all stages ran and completed
 */
export async function runPlan(plan, session) {
  const { config, signal } = session;
  for (const [index, stage] of stagesOf(config.load).entries()) {
    if (!signal.aborted) {
      await proveWrites(stage, session);
    }
    if (signal.aborted || !(await runStage(stage, plan.stage(stage, index), session))) {
      return false;
    }
  }
  return true;
}

/**
 * @param {Stage} stage
 * @param {StagePlan} plan
 * @param {Session} session
 * @returns {Promise<boolean>} whether the next stage can run
 */
async function runStage(stage, plan, session) {
  const { name } = stage;
  const { run, signal, observer, phases, result } = session;
  const { clock } = run;
  plan.notices?.forEach((notice) => observer.notice(notice));
  if (plan.starts !== null) {
    const { startsAt = -Infinity } = plan;
    if (startsAt > clock.now()) {
      await phases.during(`waiting until ${name} starts`, () => waitUntil(startsAt, clock, signal), startsAt);
    }
    if (signal.aborted) {
      return false;
    }
    observer.stageStarts(plan.starts);
  }
  // A search shows its steps instead.
  const showSecond = plan.starts?.search === undefined ? secondsOf(stage, session) : () => {};
  const last = await runSlots(name, plan, showSecond, session);
  if (last === null && signal.aborted) {
    return false;
  }
  const conclusion = plan.conclude();
  if (conclusion.result === null) {
    return !signal.aborted && noteProblem(name, conclusion, last, session);
  }
  result.stages.push(conclusion.result);
  observer.stage(conclusion.result);
  noteFatalError(last?.fatal ?? null, session);
  return last?.end === 'complete';
}

/**
 * Shows the seconds of all slots of a stage. Adds the seconds between two slots, without operations, because no slot
 * reports them. Omits those in which the process was suspended throughout.
 *
 * @param {Stage} stage
 * @param {Session} session
 * @returns {(second: Omit<MeasuredSecond, 'billed'>) => void}
 */
function secondsOf({ name: stage, kinds: all }, { run: { clock }, observer }) {
  let next = Infinity;
  return ({ kinds, ...second }) => {
    for (; next < second.secondStart; next += 1) {
      if (clock.pausedBetween(1000 * next, 1000 * (next + 1)) < 1000) {
        observer.second({ stage, secondStart: next, operations: 0, bytes: 0 });
      }
    }
    const named = kinds?.map((count, kind) => ({ operation: all[kind].operation.name, ...count }));
    observer.second({ stage, ...second, ...(named && { kinds: named }) });
    next = second.secondStart + 1;
  };
}

/**
 * @param {string} name of the stage
 * @param {StagePlan} plan
 * @param {ReturnType<typeof secondsOf>} showSecond
 * @param {Session} session
 * @returns {Promise<StageOutcome | null>} of the last slot that ran
 */
async function runSlots(name, plan, showSecond, session) {
  const { run, signal, observer } = session;
  /** @type {StageOutcome | null} */
  let last = null;
  let done = { operations: 0, moved: 0 };
  while (!signal.aborted && (last === null || last.end === 'complete')) {
    const planned = plan.next();
    if (planned === null) {
      break;
    }
    const { slot, startsAt = -Infinity, startsBy = Infinity } = planned;
    await waitUntil(startsAt, run.clock, signal);
    /** @type {FinishedSlot | null} */
    let finished = null;
    if (slot !== null && !signal.aborted && run.clock.now() <= startsBy) {
      const ran = await runPlanned({ ...planned, slot }, showSecond, done, session);
      finished = ran.finished;
      last = finished.outcome;
      done = { operations: done.operations + last.whole.done, moved: done.moved + ran.moved };
    }
    const step = plan.take(finished);
    if (step !== null) {
      observer.stepEnds(name, step);
    }
  }
  return last;
}

/**
 * @param {PlannedSlot & { slot: Slot }} planned
 * @param {ReturnType<typeof secondsOf>} showSecond
 * @param {{ operations: number, moved: number }} done totals of the stage's earlier slots; `moved` in bytes
 * @param {Session} session
 */
async function runPlanned({ slot, ...planned }, showSecond, done, session) {
  const { config, run, observer, signal } = session;
  const { costs } = run;
  const isTimed = config.schedule.duration !== undefined || config.schedule.minDuration > 0;
  const operations = slot.stage.kinds.map(({ operation }) => operation.name);
  const prices = operations.map(priceOf);
  const leastPaid = Math.min(...prices.filter((price) => price > 0));
  const unpaid = new AbortController();
  const endIfUnpaid = (/** @type {number} */ nextSecond) => {
    // Without time limits, the cost was known before the run. A search plans its steps within the limit.
    const dollars = isTimed ? nextSecond : config.search === null ? 0 : Math.min(leastPaid, nextSecond);
    if (!costs.affords(dollars, run.ledger.count)) {
      unpaid.abort();
    }
  };
  // The first second costs at least one request per thread.
  endIfUnpaid(slot.load.threads * Math.min(...prices));
  const startedAt = run.clock.now();
  let moved = 0;
  const finished = await runSlot(
    slot,
    { ...session, signal: AbortSignal.any([signal, unpaid.signal]) },
    {
      second({ billed, ...second }) {
        // The next second presumably costs as much as this one.
        endIfUnpaid(sumOf(billed.map((attempts, kind) => costs.spend(operations[kind], attempts))));
        showSecond(second);
      },
      progress(ended, flow, budget) {
        moved = flow.moved;
        planned.progress?.(ended, startedAt, budget);
        observer.progress(done.operations + ended, { ...flow, moved: done.moved + moved });
      },
    },
  );
  if (unpaid.signal.aborted && !signal.aborted && finished.outcome.end === 'stopped') {
    finished.outcome.end = 'unpaid';
  }
  if (session.isShared) {
    finished.outcome.clientLoad.shared = true;
  }
  return { finished, moved };
}

/**
 * @param {string} name of a stage without a result
 * @param {Conclusion & { result: null }} conclusion
 * @param {StageOutcome | null} last of what ran before its first step
 * @param {Session} session
 * @returns {boolean} whether the next stage can run
 */
function noteProblem(name, { problem, isTransient: mayPass, continues }, last, session) {
  const wasCut = last !== null && last.end !== 'complete';
  if (last?.fatal) {
    noteFatalError(last.fatal, session);
  } else {
    session.result.problems.push(wasCut ? `${name} ended before its first step (${last.end})` : problem);
    session.result.isTransient = wasCut || mayPass;
  }
  return !wasCut && continues;
}

/**
 * @param {FatalError | null} fatal
 * @param {Session} session
 */
function noteFatalError(fatal, { config, run, result }) {
  if (fatal === null) {
    return;
  }
  const { error, bucket, operation } = fatal;
  if (!(error instanceof AttemptError)) {
    result.crash = error;
    return;
  }
  const place = { store: config.store, buckets: [bucket], action: operation, now: run.clock.epochNow() };
  result.problems.push(explainError(error, place));
  result.isTransient = isTransient(error);
}

/**
 * @param {Session} session
 * @returns {PlanContext}
 */
export function planContext({ config, run, firstStageAt, unloaded }) {
  return {
    config,
    clock: run.clock,
    firstStageAt,
    unloaded,
    costs: run.costs,
    has: (localIndex) => run.ledger.has(localIndex),
  };
}
