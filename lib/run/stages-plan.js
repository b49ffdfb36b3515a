import { rateOf } from '../load/operations/registry.js';
import { bytesPerOperation, operationsFor } from '../load/operations/stage.js';
import { busiestMinute, requestsDue } from '../load/replay/rates.js';
import { MIN_WRITE_PAUSE_MS, mixedMemory } from '../load/workload/mixed-objects.js';
import { seenMemory } from '../load/workload/seen-objects.js';
import { meanRateOf } from '../load/workload/trace.js';
import { stageResults } from './stage-result.js';
import { stageTimes } from './stage-schedule.js';

/**
 * @import { Pacing } from '../load/loops.js'
 * @import { FinishedSlot } from '../load/run-slot.js'
 * @import { Load } from '../load/run-stage.js'
 * @import { StageOutcome } from '../load/workers.js'
 * @import { KindCount } from '../measure/stage-meter.js'
 * @import { Config, ReplayConfig } from '../result/config.js'
 * @import { StageResult } from '../result/result.js'
 * @import { RunObserver } from '../result/run-events.js'
 * @import { Stage } from '../load/operations/stage.js'
 * @import { Conclusion, CountedSecond, Plan, PlanContext, PlannedSlot, SlotEnding, StagePlan } from './plan.js'
 * @import { SlotTimes, StageTime } from './stage-schedule.js'
 */

/** Safety margin for a rate that was measured only briefly. */
const OBJECTS_MARGIN = 1.5;

/**
 * @typedef {object} Left state that one stage passes to the next
 * @property {number} objects
 * @property {number} mayRewriteFrom monotonic ms
 * @property {boolean} hasRewritten
 * @property {string | null} exhaustedStage name of the stage, if it ran out of objects before its time was over
 */

/** @implements {Plan} */
export class StagesPlan {
  #context;
  #firstObject;
  #timeOf;
  /** @type {Left} */
  #left;

  /**
   * @param {PlanContext} context
   * @param {number} [firstObject] localIndex
   */
  constructor(context, firstObject = 0) {
    this.#context = context;
    this.#firstObject = firstObject;
    this.#timeOf = stageTimes(context.config.schedule, context.firstStageAt, context.clock.now);
    const { count: objects } = context.config.objects;
    this.#left = { objects, mayRewriteFrom: -Infinity, hasRewritten: false, exhaustedStage: null };
  }

  /**
   * @param {Stage} stage
   * @param {number} index
   * @returns {StagePlan}
   */
  stage(stage, index) {
    const { mayRewriteFrom, hasRewritten } = this.#left;
    const earliest = stage.rewrites || stage.replaces || hasRewritten ? mayRewriteFrom : -Infinity;
    const { startsAt, slot } = this.#timeOf(index, earliest);
    const time = { startsAt: Math.max(startsAt, earliest), slot };
    return new StageInOneSlot(stage, time, this.#firstObject, this.#left, this.#context);
  }
}

/** @implements {StagePlan} */
class StageInOneSlot {
  #stage;
  #time;
  #left;
  #objects;
  #context;
  #limit;
  #slot;
  #repeats;
  /** @type {FinishedSlot | null} */
  #ran = null;

  /**
   * @param {Stage} stage
   * @param {StageTime} time
   * @param {number} firstObject localIndex
   * @param {Left} left updated when the stage ends
   * @param {PlanContext} context
   */
  constructor(stage, time, firstObject, left, context) {
    const { config, clock } = context;
    const { first = firstObject, count } = rangeOf(stage, left, config);
    this.#stage = stage;
    this.#time = time;
    this.#left = left;
    this.#objects = count;
    this.#context = context;
    // With a time limit, a stage cycles through its objects until the time is over, except that a stage that writes or
    // copies takes each object only once. Removal has no time limit, because all objects must be removed.
    this.#limit = stage.removes ? null : time.slot;
    const isOnce = stage.creates || stage.copies || stage.removes;
    this.#repeats = time.slot === null && config.schedule.minDuration > 0 && !isOnce;
    const cycles = this.#repeats || (this.#limit !== null && !(stage.creates || stage.copies));
    const most = this.#limit === null ? undefined : config.schedule.maxOperations;
    const load = loadOf(config, time.slot !== null || cycles, stage, { first, count });
    this.#slot = { stage, load, range: { first, count, cycles, most }, limit: this.#limit };
    this.startsAt = time.startsAt;
    const wait = time.startsAt - clock.now();
    this.notices =
      left.exhaustedStage !== null && config.schedule.sharesSlots && wait > 0
        ? [`${left.exhaustedStage} ran out of objects: ${stage.name} starts in ${(wait / 1000).toFixed(1)}s`]
        : [];
    this.starts = {
      ...startOf(stage, count, load.threads, config),
      ...(stage.grouping === null ? {} : { operations: operationsFor(stage, count, config) }),
      duration: this.#limit === null ? null : this.#limit.stopsAt - this.#limit.startsAt,
    };
  }

  /** @returns {PlannedSlot | null} */
  next() {
    if (this.#ran !== null) {
      return null;
    }
    const { minDuration } = this.#context.config.schedule;
    return { slot: this.#slot, ending: this.#repeats ? this.#atLeast(minDuration) : undefined };
  }

  /**
   * @param {number} minDuration ms
   * @returns {SlotEnding} that closes the slot once all objects were used and the time is over
   */
  #atLeast(minDuration) {
    const { clock } = this.#context;
    const count = operationsFor(this.#stage, this.#objects, this.#context.config);
    return {
      progress(done, startedAt, budget) {
        if (done >= count && clock.now() - startedAt >= minDuration) {
          budget.close();
        }
      },
    };
  }

  /** @param {FinishedSlot | null} ran */
  take(ran) {
    this.#ran = ran;
    return null;
  }

  /**
   * @param {CountedSecond} second
   * @param {Pick<RunObserver, 'second'>} observer
   */
  second({ kinds, ...second }, observer) {
    const ofKinds = kinds === undefined ? {} : { kinds: namedKinds(this.#stage, kinds) };
    observer.second({ stage: this.#stage.name, ...second, ...ofKinds });
  }

  /** @returns {Conclusion} */
  conclude() {
    const { outcome } = /** @type {FinishedSlot} */ (this.#ran);
    const result = stageResults(this.#stage, this.#objects, this.#context).of({
      outcome,
      load: this.#slot.load,
      stopsAt: this.#limit?.stopsAt,
      objectsNeeded: objectsNeeded(this.#stage, outcome, this.#time.slot),
    });
    this.#leave(result);
    const { replay } = this.#context.config.load;
    if (replay === undefined || !this.#stage.rewrites) {
      return { result };
    }
    const due = requestsDue(replay.trace, replay.speed, result.startedAt);
    const seconds = result.seconds.map((second) => ({ ...second, due: due.get(second.secondStart) ?? 0 }));
    return { result: { ...result, seconds } };
  }

  /** @param {StageResult} result */
  #leave({ objectsNeeded: needed }) {
    const { outcome, claimed } = /** @type {FinishedSlot} */ (this.#ran);
    const { creates, replaces, rewrites, name } = this.#stage;
    Object.assign(this.#left, {
      objects: creates ? claimed : this.#objects,
      mayRewriteFrom: outcome.endedAt + MIN_WRITE_PAUSE_MS,
      hasRewritten: rewrites || replaces,
      exhaustedStage: needed ? name : null,
    });
  }
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
 * @param {Left} left
 * @param {Config} config
 * @returns {{ first?: number, count: number }} objects of the stage, or requests to repeat
 */
function rangeOf({ creates, rewrites }, left, { load: { replay }, objects }) {
  if (replay === undefined) {
    return { count: left.objects };
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
 * @param {Stage} stage
 * @param {readonly KindCount[]} counts of its kinds
 */
function namedKinds({ kinds }, counts) {
  return counts.map((count, kind) => ({ operation: kinds[kind].operation.name, ...count }));
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
