import { rateOf } from '../load/operations/registry.js';
import { bytesPerOperation, operationsFor } from '../load/operations/stage.js';
import { busiestMinute, requestsDue } from '../load/replay/rates.js';
import { meanRateOf } from '../load/workload/trace.js';
import { MIN_WRITE_PAUSE_MS, mixedMemory } from '../load/workload/mixed-objects.js';
import { seenMemory } from '../load/workload/ledger.js';
import { stageResults } from './stage-result.js';
import { stageTimes } from './stage-schedule.js';

/**
 * @import { Pacing } from '../load/loops.js'
 * @import { FinishedSlot } from '../load/run-slot.js'
 * @import { Load } from '../load/run-stage.js'
 * @import { StageOutcome } from '../load/workers.js'
 * @import { Config, ReplayConfig } from '../result/config.js'
 * @import { Stage } from '../load/operations/stage.js'
 * @import { Plan, PlanContext, PlannedSlot } from './plan.js'
 * @import { SlotTimes } from './stage-schedule.js'
 */

/** Safety margin for a rate that was measured only briefly. */
const OBJECTS_MARGIN = 1.5;

/**
 * Runs each stage in one slot.
 *
 * @param {PlanContext} context
 * @param {number} [firstObject] localIndex
 * @returns {Plan}
 */
export function stagesPlan(context, firstObject = 0) {
  const { config, clock } = context;
  const { schedule } = config;
  const { replay } = config.load;
  const timeOf = stageTimes(schedule, context.firstStageAt, clock.now);
  /** What the stage before has left. Moments are in monotonic ms. */
  let left = { objects: config.objects.count, mayRewriteFrom: -Infinity, hasRewritten: false };
  return {
    stage(stage, index) {
      const { creates, copies, removes, replaces, rewrites } = stage;
      const earliest = rewrites || replaces || left.hasRewritten ? left.mayRewriteFrom : -Infinity;
      const slot = timeOf(index, earliest);
      const { first = firstObject, count } = rangeOf(stage, left.objects, config);
      // With a time limit, a stage cycles through its objects until the time is over, except that a stage that writes
      // or copies takes each object only once. Removal has no time limit, because all objects must be removed.
      const limit = removes ? null : slot;
      const repeats = slot === null && schedule.minDuration > 0 && !(creates || copies || removes);
      const cycles = repeats || (limit !== null && !(creates || copies));
      const load = loadOf(config, slot !== null || cycles, stage, { first, count });
      const most = limit === null ? undefined : schedule.maxOperations;
      const operations = operationsFor(stage, count, config);
      /** @type {PlannedSlot['progress']} */
      const progress = (done, startedAt, budget) => {
        if (repeats && done >= operations && clock.now() - startedAt >= schedule.minDuration) {
          budget.close();
        }
      };
      /** @type {FinishedSlot | null} */
      let ran = null;
      return {
        startsAt: Math.max(slot?.startsAt ?? context.firstStageAt, earliest),
        starts: {
          ...startOf(stage, count, load.threads, config),
          ...(stage.grouping === null ? {} : { operations }),
          duration: limit === null ? null : limit.stopsAt - limit.startsAt,
        },
        next() {
          if (ran !== null) {
            return null;
          }
          return { slot: { stage, load, range: { first, count, cycles, most }, limit }, progress };
        },
        take(finished) {
          ran = finished;
          return null;
        },
        conclude() {
          const { outcome, claimed, hasRunOut } = /** @type {FinishedSlot} */ (ran);
          const result = stageResults(stage, count, context).of({
            outcome,
            load,
            stopsAt: limit?.stopsAt,
            objectsNeeded: hasRunOut ? objectsNeeded(stage, outcome, slot) : null,
          });
          left = {
            objects: creates ? claimed : count,
            mayRewriteFrom: outcome.endedAt + MIN_WRITE_PAUSE_MS,
            hasRewritten: rewrites || replaces,
          };
          if (replay === undefined || !rewrites) {
            return { result };
          }
          const due = requestsDue(replay.trace, replay.speed, result.startedAt);
          const seconds = result.seconds.map((second) => ({ ...second, due: due.get(second.secondStart) ?? 0 }));
          return { result: { ...result, seconds } };
        },
      };
    },
  };
}

/**
 * @param {Stage} stage
 * @param {number} objects
 * @param {number} threads
 * @param {Config} config
 */
export function startOf(stage, objects, threads, config) {
  const buckets = config.store.buckets.length;
  return { stage: stage.name, objects, threads, buckets, bytesPerOperation: bytesPerOperation(stage, config) };
}

/**
 * @param {Stage} stage
 * @param {number} left number of objects
 * @param {Config} config
 * @returns {{ first?: number, count: number }} objects of the stage, or requests to repeat
 */
function rangeOf({ creates, rewrites }, left, { load: { replay }, objects }) {
  if (replay === undefined) {
    return { count: left };
  }
  return creates ? replay.prepare : { count: rewrites ? replay.trace.requests : objects.count };
}

/**
 * @param {Stage} stage
 * @param {StageOutcome} outcome
 * @param {SlotTimes | null} slot
 * @returns {number | null} objects that a writing stage would have needed for its whole slot at the measured rate; null
 *   if it did not run out of objects
 */
function objectsNeeded({ creates }, { end, startedAt, endedAt, whole }, slot) {
  if (!creates || slot === null || end !== 'complete' || endedAt >= slot.stopsAt) {
    return null;
  }
  const { stopsAt } = slot;
  const { operations } = whole;
  return enoughObjects((operations * (stopsAt - startedAt)) / Math.max(endedAt - startedAt, 1));
}

/** How many objects suffice, rounded up to two digits. @param {number} expected operations, based on measured rates */
function enoughObjects(expected) {
  const needed = OBJECTS_MARGIN * expected;
  const step = 10 ** Math.max(Math.floor(Math.log10(needed)) - 1, 0);
  return Math.ceil(needed / step) * step;
}

/**
 * @param {Stage['kinds']} kinds
 * @param {Config} config
 * @returns {number} one for a walk through a list, because each page needs the one before
 */
function threadsOf(kinds, { load: { threads, amounts } }) {
  return amounts.listWalk && kinds.some(({ operation }) => operation.grouping?.isByKey) ? 1 : threads;
}

/**
 * @param {Config} config
 * @param {boolean} mayCycle whether the stages of the run may use their objects again
 * @param {Stage} stage
 * @param {{ first: number, count: number }} range of the stage's objects
 * @returns {Load}
 */
function loadOf(config, mayCycle, stage, { first, count: objects }) {
  const { kinds, replaces, rewrites } = stage;
  const { size, sizes } = config.objects;
  const { access, timeout } = config.load;
  const threads = threadsOf(kinds, config);
  const { warmup } = config.schedule;
  // In all other cases, each object is read only once, so there are no repeated reads to count.
  const mayRepeat = mayCycle || access !== undefined;
  const distinguishesRepeats = mayRepeat && kinds.some(({ operation }) => operation.followsAccess);
  return {
    threads,
    size,
    sizes,
    access,
    pacing: pacingOf(config, stage),
    warmup,
    windows: null,
    ...(distinguishesRepeats ? { seen: seenMemory(kinds.length * objects) } : {}),
    ...(rewrites ? { mixedObjects: objects } : {}),
    ...(replaces ? { replaced: mixedMemory(first + objects, { copies: false, timeout }) } : {}),
  };
}

/**
 * @param {Config} config
 * @param {Stage} stage
 * @returns {Pacing | null} null for a closed loop
 */
function pacingOf({ load, objects: { runId } }, stage) {
  const { arrival, replay } = load;
  const rate = rateOf(stage, load);
  if (replay !== undefined && stage.rewrites) {
    return recordedPacing(replay, 0);
  }
  return rate === undefined ? null : { rate, arrival, seed: `arrivals of ${runId}` };
}

/**
 * @param {Pick<ReplayConfig, 'trace' | 'speed'>} replay
 * @param {number} first number of the first request
 * @returns {Pacing}
 */
export function recordedPacing({ trace, speed }, first) {
  const rate = speed * meanRateOf(trace);
  return { rate, arrival: 'recorded', seed: '', speed, first, busiestMinute: busiestMinute(trace, speed) };
}
