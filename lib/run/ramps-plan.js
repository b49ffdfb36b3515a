import { bytesPerOperation } from '../operations/stage.js';
import { SearchObjects } from '../search/search-objects.js';
import { rampResult, shortfallOf, stepOf } from './ramp-result.js';
import { SETTLING_MS, USUAL_GAP_MS, slotsOfStage } from './stage-schedule.js';
import { enoughObjects } from './stages-plan.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { FinishedSlot } from '../engine/run-slot.js'
 * @import { Load } from '../engine/run-stage.js'
 * @import { CountedSecond } from './plan.js'
 * @import { StageOutcome } from '../engine/workers.js'
 * @import { RampPlan } from '../model/config.js'
 * @import { RampShortfall } from '../model/result.js'
 * @import { RunObserver } from '../model/run-events.js'
 * @import { Stage } from '../operations/stage.js'
 * @import { Conclusion, Plan, PlanContext, PlannedSlot, StagePlan } from './plan.js'
 * @import { FinishedRampStep } from './ramp-result.js'
 * @import { RampSlot } from './stage-schedule.js'
 */

/**
 * Each stage runs as steps in slots. The slots depend only on the start time and the command line, so hosts for which
 * both are the same run each step at the same time, without communicating.
 *
 * @implements {Plan}
 */
export class RampsPlan {
  #context;
  #ramp;
  #objects;

  /**
   * @param {PlanContext} context
   * @param {RampPlan} ramp
   */
  constructor(context, ramp) {
    this.#context = context;
    this.#ramp = ramp;
    this.#objects = new SearchObjects(context.config.objects.count);
  }

  /**
   * @param {Stage} stage
   * @param {number} index
   * @returns {StagePlan}
   */
  stage(stage, index) {
    return new RampOfStage(stage, index, this.#ramp, this.#objects, this.#context);
  }
}

/** @implements {StagePlan} */
class RampOfStage {
  #stage;
  #ramp;
  #objects;
  #context;
  #slots;
  #given;
  /** @type {FinishedRampStep[]} */
  #finished = [];
  /** The load of the slot planned last. @type {Load | null} */
  #load = null;
  /** ms without a success at the end of the finished steps. */
  #silence = 0;
  #handOn;

  /**
   * @param {Stage} stage
   * @param {number} index of the stage
   * @param {RampPlan} ramp
   * @param {SearchObjects} objects
   * @param {PlanContext} context
   */
  constructor(stage, index, ramp, objects, context) {
    const { config, clock, firstStageAt } = context;
    this.#stage = stage;
    this.#ramp = ramp;
    this.#objects = objects;
    this.#context = context;
    this.#slots = slotsOfStage(ramp, config.schedule.gap ?? USUAL_GAP_MS, clock.toEpoch(firstStageAt), index);
    this.#given = objects.count;
    this.#handOn = withIdleSeconds(clock);
    const ahead = this.#slots.find((slot) => !isLate(slot, clock.epochNow()));
    const startsAt = ahead?.startsAt ?? 0;
    this.startsAt = this.#moment(startsAt);
    this.starts =
      ahead === undefined || objects.countFor(stage) === 0
        ? null
        : {
            stage: stage.name,
            objects: this.#given,
            threads: config.load.threads,
            buckets: config.store.buckets.length,
            bytesPerOperation: bytesPerOperation(stage, config),
            duration: 1000 * (this.#slots[this.#slots.length - 1].endsAt - startsAt),
          };
  }

  /** @returns {PlannedSlot | null} */
  next() {
    const index = this.#finished.length;
    if (index === this.#slots.length) {
      return null;
    }
    const slot = this.#slots[index];
    this.#load = null;
    return this.#objects.countFor(this.#stage) === 0 ? { slot: null } : this.#step(slot, index);
  }

  /**
   * @param {RampSlot} slot
   * @param {number} index
   * @returns {PlannedSlot}
   */
  #step(slot, index) {
    const { config, clock } = this.#context;
    const { size, sizes } = config.objects;
    // Starts after the last second of the previous step, so that no second is reported twice.
    const before = this.#finished.at(-1)?.outcome;
    const startsAt = this.#moment(
      Math.max(slot.startsAt, before ? Math.ceil(clock.toEpoch(before.endedAt) / 1000) : 0),
    );
    const { access } = config.load;
    this.#load = {
      threads: this.#ramp.threads[index],
      size,
      sizes,
      access,
      pacing: null,
      warmup: 0,
      windows: null,
    };
    return {
      startsAt,
      startsBy: this.#moment(latestStart(slot)),
      slot: {
        stage: this.#stage,
        load: this.#load,
        range: this.#objects.rangeFor(this.#stage, false, Infinity),
        limit: {
          stopsAt: this.#moment(slot.stopsAt),
          endsAt: this.#moment(slot.endsAt) - SETTLING_MS,
          noSuccessSince: Math.max(startsAt, clock.now()) - this.#silence,
          // Only the last step has a drain. In earlier steps, operations that complete late count like all others.
          measuresDrain: index < this.#slots.length - 1,
        },
      },
      ending: {
        progress: (_, startedAt, budget) => {
          if (this.#wasSuspendedSince(startedAt)) {
            // The step no longer counts, and it must not run into the slot of the next step.
            budget.close();
          }
        },
      },
    };
  }

  /**
   * @param {FinishedSlot | null} ran
   * @param {Pick<RunObserver, 'slotEnds' | 'notice'>} observer
   */
  take(ran, observer) {
    const index = this.#finished.length;
    const slot = this.#slots[index];
    const outcome = ran?.outcome ?? null;
    const claimed = ran?.claimed ?? 0;
    const shortfall = ran === null ? this.#whyIdle(slot) : this.#shortfallOf(slot, ran);
    const step = stepOf(slot, { threads: this.#ramp.threads[index], outcome, shortfall });
    const load = outcome === null ? null : this.#load;
    this.#finished.push({ outcome, load, stopsAt: this.#moment(slot.stopsAt), claimed, step });
    this.#objects.use(this.#stage, false, claimed);
    observer.slotEnds(this.#stage.name, step);
    if (outcome !== null) {
      this.#silence = silenceAfter(outcome, this.#silence);
    }
    if (shortfall === 'stalled' && outcome?.end === 'complete') {
      const { threads } = this.#ramp;
      observer.notice(
        `${this.#stage.name}: step ${index + 1} of ${threads.length} (${threads[index]} threads) had no successful operation in its counted seconds, so it ` +
          `does not count; check that the store is still reachable`,
      );
    }
  }

  /**
   * @param {RampSlot} slot in which nothing ran
   * @returns {RampShortfall}
   */
  #whyIdle(slot) {
    if (isLate(slot, this.#context.clock.epochNow())) {
      return 'late';
    }
    return this.#load === null ? 'objects' : 'stopped';
  }

  /**
   * @param {RampSlot} slot
   * @param {FinishedSlot} ran
   */
  #shortfallOf(slot, { outcome, hasRunOut }) {
    return shortfallOf(slot, outcome, { hasRunOut, wasSuspended: this.#wasSuspendedSince(outcome.startedAt) });
  }

  /**
   * @param {CountedSecond} second
   * @param {Pick<RunObserver, 'second'>} observer
   */
  second(second, observer) {
    this.#handOn(second, (each) => observer.second({ stage: this.#stage.name, ...each }));
  }

  /**
   * @param {Pick<RunObserver, 'notice'>} observer
   * @returns {Conclusion}
   */
  conclude(observer) {
    const { config, clock, unloaded, storeClock, has } = this.#context;
    const { name } = this.#stage;
    this.#noteShortage(observer);
    this.#objects.stageEnds(this.#stage, has);
    if (this.#finished.every(({ outcome }) => outcome === null)) {
      return { result: null, problem: this.#problem(), isTransient: true, continues: true };
    }
    return {
      result: rampResult({
        stage: this.#stage,
        finished: this.#finished,
        clock,
        objects: this.#given,
        unloaded: unloaded.get(name.toLowerCase()) ?? null,
        availableCores: config.load.availableCores,
        storeClock: storeClock(),
      }),
    };
  }

  /** A host that did nothing in a stage has failed, so its run ends with a problem. */
  #problem() {
    return this.#finished.at(-1)?.step.shortfall === 'objects'
      ? `${this.#stage.name}: nothing to do, because the earlier stages left no objects`
      : `${this.#stage.name}: nothing was done, because this host missed all of its slots; start it early enough to be ready at --start-at`;
  }

  /**
   * Reports once that objects ran out. For Write, also reports how many would have been enough; other stages can use
   * only the objects that Write left.
   *
   * @param {Pick<RunObserver, 'notice'>} observer
   */
  #noteShortage(observer) {
    const index = this.#finished.findIndex(({ step }) => step.shortfall === 'objects');
    if (this.starts === null || index < 0) {
      return;
    }
    const { creates } = this.#stage;
    const { threads, stepTime } = this.#ramp;
    const { outcome, claimed } = this.#finished[index];
    const time = outcome === null ? 0 : outcome.endedAt - outcome.startedAt;
    const used = this.#finished.slice(0, index).reduce((sum, each) => sum + each.claimed, 0);
    const ahead = threads.slice(index).reduce((sum, each) => sum + each / threads[index], 0);
    const needed = enoughObjects(used + (ahead * claimed * stepTime) / Math.max(time, 1));
    const advice = creates ? `; pass about ${needed} <objects> instead of ${this.#context.config.objects.count}` : '';
    observer.notice(
      `${this.#stage.name}: objects ran out in step ${index + 1} of ${threads.length} (${threads[index]} threads), so that step ` +
        `and all later ones do not count${advice}`,
    );
  }

  /** @param {number} since monotonic ms */
  #wasSuspendedSince(since) {
    const { clock } = this.#context;
    return clock.pausedBetween(clock.toEpoch(since), clock.epochNow()) > 0;
  }

  /** @param {number} second of the epoch @returns {number} monotonic ms */
  #moment(second) {
    return this.#context.clock.fromEpoch(1000 * second);
  }
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
function silenceAfter({ startedAt, endedAt, meter }, before) {
  return meter.operations === 0 ? before + endedAt - startedAt : endedAt - meter.lastSuccessAt;
}

/**
 * Passes on the seconds of all steps. Adds the seconds between two steps, without operations, because no step reports
 * them. Omits those in which the process was suspended throughout.
 *
 * @param {Clock} clock
 * @returns {(second: CountedSecond, handOn: (second: Pick<CountedSecond, 'secondStart' | 'operations' | 'bytes'>) =>
 *   void) => void} takes the seconds of all steps in order
 */
function withIdleSeconds(clock) {
  let next = Infinity;
  return (second, handOn) => {
    for (; next < second.secondStart; next += 1) {
      if (clock.pausedBetween(1000 * next, 1000 * (next + 1)) < 1000) {
        handOn({ secondStart: next, operations: 0, bytes: 0 });
      }
    }
    handOn(second);
    next = second.secondStart + 1;
  };
}
