import { bytesAnOperation, nominalBytes } from '../operations/stage.js';
import { SearchObjects } from '../search/search-objects.js';
import { rampResult, shortfallOf, stepOf } from './ramp-result.js';
import { SETTLING_MS, slotsOfStage } from './stage-schedule.js';
import { enoughObjects } from './stages-plan.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { FinishedSlot } from '../engine/run-slot.js'
 * @import { Load } from '../engine/run-stage.js'
 * @import { MeasuredSecond } from '../engine/second-merger.js'
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
 * Each stage goes through steps, in slots that follow from the start and from the command line alone: hosts that share both
 * are in the same step at the same time, without a word between them.
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
   * @param {number} place
   * @returns {StagePlan}
   */
  stage(stage, place) {
    return new RampOfStage(stage, place, this.#ramp, this.#objects, this.#context);
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
  /** Why nothing of the stage can be done; null if some of it can. @type {RampShortfall | null} */
  #idle;
  /** @type {FinishedRampStep[]} */
  #finished = [];
  /** Of the slot that was planned last. @type {Load | null} */
  #load = null;
  /** ms without a success at the end of the steps before. */
  #silence = 0;
  #handOn;

  /**
   * @param {Stage} stage
   * @param {number} place of the stage
   * @param {RampPlan} ramp
   * @param {SearchObjects} objects
   * @param {PlanContext} context
   */
  constructor(stage, place, ramp, objects, context) {
    const { config, clock, firstStageAt } = context;
    this.#stage = stage;
    this.#ramp = ramp;
    this.#objects = objects;
    this.#context = context;
    this.#slots = slotsOfStage(config.schedule, clock.toEpoch(firstStageAt), place);
    this.#given = objects.count;
    this.#handOn = withIdleSeconds(clock);
    const ahead = this.#slots.find((slot) => !isLate(slot, clock.epochNow()));
    this.#idle = ahead === undefined ? 'late' : objects.countFor(stage) === 0 ? 'objects' : null;
    const startsAt = ahead?.startsAt ?? 0;
    this.startsAt = this.#moment(startsAt);
    this.starts =
      this.#idle !== null
        ? null
        : {
            stage: stage.name,
            objects: this.#given,
            threads: config.load.threads,
            buckets: config.store.buckets.length,
            bytesPerOperation: bytesAnOperation(stage, config),
            nominalBytes: nominalBytes(stage, config.objects),
            duration: 1000 * (this.#slots[this.#slots.length - 1].endsAt - startsAt),
          };
  }

  /** @returns {PlannedSlot | null} */
  next() {
    const place = this.#finished.length;
    if (place === this.#slots.length) {
      return null;
    }
    const slot = this.#slots[place];
    this.#load = null;
    if (this.#idle !== null) {
      return { slot: null };
    }
    if (this.#ramp.threads[place] === 0) {
      return { slot: null, startsAt: this.#moment(slot.stopsAt), notice: place === 0 ? this.#joining() : undefined };
    }
    return this.#objects.countFor(this.#stage) === 0 ? { slot: null } : this.#step(slot, place);
  }

  /**
   * @param {RampSlot} slot
   * @param {number} place
   * @returns {PlannedSlot}
   */
  #step(slot, place) {
    const { config, clock } = this.#context;
    const { size, sizes } = config.objects;
    // A second that the step before has reported is not to be reported twice.
    const before = this.#finished.at(-1)?.outcome;
    const startsAt = this.#moment(
      Math.max(slot.startsAt, before ? Math.ceil(clock.toEpoch(before.endedAt) / 1000) : 0),
    );
    const { access } = config.load;
    this.#load = {
      ...{ threads: this.#ramp.threads[place], size, sizes, access },
      pacing: null,
      warmup: 0,
      windows: null,
    };
    return {
      startsAt,
      startsBy: this.#moment(latestStart(slot)),
      slot: {
        ...{ stage: this.#stage, load: this.#load, range: this.#objects.rangeFor(this.#stage, false, Infinity) },
        limit: {
          stopsAt: this.#moment(slot.stopsAt),
          endsAt: this.#moment(slot.endsAt) - SETTLING_MS,
          noSuccessSince: Math.max(startsAt, clock.now()) - this.#silence,
          // Of the whole stage there is but one drain, at its end.
          measuresDrain: place < this.#slots.length - 1,
        },
      },
      ending: {
        progress: (_, startedAt, budget) => {
          if (this.#wasSuspendedSince(startedAt)) {
            // The step does not count any more, and is not to reach into the time of the next.
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
    const place = this.#finished.length;
    const slot = this.#slots[place];
    const outcome = ran?.outcome ?? null;
    const claimed = ran?.claimed ?? 0;
    const shortfall = ran === null ? this.#whyIdle(slot, place) : this.#shortfallOf(slot, ran);
    const step = stepOf(slot, { threads: this.#ramp.threads[place], outcome, shortfall });
    const load = outcome === null ? null : this.#load;
    this.#finished.push({ outcome, load, stopsAt: this.#moment(slot.stopsAt), claimed, step });
    this.#objects.use(this.#stage, false, claimed);
    observer.slotEnds(this.#stage.name, this.#ramp.of, step);
    if (outcome !== null) {
      this.#silence = silenceAfter(outcome, this.#silence);
    }
    if (shortfall === 'stalled' && outcome?.end === 'complete') {
      const { threads } = this.#ramp;
      observer.notice(
        `${this.#stage.name}: nothing succeeded in the seconds of step ${place + 1} of ${threads.length} that count, with ${threads[place]} threads: ` +
          `that step does not count; is the store still there?`,
      );
    }
  }

  /**
   * @param {RampSlot} slot
   * @param {number} place of the slot, in which nothing was run
   * @returns {RampShortfall | null} null if nothing was to be run
   */
  #whyIdle(slot, place) {
    const now = this.#context.clock.epochNow();
    if (this.#idle !== null) {
      return this.#idle;
    }
    if (this.#ramp.threads[place] === 0) {
      return now < 1000 * slot.stopsAt ? 'stopped' : null;
    }
    if (this.#load === null) {
      return 'objects';
    }
    return isLate(slot, now) ? 'late' : 'stopped';
  }

  /**
   * @param {RampSlot} slot
   * @param {FinishedSlot} ran
   */
  #shortfallOf(slot, { outcome, hasRunOut }) {
    return shortfallOf(slot, outcome, { hasRunOut, wasSuspended: this.#wasSuspendedSince(outcome.startedAt) });
  }

  /**
   * @param {MeasuredSecond} second
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
      return { result: null, problem: this.#problem(), mayPass: true, goesOn: true };
    }
    return {
      result: rampResult({
        stage: this.#stage,
        of: this.#ramp.of,
        finished: this.#finished,
        clock,
        objects: this.#given,
        unloaded: unloaded.get(name.toLowerCase()) ?? null,
        availableCores: config.load.availableCores,
        storeClock: storeClock(),
      }),
    };
  }

  /** A host that did nothing in a stage has not done what it was asked to: its run does not end well. */
  #problem() {
    return this.#finished.at(-1)?.step.shortfall === 'objects'
      ? `${this.#stage.name}: nothing was done, because there were no objects for it: expected that the stages before it leave some`
      : `${this.#stage.name}: nothing was done, because this host came too late for all of its slots: expected it to be ready at the time of --start-at`;
  }

  /** Of a host whose first step has no threads. */
  #joining() {
    const joins = this.#ramp.threads.findIndex((each) => each > 0);
    const seconds = this.#slots[joins].startsAt - this.#context.clock.epochNow() / 1000;
    return `${this.#stage.name}: this host joins in slot ${joins + 1}, in ${seconds.toFixed(1)}s`;
  }

  /**
   * Says once where the objects ran out, and how many it would have taken. What Remove has is what Write has left.
   *
   * @param {Pick<RunObserver, 'notice'>} observer
   */
  #noteShortage(observer) {
    const place = this.#finished.findIndex(({ step }) => step.shortfall === 'objects');
    if (this.#idle !== null || place < 0) {
      return;
    }
    const { name, creates } = this.#stage;
    const { threads, stepTime } = this.#ramp;
    const { outcome, claimed } = this.#finished[place];
    const time = outcome === null ? 0 : outcome.endedAt - outcome.startedAt;
    const used = this.#finished.slice(0, place).reduce((sum, each) => sum + each.claimed, 0);
    const ahead = threads.slice(place).reduce((sum, each) => sum + each / threads[place], 0);
    const needed = enoughObjects(used + (ahead * claimed * stepTime) / Math.max(time, 1));
    const advice = creates ? `; pass about ${needed} <objects> instead of ${this.#context.config.objects.count}` : '';
    observer.notice(
      `${name}: its objects ran out in step ${place + 1} of ${threads.length}, with ${threads[place]} threads: ` +
        `that step does not count, nor do those after it${advice}`,
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

/**
 * @param {RampSlot} slot
 * @returns {number} epoch seconds; a step that began later would count before it has settled
 */
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
 * The seconds between two steps belong to the stage as all others do, though no step reports them. Those of a pause do not.
 *
 * @param {Clock} clock
 * @returns {(second: MeasuredSecond, handOn: (second: Pick<MeasuredSecond, 'secondStart' | 'operations' | 'bytes'>) => void) => void} to
 *   be called with the seconds of one step after the other
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
