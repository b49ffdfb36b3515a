import { CHECK_INTERVAL_MS } from '../engine/stage-watch.js';
import { rateOf } from '../operations/registry.js';
import { bytesPerOperation, operationsFor } from '../operations/stage.js';
import { mixedMemory } from '../workload/mixed-objects.js';
import { seenMemory } from '../workload/seen-objects.js';
import { MIN_WRITE_PAUSE_MS } from '../workload/write-pauses.js';
import { Stability } from './stability.js';
import { StageResults } from './stage-result.js';
import { stageTimes } from './stage-schedule.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { Budget } from '../engine/budget.js'
 * @import { Pacing } from '../engine/arrivals.js'
 * @import { FinishedSlot } from '../engine/run-slot.js'
 * @import { Load } from '../engine/run-stage.js'
 * @import { StageOutcome } from '../engine/workers.js'
 * @import { KindCount } from '../meter/stage-meter.js'
 * @import { Config } from '../model/config.js'
 * @import { SecondCount, StageResult } from '../model/result.js'
 * @import { Stage } from '../operations/stage.js'
 * @import { CountedSecond } from './plan.js'
 * @import { RunObserver } from '../model/run-events.js'
 * @import { Conclusion, Plan, PlanContext, PlannedSlot, SlotEnding, StagePlan } from './plan.js'
 * @import { SlotTimes, StageTime } from './stage-schedule.js'
 */

const SECOND_MS = 1000;

/** Safety margin for a rate that was measured only briefly. */
const OBJECTS_MARGIN = 1.5;

/** Notice given of an early stop: enough for every worker to see it in time, even one that is slightly late. */
const EARLY_STOP_LEAD_MS = 3 * CHECK_INTERVAL_MS;

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
  /** @type {EarlyStop | undefined} */
  #stop;
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
    const count = countOf(stage, left, config);
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
    const load = loadOf(config, time.slot !== null || cycles, stage, { first: firstObject, count });
    this.#slot = { stage, load, range: { first: firstObject, count, cycles, most }, limit: this.#limit };
    this.startsAt = time.startsAt;
    const wait = time.startsAt - clock.now();
    this.notices =
      left.exhaustedStage !== null && config.schedule.sharesSlots && wait > 0
        ? [`${left.exhaustedStage} ran out of objects: ${stage.name} starts in ${(wait / 1000).toFixed(1)}s`]
        : [];
    this.starts = {
      stage: stage.name,
      objects: count,
      ...(stage.grouping === null ? {} : { operations: operationsFor(stage, count, config) }),
      threads: load.threads,
      buckets: config.store.buckets.length,
      bytesPerOperation: bytesPerOperation(stage, config),
      duration: this.#limit === null ? null : this.#limit.stopsAt - this.#limit.startsAt,
    };
  }

  /** @returns {PlannedSlot | null} */
  next() {
    if (this.#ran !== null) {
      return null;
    }
    const { config, clock } = this.#context;
    this.#stop = earlyStopOf(config, clock, this.#limit);
    return { slot: this.#slot, ending: this.#repeats ? this.#atLeast(config.schedule.minDuration) : this.#stop };
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
    const { outcome, budget } = /** @type {FinishedSlot} */ (this.#ran);
    const stability = this.#stop?.result();
    const result = new StageResults(this.#stage, this.#objects, this.#context).of({
      outcome,
      load: this.#slot.load,
      stability,
      stopsAt: this.#limit === null ? undefined : Math.min(this.#limit.stopsAt, budget.stopsAt),
      objectsNeeded: stability?.isStable ? null : objectsNeeded(this.#stage, outcome, this.#time.slot),
    });
    this.#leave(result);
    return { result };
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
 * @param {Left} left
 * @param {Config} config
 * @returns {number} objects of the stage, or requests to repeat
 */
function countOf({ creates, rewrites }, left, { load: { replay }, objects }) {
  if (replay === undefined) {
    return left.objects;
  }
  const { prepared, requests } = replay.trace;
  return creates ? prepared : rewrites ? requests : objects.count;
}

/**
 * @param {Stage} stage
 * @param {StageOutcome} outcome
 * @param {SlotTimes | null} slot
 * @returns {number | null} objects that a writing stage would have needed for its whole slot at the measured rate; null
 *   if it did not run out of objects
 */
function objectsNeeded({ creates }, { end, startedAt, endedAt, meter }, slot) {
  if (!creates || slot === null || end !== 'complete' || endedAt >= slot.stopsAt) {
    return null;
  }
  const { stopsAt } = slot;
  const { operations } = meter.counts();
  return enoughObjects((operations * (stopsAt - startedAt)) / Math.max(endedAt - startedAt, 1));
}

/** How many objects suffice, rounded up to two digits. @param {number} expected operations, based on measured rates */
export function enoughObjects(expected) {
  const needed = OBJECTS_MARGIN * expected;
  const step = 10 ** Math.max(Math.floor(Math.log10(needed)) - 1, 0);
  return Math.ceil(needed / step) * step;
}

class EarlyStop {
  #clock;
  #stability;

  /**
   * @param {Clock} clock
   * @param {Stability} stability
   */
  constructor(clock, stability) {
    this.#clock = clock;
    this.#stability = stability;
  }

  /**
   * @param {SecondCount} second
   * @param {Pick<Budget, 'stopAt'>} budget
   */
  second(second, budget) {
    // Skips a partial second: the last of a stage, or one in which the process was suspended.
    const [from, until] = [1000 * second.secondStart, 1000 * (second.secondStart + 1)];
    const isWhole = until <= this.#clock.epochNow() && this.#clock.pausedBetween(from, until) === 0;
    if (isWhole && this.#stability.add(second)) {
      budget.stopAt(this.#clock.now() + EARLY_STOP_LEAD_MS);
    }
  }

  result() {
    return this.#stability.result();
  }
}

/**
 * @param {Config} config
 * @param {Clock} clock
 * @param {SlotTimes | null} limit
 * @returns {EarlyStop | undefined} undefined if the stage cannot end early
 */
function earlyStopOf({ schedule: { untilStable, warmup } }, clock, limit) {
  if (untilStable === undefined || limit === null) {
    return undefined;
  }
  const from = clock.epochNow() + warmup;
  return new EarlyStop(clock, new Stability({ precision: untilStable, from, until: clock.toEpoch(limit.stopsAt) }));
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
    const { trace, speed } = replay;
    return {
      rate: (SECOND_MS * speed * trace.requests) / Math.max(trace.length, SECOND_MS),
      arrival: 'recorded',
      seed: '',
      speed,
    };
  }
  return rate === undefined ? null : { rate, arrival, seed: `arrivals of ${runId}` };
}
