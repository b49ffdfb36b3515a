import { stageResults } from './stage-result.js';

/**
 * @import { Range } from '../load/run-slot.js'
 * @import { Stage } from '../load/operations/stage.js'
 * @import { Plan, PlanContext, StagePlan } from './plan.js'
 * @import { StageResults } from './stage-result.js'
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
 * @param {new (parts: StepsContext) => StagePlan} Policy decides the steps of one stage: fixed ones, or a search
 * @returns {Plan}
 */
export function stepsPlan(context, Policy) {
  const { load, objects: configured } = context.config;
  const objects = new SearchObjects(load.replay?.trace.requests ?? configured.count, context.has);
  return {
    stage(stage, index) {
      const results = stageResults(stage, objects.count, context);
      return new Policy({ stage, index, objects, context, results });
    },
    get wholeObjects() {
      return objects.wholeCount;
    },
  };
}

/**
 * @typedef {Pick<Stage, 'creates' | 'removes'> & Partial<Pick<Stage, 'copies' | 'rewrites' | 'grouping'>>} Effects on objects
 */

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
  countFor({ creates, copies, removes, rewrites }) {
    if (creates || removes || rewrites) {
      return this.count - this.#next;
    }
    if (copies) {
      return this.#whole.count - this.#next;
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
    if (stage.creates || stage.copies || stage.removes || stage.rewrites) {
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
  use({ creates, copies, removes, rewrites }, isHalfSize, count) {
    if (creates && isHalfSize && this.#half.count === 0) {
      this.#half = { first: this.#next, count };
    }
    if (creates || copies || removes || rewrites) {
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
