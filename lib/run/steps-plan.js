import { bytesPerOperation } from '../operations/stage.js';
import { SearchObjects } from '../search/search-objects.js';
import { StageResults } from './stage-result.js';

/**
 * @import { FinishedSlot } from '../engine/run-slot.js'
 * @import { StageOutcome } from '../engine/workers.js'
 * @import { Load } from '../engine/run-stage.js'
 * @import { RampStep, SearchStep } from '../model/result.js'
 * @import { RunObserver, StageStart } from '../model/run-events.js'
 * @import { Stage } from '../operations/stage.js'
 * @import { Conclusion, Plan, PlanContext, PlannedSlot, StagePlan } from './plan.js'
 */

/**
 * @typedef {object} Taken a step that has ended
 * @property {StageOutcome | null} outcome null if nothing ran in it
 * @property {Load | null} load null if nothing ran in it
 * @property {number} stopsAt monotonic ms after which no operation starts
 * @property {number} claimed objects of a range that does not cycle
 * @property {boolean} [isHalfSize] whether its objects had half the size
 * @property {RampStep | SearchStep} shown
 *
 * @typedef {object} StepsContext what a policy decides on
 * @property {Stage} stage
 * @property {number} index of the stage in the run
 * @property {SearchObjects} objects shared by all stages
 * @property {PlanContext} context
 * @property {StageResults} results
 *
 * @typedef {object} Policy decides the steps of one stage: fixed ones, or a search
 * @property {number} [startsAt] monotonic ms
 * @property {readonly string[]} [notices] shown before it begins
 * @property {(Partial<StageStart> & Pick<StageStart, 'duration'>) | null} starts null if the stage has nothing to do
 * @property {() => PlannedSlot | null} next null if the stage is over
 * @property {(ran: FinishedSlot | null) => Taken | null} take takes the result of the slot planned last, which is null
 *   if nothing ran in it; returns null if that was no step
 * @property {StagePlan['second']} [second]
 * @property {(finished: readonly Taken[], observer: Pick<RunObserver, 'notice'>) => Conclusion} conclude
 */

/**
 * Runs each stage in steps over one variable, on one pool of objects.
 *
 * @implements {Plan}
 */
export class StepsPlan {
  #context;
  #Policy;
  #objects;

  /**
   * @param {PlanContext} context
   * @param {new (parts: StepsContext) => Policy} Policy
   */
  constructor(context, Policy) {
    this.#context = context;
    this.#Policy = Policy;
    const { load, objects } = context.config;
    this.#objects = new SearchObjects(load.replay?.trace.requests ?? objects.count);
  }

  /** Number of whole-size objects. They come before the objects that a search wrote at half size. */
  get wholeObjects() {
    return this.#objects.wholeCount;
  }

  /**
   * @param {Stage} stage
   * @param {number} index
   * @returns {StagePlan}
   */
  stage(stage, index) {
    const context = this.#context;
    const objects = this.#objects;
    const { load, store } = context.config;
    const results = new StageResults(stage, objects.count, context);
    const policy = new this.#Policy({ stage, index, objects, context, results });
    /** @type {Taken[]} */
    const finished = [];
    const starts = policy.starts && {
      ...{ stage: stage.name, objects: objects.count, threads: load.threads, buckets: store.buckets.length },
      ...{ bytesPerOperation: bytesPerOperation(stage, context.config), ...policy.starts },
    };
    return {
      startsAt: policy.startsAt,
      notices: policy.notices,
      starts,
      next: () => policy.next(),
      second: (second, observer) => policy.second?.(second, observer),
      take(ran, observer) {
        const taken = policy.take(ran);
        if (taken !== null) {
          objects.use(stage, taken.isHalfSize === true, taken.claimed);
          finished.push(taken);
          observer.stepEnds(stage.name, taken.shown);
        }
      },
      conclude(observer) {
        const conclusion = policy.conclude(finished, observer);
        objects.stageEnds(stage, context.has);
        return conclusion;
      },
    };
  }
}
