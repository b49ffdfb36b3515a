import { adviceFor } from '../result/bottleneck/phrases.js';
import { operationsOf, stagesOf } from '../load/operations/registry.js';
import { SECONDS_OF_OPERATIONS, operationsOfSearch } from './search/capacity-search.js';
import { PlannedStep } from './search/search-step.js';
import { CLIENTS } from '../store/object-store.js';
import { formatPublicUrl } from '../options/values.js';
import { counted } from '../text/figures.js';
import { formatDuration } from '../text/units.js';
import { typicalSize } from '../load/workload/size-distribution.js';
import { startOf } from './stages-plan.js';
import { overRates } from './rate-result.js';
import { overThreads } from './search-result.js';

/**
 * @import { Pacing } from '../load/loops.js'
 * @import { FinishedSlot, Range } from '../load/run-slot.js'
 * @import { Config, PublicUrl, SearchConfig } from '../result/config.js'
 * @import { SearchDimension, SearchStep, StageResult } from '../result/result.js'
 * @import { Stage } from '../load/operations/stage.js'
 * @import { SearchOptions } from './search/capacity-search.js'
 * @import { SearchObjects, StepsContext } from './steps-plan.js'
 * @import { FinishedStep, Step } from './search/search-step.js'
 * @import { Conclusion, PlanContext, PlannedSlot, StagePlan } from './plan.js'
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
 * @property {(finished: readonly FinishedStep[], shown: readonly SearchStep[]) => StageResult} result
 */

/** @type {Record<SearchDimension, (limits: SearchOptions, parts: SearchParts) => Variable>} */
const VARIABLES = { threads: overThreads, rate: overRates };

/**
 * Adaptive steps: a search over one variable.
 *
 * @implements {StagePlan}
 */
export class SearchSteps {
  #parts;
  #count;
  #maxAttempts;
  #search;
  /** @type {PlannedStep | null} */
  #step = null;
  /** @type {FinishedStep[]} */
  #finished = [];
  /** @type {SearchStep[]} */
  #shown = [];
  /** Whether each key must first be read once to fill the cache. */
  #isCold;

  /** @param {StepsContext} parts of a run with a search */
  constructor(parts) {
    const { stage, index, objects, context } = parts;
    const { config, costs, unloaded } = context;
    const { peakOf } = /** @type {SearchConfig} */ (config.search);
    this.#parts = parts;
    this.#count = objects.countFor(stage);
    // The cost of a replay was known before the run.
    const toRun = stagesOf(config.load).map(nameOf).slice(index);
    this.#maxAttempts = stage.rewrites ? Infinity : costs.attemptsFor(toRun);
    const limits = {
      maxThreads: config.load.threads,
      unloadedLatency: unloaded.get(nameOf(stage))?.p50 ?? USUAL_LATENCY_MS,
      maxOperations: this.#count,
      maxAttempts: this.#maxAttempts,
      sharesOperations: stage.copies || stage.removes,
      halfSize: canHalve(stage, config.objects.size, objects),
    };
    this.#search = VARIABLES[peakOf](limits, parts);
    const { time: duration } = this.#search;
    this.#isCold = readsCacheIn(stage, config) && this.#count > 0;
    const isFirst = index === 0 && peakOf === 'threads';
    this.notices = [
      ...(index === 0 ? [timeNotice(duration, toRun.length)] : []),
      ...(isFirst ? worstCases(config, unloaded, this.#maxAttempts) : []),
    ];
    this.starts = { ...startOf(stage, objects.count, config.load.threads, config), duration, search: peakOf };
  }

  /** @returns {PlannedSlot | null} */
  next() {
    const { stage, objects, context } = this.#parts;
    const { config, clock } = context;
    const { size, sizes } = config.objects;
    const { access, threads } = config.load;
    this.#step = null;
    if (this.#isCold) {
      this.#isCold = false;
      const range = objects.rangeFor(stage, false, this.#count);
      const load = { threads, size, sizes, pacing: null, warmup: 0, windows: null };
      return {
        notice: `${stage.name}: reading each of ${range.count} keys once, so that the search measures the cache of ${urlOf(config)}, not the store`,
        slot: { stage, load, range: { ...range, cycles: false }, limit: null },
      };
    }
    const step = this.#search.next(this.#finished.at(-1) ?? null);
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
   * @returns {SearchStep | null}
   */
  take(ran) {
    if (ran === null || this.#step === null) {
      return null;
    }
    const { stage, objects } = this.#parts;
    const finished = this.#step.finish(ran);
    const shown = this.#search.shown(finished);
    this.#finished.push(finished);
    this.#shown.push(shown);
    objects.use(stage, finished.step.phase === 'half size', finished.claimed);
    return shown;
  }

  /** @returns {Conclusion} */
  conclude() {
    const { stage, index, objects, context } = this.#parts;
    objects.stageEnds(stage);
    if (this.#finished.length === 0) {
      const problem = `${stage.name}: ${whyNotBegun(stage, this.#count, this.#maxAttempts)}`;
      // If earlier stages have a result, the command was valid, so the same command may succeed another time.
      return { result: null, problem, isTransient: index > 0, continues: false };
    }
    const result = this.#search.result(this.#finished, this.#shown);
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
 * Warns before a search that might run out of objects or dollars if the store never slows down.
 *
 * @param {Config} config
 * @param {PlanContext['unloaded']} unloaded
 * @param {number} attempts that the first stage can make
 */
function worstCases({ objects, load: { threads, stages }, schedule: { maxCost } }, unloaded, attempts) {
  const [write] = operationsOf(stages).filter(({ creates }) => creates);
  const probe = write && unloaded.get(write.name);
  // The latency of small objects does not predict how many large ones a search needs.
  if (probe === undefined || probe.size < typicalSize(objects)) {
    return [];
  }
  const most = operationsOfSearch((1000 * threads) / probe.p50, threads);
  const writes = Math.min(objects.count, attempts);
  const capacity = Math.floor(writes / SECONDS_OF_OPERATIONS);
  if (writes >= most || capacity === 0) {
    return [];
  }
  const [given, more] =
    attempts < objects.count
      ? [`$${maxCost} pays for ${Math.floor(attempts)} writes,`, `--max-cost ${2 * Number(maxCost)}`]
      : [`${objects.count} objects are`, `${2 * objects.count} <objects>`];
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
 * Half-size objects show whether bandwidth is the limit. Read can use them only if Write left some.
 *
 * @param {Stage} stage
 * @param {number} size bytes
 * @param {SearchObjects} objects
 */
function canHalve({ creates, receives, movesWhole }, size, objects) {
  return creates ? size >= MIN_HALVED_BYTES : receives && movesWhole && objects.hasHalves;
}
