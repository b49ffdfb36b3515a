import { LOOK_EVERY_MS } from '../engine/stage-watch.js';
import { bytesAnOperation, nominalBytes, operationsFor } from '../operations/stage.js';
import { seenMemory } from '../workload/seen-objects.js';
import { MIN_WRITE_PAUSE_MS } from '../workload/write-pauses.js';
import { Stability } from './stability.js';
import { stageResult } from './stage-result.js';
import { stageTimes } from './stage-schedule.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { Budget } from '../engine/budget.js'
 * @import { FinishedSlot } from '../engine/run-slot.js'
 * @import { Load } from '../engine/run-stage.js'
 * @import { StageOutcome } from '../engine/workers.js'
 * @import { KindCount } from '../meter/stage-meter.js'
 * @import { Config } from '../model/config.js'
 * @import { SecondCount } from '../model/result.js'
 * @import { Stage } from '../operations/stage.js'
 * @import { Plan, PlanContext, StagePlan } from './plan.js'
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
 * Each stage is one slot.
 *
 * @implements {Plan}
 */
export class StagesPlan {
  #context;
  #pass;
  /** Number of objects that the stage before has left. */
  #objects;
  /** Monotonic ms. */
  #mayRewriteFrom = -Infinity;
  #hasRewritten = false;
  /** Name of the stage before, if it had too few objects for its time. @type {string | null} */
  #shortOf = null;

  /**
   * @param {PlanContext} context
   * @param {Pass} [pass]
   */
  constructor(
    context,
    pass = {
      firstObject: 0,
      timeOf: stageTimes(context.config.schedule, context.firstStageAt, context.clock.now),
    },
  ) {
    this.#context = context;
    this.#pass = pass;
    this.#objects = context.config.objects.count;
  }

  /**
   * @param {Stage} stage
   * @param {number} place
   * @returns {StagePlan}
   */
  stage(stage, place) {
    const { config, clock } = this.#context;
    const objects = this.#objects;
    const earliest = stage.rewrites || this.#hasRewritten ? this.#mayRewriteFrom : -Infinity;
    const time = this.#pass.timeOf(place, earliest);
    const startsAt = Math.max(time.startsAt, earliest);
    const load = loadOf(config, time.slot !== null, stage, objects);
    // A stage with a time limit takes its objects again and again until the time is over. Each object is written or copied only
    // once; removal has no limit, because all objects must go.
    const limit = stage.removes ? null : time.slot;
    const goesRound = limit !== null && !(stage.creates || stage.copies);
    const slot = { stage, load, range: { first: this.#pass.firstObject, count: objects, goesRound }, limit };
    /** @type {EarlyStop | null} */
    let ending = null;
    /** @type {FinishedSlot | null} */
    let ran = null;
    const { name } = stage;
    return {
      startsAt,
      notice:
        this.#shortOf !== null && config.schedule.sharesSlots
          ? `${this.#shortOf} has no objects left: ${name} begins in ${((startsAt - clock.now()) / 1000).toFixed(1)}s`
          : null,
      starts: {
        stage: name,
        objects,
        ...(stage.grouping === null ? {} : { operations: operationsFor(stage, objects, config) }),
        threads: config.load.threads,
        buckets: config.store.buckets.length,
        bytesPerOperation: bytesAnOperation(stage, config),
        nominalBytes: nominalBytes(stage, config.objects),
        duration: limit === null ? null : limit.stopsAt - limit.startsAt,
      },
      next: () => {
        if (ran !== null) {
          return null;
        }
        ending = earlyStopOf(config, clock, limit);
        return { slot, ending };
      },
      take: (finished) => {
        ran = finished;
      },
      second({ kinds, ...second }, observer) {
        observer.second(name, kinds === undefined ? second : { ...second, kinds: namedKinds(stage, kinds) });
      },
      result: () => {
        const { outcome, claimed, budget } = /** @type {FinishedSlot} */ (ran);
        const stability = ending?.result();
        const isShort = time.slot !== null && stage.creates && !stability?.isStable;
        const result = stageResult({
          ...{ stage, outcome, clock, objects, load, stability },
          unloaded: this.#context.unloaded.get(name.toLowerCase()) ?? null,
          unloadedByOperation: this.#context.unloaded,
          availableCores: config.load.availableCores,
          storeClock: this.#context.storeClock(),
          stopsAt: limit === null ? undefined : Math.min(limit.stopsAt, budget.stopsAt),
          objectsNeeded: isShort ? objectsNeeded(outcome, /** @type {SlotTimes} */ (time.slot)) : null,
        });
        this.#shortOf = result.objectsNeeded ? name : null;
        this.#objects = stage.creates ? claimed : objects;
        this.#mayRewriteFrom = outcome.endedAt + MIN_WRITE_PAUSE_MS;
        this.#hasRewritten = stage.rewrites;
        return result;
      },
    };
  }
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

/** Ends a stage as soon as its rate is known well enough. */
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
    // The last second of a stage may be a part of one, as one in which the process was suspended.
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
 * @returns {EarlyStop | null} null where the stage lasts for its whole time
 */
function earlyStopOf({ schedule: { untilStable, warmup } }, clock, limit) {
  if (untilStable === undefined || limit === null) {
    return null;
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
 * @param {Config} config
 * @param {boolean} isTimed whether its objects go round until the time is over
 * @param {Stage} stage
 * @param {number} objects of the stage
 * @returns {Load}
 */
function loadOf(config, isTimed, { kinds, rewrites }, objects) {
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
    ...(rewrites ? { mixedObjects: objects } : {}),
  };
}
