import { rampResult, shortfallOf, stepOf } from './ramp-result.js';
import { SETTLING_MS, USUAL_GAP_MS, slotsOfStage } from './stage-schedule.js';
import { enoughObjects } from './stages-plan.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { FinishedSlot } from '../engine/run-slot.js'
 * @import { Load } from '../engine/run-stage.js'
 * @import { StageOutcome } from '../engine/workers.js'
 * @import { RampPlan } from '../model/config.js'
 * @import { RampStep } from '../model/result.js'
 * @import { RunObserver } from '../model/run-events.js'
 * @import { Conclusion, CountedSecond, PlannedSlot } from './plan.js'
 * @import { RampSlot } from './stage-schedule.js'
 * @import { Policy, StepsContext, Taken } from './steps-plan.js'
 */

/** @typedef {Taken & { shown: RampStep }} TakenOfRamp */

/**
 * Fixed steps in slots. The slots depend only on the start time and the command line, so hosts for which both are the
 * same run each step at the same time, without communicating.
 *
 * @implements {Policy}
 */
export class RampSteps {
  #parts;
  #ramp;
  #slots;
  /** @type {TakenOfRamp[]} */
  #finished = [];
  /** The load of the slot planned last. @type {Load | null} */
  #load = null;
  /** ms without a success at the end of the finished steps. */
  #silence = 0;
  #handOn;

  /** @param {StepsContext} parts of a run with a ramp */
  constructor(parts) {
    const { stage, index, objects, context } = parts;
    const { config, clock, firstStageAt } = context;
    const ramp = /** @type {RampPlan} */ (config.schedule.ramp);
    this.#parts = parts;
    this.#ramp = ramp;
    this.#slots = slotsOfStage(ramp, config.schedule.gap ?? USUAL_GAP_MS, clock.toEpoch(firstStageAt), index);
    this.#handOn = withIdleSeconds(clock);
    const ahead = this.#slots.find((slot) => !isLate(slot, clock.epochNow()));
    this.startsAt = this.#moment(ahead?.startsAt ?? 0);
    const { endsAt } = this.#slots[this.#slots.length - 1];
    this.starts =
      ahead === undefined || objects.countFor(stage) === 0
        ? null
        : { duration: 1000 * (endsAt - ahead.startsAt), ramp: true };
  }

  /** @returns {PlannedSlot | null} */
  next() {
    const { stage, objects, context } = this.#parts;
    const { config, clock } = context;
    const index = this.#finished.length;
    this.#load = null;
    if (index === this.#slots.length) {
      return null;
    }
    if (objects.countFor(stage) === 0) {
      return { slot: null };
    }
    const slot = this.#slots[index];
    const { size, sizes } = config.objects;
    const { access } = config.load;
    // Starts after the last second of the previous step, so that no second is reported twice.
    const before = this.#finished.at(-1)?.outcome;
    const earliest = before ? Math.ceil(clock.toEpoch(before.endedAt) / 1000) : 0;
    const startsAt = this.#moment(Math.max(slot.startsAt, earliest));
    this.#load = { threads: this.#ramp.threads[index], size, sizes, access, pacing: null, warmup: 0, windows: null };
    return {
      startsAt,
      startsBy: this.#moment(latestStart(slot)),
      slot: {
        stage,
        load: this.#load,
        range: objects.rangeFor(stage, false, Infinity),
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
   * @returns {Taken}
   */
  take(ran) {
    const index = this.#finished.length;
    const slot = this.#slots[index];
    const { outcome = null, claimed = 0 } = ran ?? {};
    const isOver = isLate(slot, this.#parts.context.clock.epochNow());
    const whyIdle = isOver ? 'late' : this.#load === null ? 'objects' : 'stopped';
    const wasSuspended = ran !== null && this.#wasSuspendedSince(ran.outcome.startedAt);
    const shortfall = ran === null ? whyIdle : shortfallOf(slot, ran, wasSuspended);
    const shown = stepOf(slot, { threads: this.#ramp.threads[index], outcome, shortfall });
    const load = outcome && this.#load;
    const taken = { outcome, load, stopsAt: this.#moment(slot.stopsAt), claimed, shown };
    this.#finished.push(taken);
    this.#silence = outcome === null ? this.#silence : silenceAfter(outcome, this.#silence);
    return taken;
  }

  /**
   * @param {CountedSecond} second
   * @param {Pick<RunObserver, 'second'>} observer
   */
  second(second, observer) {
    this.#handOn(second, (each) => observer.second({ stage: this.#parts.stage.name, ...each }));
  }

  /**
   * @param {unknown} _
   * @param {Pick<RunObserver, 'notice'>} observer
   * @returns {Conclusion}
   */
  conclude(_, observer) {
    const { stage, results } = this.#parts;
    const { name } = stage;
    const finished = this.#finished;
    const exhausted = finished.findIndex(({ shown }) => shown.shortfall === 'objects');
    if (this.starts !== null && exhausted >= 0) {
      observer.notice(
        `${name}: objects ran out in ${this.#nameOf(exhausted)}, so that step and all later ones do not count${this.#advice(exhausted)}`,
      );
    }
    const silent = finished.findIndex(
      ({ outcome, shown }) => shown.shortfall === 'stalled' && outcome?.end === 'complete',
    );
    if (silent >= 0) {
      observer.notice(
        `${name}: ${this.#nameOf(silent)} had no successful operation in its counted seconds, so it does not count; check that the store is still reachable`,
      );
    }
    if (finished.every(({ outcome }) => outcome === null)) {
      // A host that did nothing in a stage has failed, so its run ends with a problem.
      const problem =
        finished.at(-1)?.shown.shortfall === 'objects'
          ? `${name}: nothing to do, because the earlier stages left no objects`
          : `${name}: nothing was done, because this host missed all of its slots; start it early enough to be ready at --start-at`;
      return { result: null, problem, isTransient: true, continues: true };
    }
    return { result: rampResult(finished, results, this.#parts.context.clock) };
  }

  /** @param {number} index of a step */
  #nameOf(index) {
    const { threads } = this.#ramp;
    return `step ${index + 1} of ${threads.length} (${threads[index]} threads)`;
  }

  /** How many objects Write needs; other stages can use only those that it left. @param {number} index of a step */
  #advice(index) {
    const { stage, context } = this.#parts;
    const { threads, stepTime } = this.#ramp;
    const { outcome, claimed } = this.#finished[index];
    const time = outcome === null ? 0 : outcome.endedAt - outcome.startedAt;
    const used = this.#finished.slice(0, index).reduce((sum, each) => sum + each.claimed, 0);
    const ahead = threads.slice(index).reduce((sum, each) => sum + each / threads[index], 0);
    const needed = enoughObjects(used + (ahead * claimed * stepTime) / Math.max(time, 1));
    return stage.creates ? `; pass about ${needed} <objects> instead of ${context.config.objects.count}` : '';
  }

  /** @param {number} since monotonic ms */
  #wasSuspendedSince(since) {
    const { clock } = this.#parts.context;
    return clock.pausedBetween(clock.toEpoch(since), clock.epochNow()) > 0;
  }

  /** @param {number} second of the epoch @returns {number} monotonic ms */
  #moment(second) {
    return this.#parts.context.clock.fromEpoch(1000 * second);
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
function silenceAfter({ startedAt, endedAt, whole }, before) {
  return whole.operations === 0 ? before + endedAt - startedAt : endedAt - whole.lastSuccessAt;
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
