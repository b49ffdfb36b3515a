import { LOOK_EVERY_MS } from '../engine/stage-watch.js';
import { AttemptError } from '../s3/s3-error.js';
import { stagesOf } from '../operations/registry.js';
import { bytesAnOperation, nominalBytes, operationsFor } from '../operations/stage.js';
import { explainError } from '../s3/explain-error.js';
import { waitUntil } from '../clock/pause.js';
import { runSlot } from '../engine/run-slot.js';
import { Stability } from './stability.js';
import { MIN_WRITE_PAUSE_MS } from '../workload/write-pauses.js';
import { stageResult } from './stage-result.js';
import { stageTimes } from './stage-schedule.js';
import { seenMemory } from '../workload/seen-objects.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { StageOutcome } from '../engine/workers.js'
 * @import { Load } from '../engine/run-stage.js'
 * @import { KindCount } from '../meter/stage-meter.js'
 * @import { FatalError } from '../engine/stage-watch.js'
 * @import { Stage } from '../operations/stage.js'
 * @import { Config, ScheduleConfig } from '../model/config.js'
 * @import { Slot } from '../engine/run-slot.js'
 * @import { BegunSession } from './session.js'
 * @import { SlotTimes, StageTime } from './stage-schedule.js'
 */

/** A rate that was seen for a moment alone may be exceeded by so much. */
const MARGIN_OF_OBJECTS = 1.5;

/** Every worker has looked by then at what has been decided, also one that is a little late. */
const EARLY_STOP_LEAD_MS = 3 * LOOK_EVERY_MS;

/**
 * All stages of a run, once.
 *
 * @typedef {object} Pass
 * @property {number} firstObject the localIndex of the first of its objects
 * @property {(place: number, earliest: number) => StageTime} timeOf the stage in that place, from 0; `earliest` in monotonic ms
 */

/**
 * Runs the stages in their order, until all are done, the run is to end early, or one of them cannot go on.
 *
 * @param {BegunSession} session whose result the stages are added to
 */
export async function runStages(session) {
  const { config, run, firstStageAt } = session;
  await runPass(session, { firstObject: 0, timeOf: stageTimes(config.schedule, firstStageAt, run.clock.now) });
}

/**
 * Runs the stages in their order, as {@link runStages}, over objects and at moments that are the pass's own.
 *
 * @param {BegunSession} session
 * @param {Pass} pass
 * @returns {Promise<boolean>} whether all of its stages ran, and ended well
 */
export async function runPass(session, { firstObject, timeOf }) {
  const { config, run, signal, observer, result } = session;
  const { clock } = run;
  let { count: objects } = config.objects;
  let mayRewriteFrom = -Infinity;
  let hasRewritten = false;
  for (const [place, stage] of stagesOf(config.load).entries()) {
    const earliest = stage.rewrites || hasRewritten ? mayRewriteFrom : -Infinity;
    const { startsAt, slot } = timeOf(place, earliest);
    await waitForStage(stage, Math.max(startsAt, earliest), session);
    if (signal.aborted) {
      return false;
    }
    if (stage.rewrites) {
      run.mixed?.begin(run.written, objects);
    }
    const load = {
      ...loadOf(config, slot !== null, stage, objects),
      ...(stage.rewrites ? { mixedObjects: objects } : {}),
    };
    // A stage with a time limit takes its objects again and again until the time is over. Each object is written or copied only
    // once; removal has no limit, because all objects must go.
    const limit = stage.removes ? null : slot;
    const goesRound = limit !== null && !(stage.creates || stage.copies);
    const range = { first: firstObject, count: objects, goesRound };
    const { outcome, claimed, stopsAt, stability } = await runOne({ stage, load, range, limit }, session);
    const finished = stageResult({
      stage,
      outcome,
      clock,
      objects,
      load,
      unloaded: session.unloaded.get(stage.name.toLowerCase()) ?? null,
      unloadedByOperation: session.unloaded,
      availableCores: config.load.availableCores,
      storeClock: session.runClock.facts(),
      stopsAt,
      objectsNeeded: slot !== null && stage.creates && !stability?.isStable ? objectsNeeded(outcome, slot) : null,
      stability,
    });
    result.stages.push(finished);
    observer.stageEnds(finished);
    if (stage.rewrites && run.mixed?.versions.hasForgotten) {
      observer.notice(
        `${stage.name}: so many changes had no definite answer that stale reads of some objects could not be told`,
      );
    }
    noteFatalError(outcome.fatal, session);
    if (outcome.end !== 'complete') {
      return false;
    }
    if (stage.creates) {
      objects = claimed;
    }
    mayRewriteFrom = outcome.endedAt + MIN_WRITE_PAUSE_MS;
    hasRewritten = stage.rewrites;
  }
  return true;
}

/**
 * @param {Stage} stage
 * @param {number} moment monotonic ms
 * @param {BegunSession} session
 */
async function waitForStage(
  { name },
  moment,
  { config, run: { clock }, signal, observer, phases, result: { stages } },
) {
  const left = moment - clock.now();
  if (left <= 0) {
    return;
  }
  const before = stages.at(-1);
  if (before?.objectsNeeded && config.schedule.sharesSlots) {
    observer.notice(`${before.stage} has no objects left: ${name} begins in ${(left / 1000).toFixed(1)}s`);
  }
  await phases.during(`waiting for the time of ${name}`, () => waitUntil(moment, clock, signal), moment);
}

/**
 * @param {StageOutcome} outcome of Write
 * @param {SlotTimes} slot
 * @returns {number | null} objects that would have lasted for the whole slot at the rate that was seen; null where it was not
 *   for want of objects that Write ended
 */
function objectsNeeded({ end, startedAt, endedAt, meter }, { stopsAt }) {
  if (end !== 'complete' || endedAt >= stopsAt) {
    return null;
  }
  const { operations } = meter.counts();
  return enoughObjects((operations * (stopsAt - startedAt)) / Math.max(endedAt - startedAt, 1));
}

/**
 * @param {number} expected operations, at rates that were seen for a while
 * @returns {number} objects that suffice for them, rounded to two digits
 */
export function enoughObjects(expected) {
  const needed = MARGIN_OF_OBJECTS * expected;
  const step = 10 ** Math.max(Math.floor(Math.log10(needed)) - 1, 0);
  return Math.ceil(needed / step) * step;
}

/**
 * @param {Slot & { limit: SlotTimes | null }} slot
 * @param {BegunSession} session
 */
async function runOne(slot, session) {
  const { config, run, observer } = session;
  const { stage, range, limit } = slot;
  const { name } = stage;
  const stability = limit === null ? null : stabilityOf(config.schedule, run.clock, limit);
  observer.stageStarts({
    stage: name,
    objects: range.count,
    ...(stage.grouping === null ? {} : { operations: operationsFor(stage, range.count, config) }),
    threads: config.load.threads,
    buckets: config.store.buckets.length,
    bytesPerOperation: bytesAnOperation(stage, config),
    nominalBytes: nominalBytes(stage, config.objects),
    duration: limit === null ? null : limit.stopsAt - limit.startsAt,
  });
  const finished = await runSlot(slot, session, {
    second({ kinds, ...second }, budget) {
      observer.second(name, kinds === undefined ? second : { ...second, kinds: namedKinds(stage, kinds) });
      // The last second of a stage may be a part of one, as one in which the process was suspended.
      const [from, until] = [1000 * second.secondStart, 1000 * (second.secondStart + 1)];
      const isWhole = until <= run.clock.epochNow() && run.clock.pausedBetween(from, until) === 0;
      if (isWhole && stability?.add(second)) {
        budget.stopAt(run.clock.now() + EARLY_STOP_LEAD_MS);
      }
    },
    progress: (done, flow) => observer.progress(done, flow),
  });
  const { outcome, claimed, budget } = finished;
  const stopsAt = limit === null ? undefined : Math.min(limit.stopsAt, budget.stopsAt);
  return { outcome, claimed, stopsAt, stability: stability?.result() };
}

/**
 * @param {ScheduleConfig} schedule
 * @param {Clock} clock
 * @param {SlotTimes} slot
 * @returns {Stability | null} null where the stage lasts for its whole time
 */
function stabilityOf({ untilStable, warmup }, clock, { stopsAt }) {
  if (untilStable === undefined) {
    return null;
  }
  const from = clock.epochNow() + warmup;
  return new Stability({ precision: untilStable, from, until: clock.toEpoch(stopsAt) });
}

/**
 * @param {Stage} stage
 * @param {readonly KindCount[]} counts of its kinds
 */
function namedKinds({ kinds }, counts) {
  return counts.map((count, kind) => ({ operation: kinds[kind].operation.name, ...count }));
}

/**
 * @param {Config} config
 * @param {boolean} isTimed whether its objects go round until the time is over
 * @param {Stage} stage
 * @param {number} objects of the stage
 * @returns {Load}
 */
function loadOf(config, isTimed, { kinds }, objects) {
  const { size, sizes, runId } = config.objects;
  const { threads, access, rate, arrival } = config.load;
  const { warmup } = config.schedule;
  const pacing = rate === undefined ? null : { rate, arrival, seed: `arrivals of ${runId}` };
  // Elsewhere each object is read once.
  const mayRepeat = isTimed || access !== undefined;
  const tellsRepeats = mayRepeat && kinds.some(({ operation }) => operation.followsAccess);
  return {
    ...{ threads, size, sizes, access, pacing, warmup, windows: null },
    ...(tellsRepeats ? { seen: seenMemory(kinds.length * objects) } : {}),
  };
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
