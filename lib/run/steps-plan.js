import { addHistograms } from '../result/add.js';
import { sumOfStages } from '../result/records.js';
import { stageResults } from './stage-result.js';
import { SETTLING_MS, USUAL_GAP_MS, slotsOfStage } from './stage-schedule.js';
import { startOf } from './stages-plan.js';

/**
 * @import { Stage } from '../load/operations/stage.js'
 * @import { FinishedSlot, Range } from '../load/run-slot.js'
 * @import { Load } from '../load/run-stage.js'
 * @import { StageOutcome } from '../load/workers.js'
 * @import { Clock } from '../measure/clock/clock.js'
 * @import { RampPlan } from '../result/config.js'
 * @import { RampShortfall, RampStep, StageResult } from '../result/result.js'
 * @import { Plan, PlanContext, StagePlan } from './plan.js'
 * @import { StageResults } from './stage-result.js'
 * @import { RampSlot } from './stage-schedule.js'
 */

/**
 * @typedef {object} StepsContext what the steps of a stage are decided on
 * @property {Stage} stage
 * @property {number} index of the stage in the run
 * @property {SearchObjects} objects shared by all stages
 * @property {PlanContext} context
 * @property {StageResults} results
 */

/**
 * Runs each stage in steps over one variable, on one pool of objects.
 *
 * @param {PlanContext} context
 * @param {(parts: StepsContext) => StagePlan} stepsOf decides the steps of one stage: fixed ones, or a search
 * @returns {Plan}
 */
export function stepsPlan(context, stepsOf) {
  const { load, objects: configured } = context.config;
  const objects = new SearchObjects(load.replay?.trace.requests ?? configured.count, context.has);
  return {
    stage(stage, index) {
      const results = stageResults(stage, objects.count, context);
      return stepsOf({ stage, index, objects, context, results });
    },
    get wholeObjects() {
      return objects.wholeCount;
    },
  };
}

/**
 * @typedef {Pick<Stage, 'creates' | 'removes'> & Partial<Pick<Stage, 'copies' | 'rewrites' | 'grouping'>>} Effects on objects
 */

/** Whether a stage uses each object once. @param {Effects} stage */
function usesOnce({ creates, copies, removes, rewrites }) {
  return creates || copies || removes || rewrites;
}

/** @type {Readonly<{ first: number, count: number }>} */
const NONE = Object.freeze({ first: 0, count: 0 });

/**
 * Chooses the objects for each step of a search. Write takes them in order; Read and Stat cycle through a contiguous
 * range of one size that Write wrote; Copy uses each object of that range once; Remove uses
 * every object once; and Replay every recorded request.
 */
export class SearchObjects {
  #next = 0;
  #all;
  #whole;
  #half = NONE;
  #has;

  /**
   * @param {number} count number of objects that can be written, or that exist if the run does not write
   * @param {(index: number) => boolean} has whether an object was written
   */
  constructor(count, has) {
    this.#has = has;
    this.#all = { first: 0, count };
    this.#whole = this.#all;
  }

  /** Number of objects of either size that exist, or that Write can write. */
  get count() {
    return this.#all.count;
  }

  /** Number of contiguous whole-size objects that exist, or that Write can write. */
  get wholeCount() {
    return this.#whole.count;
  }

  /** Whether half-size objects exist to be read. */
  get hasHalves() {
    return this.#half.count > 0;
  }

  /** Operations that the objects allow. @param {Effects} stage */
  countFor(stage) {
    if (usesOnce(stage)) {
      return (stage.copies ? this.#whole : this.#all).count - this.#next;
    }
    return this.#whole.count > 0 ? Infinity : 0;
  }

  /**
   * @param {Effects} stage
   * @param {boolean} isHalfSize
   * @param {number} most maximum number of objects
   * @returns {Range}
   */
  rangeFor(stage, isHalfSize, most) {
    if (usesOnce(stage)) {
      return { first: this.#next, count: Math.min(most, this.countFor(stage)), cycles: false };
    }
    // List pages for one size would also contain keys of the other.
    const readable = stage.grouping?.isByKey ? this.#all : this.#whole;
    return { ...(isHalfSize ? this.#half : readable), cycles: true };
  }

  /**
   * @param {Effects} stage
   * @param {boolean} isHalfSize
   * @param {number} count number of objects of the range that were used
   */
  use(stage, isHalfSize, count) {
    if (stage.creates && isHalfSize && this.#half.count === 0) {
      this.#half = { first: this.#next, count };
    }
    if (usesOnce(stage)) {
      this.#next += count;
    }
  }

  /** @param {Effects} stage that has ended */
  stageEnds({ creates }) {
    if (creates) {
      this.#all = this.#ifAny({ first: 0, count: this.#next });
      this.#whole = this.#ifAny({ first: 0, count: this.#half.count === 0 ? this.#next : this.#half.first });
      this.#half = this.#ifAny(this.#half);
    }
    this.#next = 0;
  }

  /**
   * @param {{ first: number, count: number }} range
   * @returns {{ first: number, count: number }} none if no object of the range was written, because cycling through
   *   it would never end
   */
  #ifAny({ first, count }) {
    for (let index = first; index < first + count; index++) {
      if (this.#has(index)) {
        return { first, count };
      }
    }
    return NONE;
  }
}

/**
 * @typedef {object} TakenOfRamp a step that has ended
 * @property {{ outcome: StageOutcome, load: Load } | null} ran null if nothing ran in it
 * @property {RampStep} shown
 */

/**
 * Fixed steps in slots. The slots depend only on the start time and the command line, so hosts for which both are the
 * same run each step at the same time, without communicating.
 *
 * @param {StepsContext} parts of a run with a ramp
 * @returns {StagePlan}
 */
export function rampSteps({ stage, index: stageIndex, objects, context, results }) {
  const { config, clock, firstStageAt } = context;
  const ramp = /** @type {RampPlan} */ (config.schedule.ramp);
  const slots = slotsOfStage(ramp, config.schedule.gap ?? USUAL_GAP_MS, clock.toEpoch(firstStageAt), stageIndex);
  const moment = (/** @type {number} */ second) => clock.fromEpoch(1000 * second);
  const wasSuspendedSince = (/** @type {number} */ since) =>
    clock.pausedBetween(clock.toEpoch(since), clock.epochNow()) > 0;
  /** @type {TakenOfRamp[]} */
  const finished = [];
  /** Of the slot planned last. @type {Load | null} */
  let load = null;
  /** ms without a success at the end of the finished steps. */
  let silence = 0;
  const ahead = slots.find((slot) => !isLate(slot, clock.epochNow()));
  const starts = ahead !== undefined && {
    ...startOf(stage, objects.count, config.load.threads, config),
    duration: 1000 * (slots[slots.length - 1].endsAt - ahead.startsAt),
    ramp: /** @type {const} */ (true),
  };
  return {
    startsAt: moment(ahead?.startsAt ?? 0),
    starts: (objects.countFor(stage) > 0 && starts) || null,
    next() {
      const index = finished.length;
      load = null;
      if (index === slots.length) {
        return null;
      }
      if (objects.countFor(stage) === 0) {
        return { slot: null };
      }
      const slot = slots[index];
      const { size, sizes } = config.objects;
      const { access } = config.load;
      // Starts after the last second of the previous step, so that no second is reported twice.
      const before = finished.at(-1)?.ran?.outcome;
      const earliest = before ? Math.ceil(clock.toEpoch(before.endedAt) / 1000) : 0;
      const startsAt = moment(Math.max(slot.startsAt, earliest));
      load = { threads: ramp.threads[index], size, sizes, access, pacing: null, warmup: 0, windows: null };
      return {
        startsAt,
        startsBy: moment(latestStart(slot)),
        slot: {
          stage,
          load,
          range: objects.rangeFor(stage, false, Infinity),
          limit: {
            stopsAt: moment(slot.stopsAt),
            endsAt: moment(slot.endsAt) - SETTLING_MS,
            noSuccessSince: Math.max(startsAt, clock.now()) - silence,
            // The result of a step comes from the seconds that it counts.
            measuresDrain: true,
          },
        },
        progress(_, startedAt, budget) {
          if (wasSuspendedSince(startedAt)) {
            // The step no longer counts, and it must not run into the slot of the next step.
            budget.close();
          }
        },
      };
    },
    take(ran) {
      const slot = slots[finished.length];
      const threads = ramp.threads[finished.length];
      if (ran === null || load === null) {
        const shortfall = isLate(slot, clock.epochNow()) ? 'late' : load === null ? 'objects' : 'stopped';
        finished.push({ ran: null, shown: stepOf(slot, { threads, outcome: null, shortfall }) });
      } else {
        const { outcome, claimed } = ran;
        const shortfall = shortfallOf(slot, ran, wasSuspendedSince(outcome.startedAt));
        const shown = stepOf(slot, { threads, outcome, shortfall });
        finished.push({ ran: { outcome, load }, shown });
        silence = silenceAfter(outcome, silence);
        objects.use(stage, false, claimed);
      }
      return finished[finished.length - 1].shown;
    },
    conclude() {
      objects.stageEnds(stage);
      if (finished.some(({ ran }) => ran !== null)) {
        return { result: rampResult(finished, results, clock) };
      }
      const why =
        finished.at(-1)?.shown.shortfall === 'objects'
          ? 'the earlier stages left no objects'
          : 'this host missed all of its slots; start it early enough to be ready at --start-at';
      // A host that did nothing in a stage has failed, so its run ends with a problem.
      const problem = `${stage.name}: nothing was done, because ${why}`;
      return { result: null, problem, isTransient: true, continues: true };
    },
  };
}

/** In epoch seconds. A step that starts later does not settle before counting begins. @param {RampSlot} slot */
function latestStart({ startsAt, countsFrom }) {
  return (startsAt + countsFrom) / 2;
}

/**
 * @param {RampSlot} slot
 * @param {number} now epoch ms
 */
function isLate(slot, now) {
  return now / 1000 > latestStart(slot);
}

/**
 * A single step is too short to show that the store is lost, so time without a success adds up across steps.
 *
 * @param {StageOutcome} outcome of a step
 * @param {number} before ms without a success at the end of the previous steps
 * @returns {number} ms without a success at its end, excluding the idle time between steps
 */
function silenceAfter({ startedAt, endedAt, whole }, before) {
  return whole.operations === 0 ? before + endedAt - startedAt : endedAt - whole.lastSuccessAt;
}

/**
 * A step in which nothing ran reports 0 threads, so it adds nothing to the sum over all hosts.
 *
 * @param {RampSlot} slot
 * @param {{ threads: number, outcome: StageOutcome | null, shortfall: RampShortfall | null }} ran
 * @returns {RampStep}
 */
function stepOf(slot, { threads, outcome, shortfall }) {
  const { startsAt, countsFrom, endsAt } = slot;
  const histograms = countedSeconds(slot).flatMap((second) => outcome?.secondLatencies.get(second)?.histogram ?? []);
  return {
    slotStart: startsAt,
    slotSeconds: endsAt - startsAt,
    hosts: Number(outcome !== null),
    threads: outcome === null ? 0 : threads,
    secondStart: countsFrom,
    operations: countedOperations(slot, outcome),
    ...addHistograms(histograms.map((histogram) => ({ histogram }))),
    errors: outcome?.whole.failedAttempts ?? 0,
    throttled: outcome?.whole.throttled ?? 0,
    shortfall,
  };
}

/** @param {RampSlot} slot */
function countedSeconds({ countsFrom, stopsAt }) {
  return Array.from({ length: stopsAt - countsFrom }, (_, index) => countsFrom + index);
}

/**
 * @param {RampSlot} slot
 * @param {StageOutcome | null} outcome
 */
function countedOperations(slot, outcome) {
  const operations = new Map(outcome?.whole.seconds.map((each) => [each.secondStart, each.operations]));
  return countedSeconds(slot).map((second) => operations.get(second) ?? 0);
}

/**
 * A step with attempts but no success has no meaningful rate: the store may be unreachable.
 *
 * @param {RampSlot} slot
 * @param {FinishedSlot} ran
 * @param {boolean} wasSuspended
 * @returns {RampShortfall | null} null if the step is complete
 */
function shortfallOf(slot, { outcome, hasRunOut }, wasSuspended) {
  if (outcome.end !== 'complete') {
    // Ramps have no cost limit, so this is never `unpaid`.
    return /** @type {RampShortfall} */ (outcome.end);
  }
  if (wasSuspended) {
    return 'suspended';
  }
  if (hasRunOut) {
    return 'objects';
  }
  const isFutile = outcome.whole.attempts > 0 && !countedOperations(slot, outcome).some((count) => count > 0);
  return isFutile ? 'stalled' : null;
}

/**
 * The result of a stage that ran as a ramp: the sum of its steps. Bottleneck, client load and host load come from the
 * complete step with the most threads.
 *
 * @param {readonly TakenOfRamp[]} finished at least one has run
 * @param {StageResults} results
 * @param {Clock} clock
 * @returns {StageResult}
 */
function rampResult(finished, results, clock) {
  const ran = finished.flatMap((step) => (step.ran === null ? [] : [{ ...step.ran, shown: step.shown }]));
  const whole = ran.filter(({ shown }) => shown.shortfall === null);
  const most = (whole.length > 0 ? whole : ran).reduce((one, other) =>
    other.load.threads >= one.load.threads ? other : one,
  );
  const { bottleneck, clientLoad, hostLoad } = results.of({ outcome: most.outcome, load: most.load });
  const outcomes = ran.map((each) => each.outcome);
  const outcome = {
    ...outcomes[outcomes.length - 1],
    ...sumOfStages(outcomes, clock),
    secondLatencies: new Map(outcomes.flatMap(({ secondLatencies }) => [...secondLatencies])),
  };
  const sum = results.of({ outcome, load: most.load });
  return { ...sum, bottleneck, clientLoad, hostLoad, ramp: { steps: finished.map(({ shown }) => shown) } };
}
