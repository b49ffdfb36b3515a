import { SearchObjects } from '../search/search-objects.js';
import { StageResults } from './stage-result.js';

/**
 * @import { Stage } from '../operations/stage.js'
 * @import { Plan, PlanContext, StagePlan } from './plan.js'
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
 * @implements {Plan}
 */
export class StepsPlan {
  #context;
  #Policy;
  #objects;

  /**
   * @param {PlanContext} context
   * @param {new (parts: StepsContext) => StagePlan} Policy decides the steps of one stage: fixed ones, or a search
   */
  constructor(context, Policy) {
    this.#context = context;
    this.#Policy = Policy;
    this.#objects = new SearchObjects(context.config.objects.count, context.has);
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
    const objects = this.#objects;
    const results = new StageResults(stage, objects.count, this.#context);
    return new this.#Policy({ stage, index, objects, context: this.#context, results });
  }
}
