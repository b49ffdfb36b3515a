import { adviceFor } from '../bottleneck/phrases.js';
import { operationsOf, stagesOf } from '../operations/registry.js';
import { SECONDS_OF_OPERATIONS, minOperations, operationsOfSearch } from '../search/capacity-search.js';
import { PlannedStep } from '../search/search-step.js';
import { CLIENTS } from '../s3/object-store.js';
import { formatPublicUrl } from '../options/values.js';
import { counted } from '../text/figures.js';
import { formatDuration } from '../text/units.js';
import { typicalSize } from '../workload/size-distribution.js';
import { overRates } from './rate-result.js';
import { overThreads } from './search-result.js';

/**
 * @import { CostBudget } from '../cost/cost-budget.js'
 * @import { Pacing } from '../engine/arrivals.js'
 * @import { FinishedSlot, Range } from '../engine/run-slot.js'
 * @import { Config, PublicUrl, SearchConfig } from '../model/config.js'
 * @import { SearchDimension, SearchStep, StageResult } from '../model/result.js'
 * @import { SearchConclusion } from '../model/search.js'
 * @import { Stage } from '../operations/stage.js'
 * @import { SearchOptions } from '../search/capacity-search.js'
 * @import { SearchObjects } from '../search/search-objects.js'
 * @import { FinishedStep, Step } from '../search/search-step.js'
 * @import { Conclusion, PlanContext, PlannedSlot } from './plan.js'
 * @import { Policy, StepsContext, Taken } from './steps-plan.js'
 */

/** Latency in ms that is assumed if it could not be measured. */
const USUAL_LATENCY_MS = 50;

/** Minimum size, in bytes, that can be halved. */
const MIN_HALVED_BYTES = 2;

/**
 * @typedef {Pick<StepsContext, 'stage' | 'context' | 'results'>} SearchParts
 *
 * @typedef {object} Variable what a search varies, and how
 * @property {number} time maximum ms
 * @property {(done: FinishedStep | null) => Step | null} next takes the step planned last
 * @property {(step: Step, range: Range) => Pacing | null} pacing
 * @property {(finished: FinishedStep) => SearchStep} shown
 * @property {() => Pick<SearchConclusion, 'needed' | 'limitingResource'>} conclusion
 * @property {(finished: readonly FinishedStep[], shown: readonly SearchStep[],
 *   dollarsNeeded: number | null) => StageResult} result
 */

/** @type {Record<SearchDimension, (limits: SearchOptions, parts: SearchParts) => Variable>} */
const VARIABLES = { threads: overThreads, rate: overRates };

/**
 * Adaptive steps: a search over one variable.
 *
 * @implements {Policy}
 */
export class SearchSteps {
  #parts;
  #count;
  #maxAttempts;
  #search;
  /** @type {PlannedStep | null} */
  #step = null;
  /** The step that ended last. @type {FinishedStep | null} */
  #done = null;
  /** Whether each key must first be read once to fill the cache. */
  #isCold;
  /** Why the search cannot begin. */
  #problem;

  /** @param {StepsContext} parts of a run with a search */
  constructor(parts) {
    const { stage, index, objects, context } = parts;
    const { config, costs, unloaded } = context;
    const { peakOf } = /** @type {SearchConfig} */ (config.search);
    this.#parts = parts;
    this.#count = objects.countFor(stage);
    // The cost of a replay was known before the run.
    this.#maxAttempts = stage.rewrites ? Infinity : costs.attemptsFor(this.#names.toRun);
    const limits = {
      maxThreads: config.load.threads,
      unloadedLatency: unloaded.get(nameOf(stage))?.p50 ?? USUAL_LATENCY_MS,
      maxOperations: this.#count,
      maxAttempts: this.#maxAttempts,
      sharesOperations: stage.copies || stage.removes,
      halfSize: halfSizeProbeOf(stage, config, objects),
    };
    this.#search = VARIABLES[peakOf](limits, parts);
    const { time: duration } = this.#search;
    this.#isCold = readsCacheIn(stage, config) && this.#count > 0;
    const latencies = latenciesOfWhole(config, unloaded);
    this.#problem = index === 0 ? tooFewObjects(config, stage, latencies) : null;
    const isFirst = index === 0 && peakOf === 'threads';
    this.notices = [
      ...(index === 0 ? [timeNotice(duration, this.#names.toRun.length)] : []),
      ...(isFirst ? worstCases(config, latencies, this.#maxAttempts) : []),
    ].slice(0, this.#problem === null ? undefined : 0);
    this.starts = this.#problem === null ? { duration, search: peakOf } : null;
  }

  /** Names in lower case: `toRun` lists this stage and all later ones, `before` all earlier ones. */
  get #names() {
    const { index, context } = this.#parts;
    const all = stagesOf(context.config.load).map(nameOf);
    return { toRun: all.slice(index), before: all.slice(0, index) };
  }

  /** @returns {PlannedSlot | null} */
  next() {
    const { stage, objects, context } = this.#parts;
    const { config, clock } = context;
    const { size, sizes } = config.objects;
    const { access, threads } = config.load;
    this.#step = null;
    if (this.#problem !== null) {
      return null;
    }
    if (this.#isCold) {
      this.#isCold = false;
      const range = objects.rangeFor(stage, false, this.#count);
      const load = { threads, size, sizes, pacing: null, warmup: 0, windows: null };
      return {
        notice: `${stage.name}: reading each of ${range.count} keys once, so that the search measures the cache of ${urlOf(config)}, not the store`,
        slot: { stage, load, range: { ...range, cycles: false }, limit: null },
      };
    }
    const step = this.#search.next(this.#done);
    if (step === null) {
      return null;
    }
    const isHalfSize = step.phase === 'half size';
    const range = objects.rangeFor(stage, isHalfSize, step.operations);
    const planned = new PlannedStep(step, {
      ...{ stage, sizes, access, clock },
      size: isHalfSize ? Math.floor(size / 2) : size,
      range,
      pacing: this.#search.pacing(step, range),
    });
    this.#step = planned;
    return { slot: planned.slot, ending: planned };
  }

  /**
   * @param {FinishedSlot | null} ran null if the run stopped before this slot
   * @returns {Taken & { shown: SearchStep } | null}
   */
  take(ran) {
    if (ran === null || this.#step === null) {
      return null;
    }
    const finished = this.#step.finish(ran);
    this.#done = finished;
    return { ...finished, isHalfSize: finished.step.phase === 'half size', shown: this.#search.shown(finished) };
  }

  /**
   * @param {readonly Taken[]} taken
   * @returns {Conclusion}
   */
  conclude(taken) {
    const { stage, index, context } = this.#parts;
    const finished = /** @type {readonly (FinishedStep & { shown: SearchStep })[]} */ (/** @type {unknown} */ (taken));
    if (finished.length === 0) {
      const problem = this.#problem ?? `${stage.name}: ${whyNotBegun(stage, this.#count, this.#maxAttempts)}`;
      // If earlier stages have a result, the command was valid, so the same command may succeed another time.
      return { result: null, problem, isTransient: index > 0, continues: false };
    }
    const steps = finished.map(({ shown }) => shown);
    const dollars = dollarsNeeded(this.#search.conclusion(), finished, context.costs, this.#names);
    const result = this.#search.result(finished, steps, dollars);
    return { result: readsCacheIn(stage, context.config) ? ofCache(result, urlOf(context.config)) : result };
  }
}

/**
 * @param {Stage} stage
 * @param {Config} config
 * @returns {boolean} whether a cache can serve operations of the stage
 */
function readsCacheIn({ kinds }, { load: { client } }) {
  return CLIENTS[client].readsCache && kinds.some(({ operation }) => operation.followsAccess);
}

/** @param {Config} config of a client with a public URL */
function urlOf({ store: { publicUrl } }) {
  return formatPublicUrl(/** @type {PublicUrl} */ (publicUrl));
}

/**
 * @param {StageResult} result of a search that began with all keys in the cache
 * @param {string} url
 * @returns {StageResult} with evidence that states that the cache was measured
 */
function ofCache(result, url) {
  const { bottleneck } = result;
  const evidence = `this limit is that of the cache in front of ${url}, not of the store; ${bottleneck.evidence}`;
  return { ...result, bottleneck: { ...bottleneck, evidence } };
}

/**
 * @param {number} stageTime ms
 * @param {number} stages
 */
function timeNotice(stageTime, stages) {
  const whole = stages === 1 ? '' : ` per stage, ${formatDuration(stages * stageTime)} in total`;
  return `--find-peak takes up to ${formatDuration(stageTime)}${whole}`;
}

/**
 * @param {Config} config
 * @param {PlanContext['unloaded']} unloaded
 * @returns {PlanContext['unloaded']} without latencies of small objects, which do not predict how many large ones a
 *   search needs
 */
function latenciesOfWhole({ objects }, unloaded) {
  const typical = typicalSize(objects);
  return new Map([...unloaded].filter(([, { size }]) => size >= typical));
}

/**
 * @param {Config} config
 * @param {Stage} stage the first one
 * @param {PlanContext['unloaded']} unloaded
 */
function tooFewObjects({ objects: { count: objects }, load: { threads } }, stage, unloaded) {
  const latency = unloaded.get(nameOf(stage))?.p50;
  if (latency === undefined || !(stage.creates || stage.removes)) {
    return null;
  }
  const needed = minOperations(latency);
  return objects >= needed
    ? null
    : `<objects>: --find-peak expects at least ${operationsOfSearch((1000 * threads) / latency, threads)} for ${counted(threads, 'thread')}, got ${objects} (one thread alone needs ${needed} at ${latency.toFixed(1)}ms per ${nameOf(stage)})`;
}

/**
 * Warns before a search that might run out of objects or dollars if the store never slows down.
 *
 * @param {Config} config
 * @param {PlanContext['unloaded']} unloaded
 * @param {number} attempts that the first stage can make
 */
function worstCases(
  { objects: { count: objects }, load: { threads, stages }, schedule: { maxCost } },
  unloaded,
  attempts,
) {
  const [write] = operationsOf(stages).filter(({ creates }) => creates);
  const latency = write && unloaded.get(write.name)?.p50;
  if (latency === undefined) {
    return [];
  }
  const most = operationsOfSearch((1000 * threads) / latency, threads);
  const writes = Math.min(objects, attempts);
  const capacity = Math.floor(writes / SECONDS_OF_OPERATIONS);
  if (writes >= most || capacity === 0) {
    return [];
  }
  const [given, more] =
    attempts < objects
      ? [`$${maxCost} pays for ${Math.floor(attempts)} writes,`, `--max-cost ${2 * Number(maxCost)}`]
      : [`${objects} objects are`, `${2 * objects} <objects>`];
  return [
    `--find-peak: ${given} enough for a capacity of about ${capacity} writes/s; if you expect up to ${2 * capacity}, pass ${more}`,
  ];
}

/** @param {Stage} stage */
function nameOf({ name }) {
  return name.toLowerCase();
}

/**
 * @param {Stage} stage
 * @param {number} objects available to the stage
 * @param {number} attempts that it can make
 */
function whyNotBegun({ copies, removes }, objects, attempts) {
  if (objects === 0) {
    return 'Write left no objects for this stage';
  }
  const ofObjects = copies || removes ? 'leftovers' : 'objects';
  const advice = adviceFor(attempts < objects ? 'dollars' : ofObjects);
  const operations = Math.floor(Math.min(attempts, objects));
  return `only ${counted(operations, 'operation')}, too few for a capacity search; try ${advice}`;
}

/**
 * @param {ReturnType<Variable['conclusion']>} conclusion
 * @param {readonly FinishedStep[]} finished
 * @param {CostBudget} costs
 * @param {{ toRun: readonly string[], before: readonly string[] }} names of stages; this one comes first in `toRun`
 */
function dollarsNeeded({ limitingResource, needed }, finished, costs, { toRun, before }) {
  if (limitingResource !== 'dollars' || needed === null) {
    return null;
  }
  const made = finished.reduce((sum, { outcome }) => sum + outcome.whole.attempts, 0);
  // If the limit is raised, earlier stages get an equal share of the increase and might spend it.
  return costs.limitFor([...toRun, ...before], needed.attempts, made);
}

/**
 * Half-size objects show whether bandwidth is the limit. Read can use them only if Write left some.
 *
 * @param {Stage} stage
 * @param {Config} config
 * @param {SearchObjects} objects
 * @returns {'never' | 'on a plateau' | 'always'}
 */
function halfSizeProbeOf({ creates, receives, movesWhole }, { objects: { size }, load: { stages } }, objects) {
  if (creates && size >= MIN_HALVED_BYTES) {
    return operationsOf(stages).some((operation) => operation.receives && operation.movesWhole)
      ? 'always'
      : 'on a plateau';
  }
  return receives && movesWhole && objects.hasHalves ? 'on a plateau' : 'never';
}
