import { waitUntil } from '../clock/pause.js';
import { SearchObjects } from '../search/search-objects.js';
import { stagesOf } from '../operations/registry.js';
import { bytesAnOperation, nominalBytes } from '../operations/stage.js';
import { rampResult, shortfallOf, stepOf } from './ramp-result.js';
import { noteFatalError } from './run-plan.js';
import { enoughObjects } from './stages-plan.js';
import { runSlot } from '../engine/run-slot.js';
import { SETTLING_MS, slotsOfStage } from './stage-schedule.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { Load } from '../engine/run-stage.js'
 * @import { StageOutcome } from '../engine/workers.js'
 * @import { RampShortfall, RunResult, SecondCount } from '../model/result.js'
 * @import { RampPlan } from '../model/config.js'
 * @import { Stage } from '../operations/stage.js'
 * @import { FinishedRampStep } from './ramp-result.js'
 * @import { BegunSession } from './session.js'
 * @import { RampSlot } from './stage-schedule.js'
 */

/**
 * @typedef {object} Ramping
 * @property {BegunSession} session
 * @property {RampPlan} plan
 * @property {SearchObjects} objects
 */

/**
 * Runs each stage in steps, in slots that follow from the start and from the command line alone: hosts that share both
 * are in the same step at the same time, without a word between them.
 *
 * @param {BegunSession} session whose result the stages are added to
 * @param {RampPlan} plan
 */
export async function runRamps(session, plan) {
  const { config, run, signal } = session;
  const ramping = { session, plan, objects: new SearchObjects(config.objects.count) };
  const firstStageAt = run.clock.toEpoch(session.firstStageAt);
  for (const [place, stage] of stagesOf(config.load).entries()) {
    if (signal.aborted) {
      return;
    }
    const goesOn = await runRamp(stage, slotsOfStage(config.schedule, firstStageAt, place), ramping);
    ramping.objects.stageEnds(stage, (object) => run.written.has(object));
    if (!goesOn) {
      return;
    }
  }
}

/**
 * @param {Stage} stage
 * @param {readonly RampSlot[]} slots
 * @param {Ramping} ramping
 * @returns {Promise<boolean>} whether the run goes on
 */
async function runRamp(stage, slots, ramping) {
  const { session, plan, objects } = ramping;
  const { config, run, signal, observer, phases, result } = session;
  const { clock } = run;
  const { name } = stage;
  const ahead = slots.find((slot) => !isLate(slot, clock.epochNow()));
  const given = objects.count;
  if (ahead === undefined || objects.countFor(stage) === 0) {
    const shortfall = ahead === undefined ? 'late' : 'objects';
    slots.forEach((slot) => observer.slotEnds(name, plan.of, stepOf(slot, { threads: 0, outcome: null, shortfall })));
    noteIdleness(name, shortfall, result);
    return true;
  }
  const moment = clock.fromEpoch(ahead.startsAt * 1000);
  await phases.during(`waiting for the time of ${name}`, () => waitUntil(moment, clock, signal), moment);
  if (signal.aborted) {
    return false;
  }
  observer.stageStarts({
    stage: name,
    objects: given,
    threads: config.load.threads,
    buckets: config.store.buckets.length,
    bytesPerOperation: bytesAnOperation(stage, config),
    nominalBytes: nominalBytes(stage, config.objects),
    duration: 1000 * (slots[slots.length - 1].endsAt - ahead.startsAt),
  });
  const finished = await runSlots(stage, slots, ramping);
  noteShortage(stage, finished, ramping);
  const last = finished.findLast(({ outcome }) => outcome !== null)?.outcome ?? null;
  if (last === null) {
    if (!signal.aborted) {
      noteIdleness(name, finished[finished.length - 1].step.shortfall, result);
    }
    return !signal.aborted;
  }
  const ofStage = rampResult({
    stage,
    of: plan.of,
    finished,
    clock,
    objects: given,
    unloaded: session.unloaded.get(name.toLowerCase()) ?? null,
    availableCores: config.load.availableCores,
    storeClock: session.runClock.facts(),
  });
  result.stages.push(ofStage);
  observer.stageEnds(ofStage);
  noteFatalError(last.fatal, session);
  return last.end === 'complete';
}

/**
 * A host that did nothing in a stage has not done what it was asked to: its run does not end well.
 *
 * @param {string} stage
 * @param {RampShortfall | null} shortfall of its last step
 * @param {RunResult} result
 */
function noteIdleness(stage, shortfall, result) {
  result.problems.push(
    shortfall === 'objects'
      ? `${stage}: nothing was done, because there were no objects for it: expected that the stages before it leave some`
      : `${stage}: nothing was done, because this host came too late for all of its slots: expected it to be ready at the time of --start-at`,
  );
  result.mayPass = true;
}

/**
 * @param {RampSlot} slot
 * @param {number} now epoch ms
 * @returns {boolean} whether a step that began now would count before it has settled
 */
function isLate({ startsAt, countsFrom }, now) {
  return now / 1000 > (startsAt + countsFrom) / 2;
}

/**
 * @param {Stage} stage
 * @param {readonly RampSlot[]} slots
 * @param {Ramping} ramping
 * @returns {Promise<FinishedRampStep[]>}
 */
async function runSlots(stage, slots, ramping) {
  const { session, plan, objects } = ramping;
  const { run, signal, observer } = session;
  const { clock } = run;
  const monotonic = (/** @type {number} */ second) => clock.fromEpoch(second * 1000);
  const seconds = withIdleSeconds((second) => observer.second(stage.name, second), clock);
  /** @type {FinishedRampStep[]} */
  const finished = [];
  let done = 0;
  let moved = 0;
  let silence = 0;
  for (const [place, slot] of slots.entries()) {
    const threads = plan.threads[place];
    /** @param {RampShortfall | null} shortfall @param {Partial<FinishedRampStep>} [ran] */
    const end = (shortfall, ran = {}) => {
      const each = { outcome: null, load: null, stopsAt: monotonic(slot.stopsAt), claimed: 0, ...ran };
      const step = stepOf(slot, { threads, outcome: each.outcome, shortfall });
      finished.push({ ...each, step });
      observer.slotEnds(stage.name, plan.of, step);
    };
    if (threads === 0) {
      noteWaiting(stage, place, ramping, slots);
      await waitUntil(monotonic(slot.stopsAt), clock, signal);
      end(signal.aborted ? 'stopped' : null);
    } else if (objects.countFor(stage) === 0) {
      end('objects');
    } else {
      // A second that the step before has reported is not to be reported twice.
      const before = finished.at(-1)?.outcome;
      const from = Math.max(slot.startsAt, before ? Math.ceil(clock.toEpoch(before.endedAt) / 1000) : 0);
      await waitUntil(monotonic(from), clock, signal);
      if (signal.aborted) {
        end('stopped');
      } else if (isLate(slot, clock.epochNow())) {
        end('late');
      } else {
        const isLast = place === slots.length - 1;
        const ran = await runRampStep(
          stage,
          threads,
          { slot, isLast, monotonic, seconds, done, moved, silence },
          ramping,
        );
        ({ done, moved, silence } = ran);
        end(ran.shortfall, ran);
        noteSilence(stage, place, ran, ramping);
      }
    }
    if (signal.aborted || !['complete', undefined].includes(finished[place].outcome?.end)) {
      break;
    }
  }
  return finished;
}

/**
 * The seconds between two steps belong to the stage as all others do, though no step reports them. Those of a pause do not.
 *
 * @param {(second: SecondCount) => void} handOn
 * @param {Clock} clock
 * @returns {(second: SecondCount) => void} to be called with the seconds of one step after the other
 */
function withIdleSeconds(handOn, clock) {
  let next = Infinity;
  return (second) => {
    for (; next < second.secondStart; next += 1) {
      if (clock.pausedBetween(1000 * next, 1000 * (next + 1)) < 1000) {
        handOn({ secondStart: next, operations: 0, bytes: 0 });
      }
    }
    handOn(second);
    next = second.secondStart + 1;
  };
}

/**
 * @param {Stage} stage
 * @param {number} place of the slot, whose step has no threads
 * @param {Ramping} ramping
 * @param {readonly RampSlot[]} slots
 */
function noteWaiting({ name }, place, { session, plan: { threads } }, slots) {
  if (place === 0) {
    const joins = threads.findIndex((each) => each > 0);
    const seconds = slots[joins].startsAt - session.run.clock.epochNow() / 1000;
    session.observer.notice(`${name}: this host joins in slot ${joins + 1}, in ${seconds.toFixed(1)}s`);
  }
}

/**
 * @param {Stage} stage
 * @param {number} threads
 * @param {object} at
 * @param {RampSlot} at.slot
 * @param {boolean} at.isLast
 * @param {(second: number) => number} at.monotonic ms of an epoch second
 * @param {(second: SecondCount) => void} at.seconds takes each second that is over
 * @param {number} at.done operations of the steps before
 * @param {number} at.moved bytes of the steps before
 * @param {number} at.silence ms without a success at the end of the steps before
 * @param {Ramping} ramping
 * @returns {Promise<{ outcome: StageOutcome, load: Load, claimed: number, done: number, moved: number, silence: number, shortfall: RampShortfall | null }>}
 */
async function runRampStep(stage, threads, { slot, isLast, monotonic, seconds, ...before }, { session, objects }) {
  const { config, run, observer } = session;
  const { size, sizes } = config.objects;
  const range = objects.rangeFor(stage, false, Infinity);
  /** @type {Load} */
  const load = { threads, size, sizes, access: config.load.access, pacing: null, warmup: 0, windows: null };
  // Of the whole stage there is but one drain, at its end.
  const limit = {
    stopsAt: monotonic(slot.stopsAt),
    endsAt: monotonic(slot.endsAt) - SETTLING_MS,
    noSuccessSince: run.clock.now() - before.silence,
    measuresDrain: !isLast,
  };
  let moved = 0;
  const startedAt = run.clock.epochNow();
  const wasSuspended = () => run.clock.pausedBetween(startedAt, run.clock.epochNow()) > 0;
  const { outcome, claimed, hasRunOut } = await runSlot({ stage, load, range, limit }, session, {
    second: seconds,
    progress(count, flow, budget) {
      moved = flow.moved;
      if (wasSuspended()) {
        // The step does not count any more, and is not to reach into the time of the next.
        budget.close();
      }
      observer.progress(before.done + count, { ...flow, moved: before.moved + moved });
    },
  });
  objects.use(stage, false, claimed);
  return {
    outcome,
    load,
    claimed,
    done: before.done + outcome.meter.done,
    moved: before.moved + moved,
    silence: silenceAfter(outcome, before.silence),
    shortfall: shortfallOf(slot, outcome, { hasRunOut, wasSuspended: wasSuspended() }),
  };
}

/**
 * The steps of a stage are too short to tell by themselves that the store is lost.
 *
 * @param {StageOutcome} outcome of a step
 * @param {number} before ms without a success at the end of the steps before it
 * @returns {number} ms without a success at its end, but for the time between steps, in which nothing was under way
 */
function silenceAfter({ startedAt, endedAt, meter }, before) {
  return meter.operations === 0 ? before + endedAt - startedAt : endedAt - meter.lastSuccessAt;
}

/**
 * @param {Stage} stage
 * @param {number} place of the step
 * @param {{ outcome: StageOutcome, shortfall: RampShortfall | null }} ran
 * @param {Ramping} ramping
 */
function noteSilence({ name }, place, { outcome, shortfall }, { session, plan: { threads } }) {
  if (shortfall === 'stalled' && outcome.end === 'complete') {
    session.observer.notice(
      `${name}: nothing succeeded in the seconds of step ${place + 1} of ${threads.length} that count, with ${threads[place]} threads: ` +
        `that step does not count; is the store still there?`,
    );
  }
}

/**
 * Says once where the objects ran out, and how many it would have taken. What Remove has is what Write has left.
 *
 * @param {Stage} stage
 * @param {readonly FinishedRampStep[]} finished
 * @param {Ramping} ramping
 */
function noteShortage({ name, creates }, finished, { session, plan }) {
  const place = finished.findIndex(({ step }) => step.shortfall === 'objects');
  if (place < 0) {
    return;
  }
  const { config, observer } = session;
  const { outcome, claimed } = finished[place];
  const ofStep = plan.threads[place];
  const time = outcome === null ? 0 : outcome.endedAt - outcome.startedAt;
  const used = finished.slice(0, place).reduce((sum, each) => sum + each.claimed, 0);
  const ahead = plan.threads.slice(place).reduce((sum, threads) => sum + threads / ofStep, 0);
  const needed = enoughObjects(used + (ahead * claimed * plan.stepTime) / Math.max(time, 1));
  const advice = creates ? `; pass about ${needed} <objects> instead of ${config.objects.count}` : '';
  observer.notice(
    `${name}: its objects ran out in step ${place + 1} of ${plan.threads.length}, with ${ofStep} threads: ` +
      `that step does not count, nor do those after it${advice}`,
  );
}
