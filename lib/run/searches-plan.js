import { adviceFor } from '../bottleneck/phrases.js';
import { operationsOf, stagesOf } from '../operations/registry.js';
import { bytesPerOperation } from '../operations/stage.js';
import { SECONDS_OF_OPERATIONS, operationsOfSearch, minOperations } from '../search/capacity-search.js';
import { SearchObjects } from '../search/search-objects.js';
import { SearchStep } from '../search/search-step.js';
import { CLIENTS } from '../s3/object-store.js';
import { formatPublicUrl } from '../options/values.js';
import { counted } from '../text/figures.js';
import { formatDuration } from '../text/units.js';
import { typicalSize } from '../workload/size-distribution.js';
import { openStageSearch } from './stage-search.js';

/**
 * @import { CostBudget } from '../cost/cost-budget.js'
 * @import { Stage } from '../operations/stage.js'
 * @import { FinishedStep } from '../search/search-step.js'
 * @import { Config, PublicUrl, SearchConfig } from '../model/config.js'
 * @import { StageResult } from '../model/result.js'
 * @import { FinishedSlot } from '../engine/run-slot.js'
 * @import { RunObserver } from '../model/run-events.js'
 * @import { Step } from '../search/search-step.js'
 * @import { Conclusion, Plan, PlanContext, PlannedSlot, StagePlan } from './plan.js'
 * @import { StageSearch } from './stage-search.js'
 */

/** Latency in ms that is assumed if it could not be measured. */
const USUAL_LATENCY_MS = 50;

/** Minimum size, in bytes, that can be halved. */
const MIN_HALVED_BYTES = 2;

/** Searches for the capacity of each stage. See CapacitySearch and RateSearch. @implements {Plan} */
export class SearchesPlan {
  #context;
  #search;
  #objects;
  #costs;

  /**
   * @param {PlanContext} context
   * @param {SearchConfig} search
   */
  constructor(context, search) {
    const { config, costs } = context;
    this.#context = context;
    this.#search = search;
    this.#objects = new SearchObjects(config.objects.count);
    this.#costs = costs;
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
    const problem = index === 0 ? this.#problem(stage) : null;
    if (problem !== null) {
      const idleness = { result: null, problem, isTransient: false, continues: false };
      return { starts: null, next: () => null, take() {}, conclude: () => idleness };
    }
    const parts = { search: this.#search, objects: this.#objects, costs: this.#costs };
    return new SearchOfStage(stage, index, parts, this.#context);
  }

  /** @param {Stage} first */
  #problem(first) {
    const { config, unloaded } = this.#context;
    return tooFewObjects(config, first, latenciesOfWhole(config, unloaded));
  }
}

/** @implements {StagePlan} */
class SearchOfStage {
  #stage;
  #index;
  #parts;
  #context;
  #given;
  #count;
  #maxAttempts;
  #search;
  /** @type {SearchStep | null} */
  #step = null;
  /** @type {FinishedStep[]} */
  #finished = [];
  /** Whether each key must first be read once to fill the cache. */
  #isCold;
  #isFilling = false;

  /**
   * @param {Stage} stage
   * @param {number} index
   * @param {{ search: SearchConfig, objects: SearchObjects, costs: CostBudget }} parts shared by the searches of all
   *   stages
   * @param {PlanContext} context
   */
  constructor(stage, index, parts, context) {
    const { objects, costs, search } = parts;
    const { config } = context;
    this.#stage = stage;
    this.#index = index;
    this.#parts = parts;
    this.#context = context;
    this.#given = objects.count;
    this.#count = objects.countFor(stage);
    this.#maxAttempts = costs.attemptsFor(this.#names.toRun);
    this.#search = openStageSearch(stage, this.#limits(), { config, search, ...this.#resultContext() });
    const { time } = this.#search;
    this.#isCold = readsCacheIn(stage, config) && this.#count > 0;
    const isFirst = index === 0 && search.peakOf === 'threads';
    this.notices = [
      ...(index === 0 ? [timeNotice(time, this.#names.toRun.length)] : []),
      ...(isFirst ? worstCases(config, latenciesOfWhole(config, context.unloaded), this.#maxAttempts) : []),
    ];
    this.starts = {
      stage: stage.name,
      objects: this.#given,
      threads: config.load.threads,
      buckets: config.store.buckets.length,
      bytesPerOperation: bytesPerOperation(stage, config),
      duration: time,
      search: search.peakOf,
    };
  }

  #limits() {
    const { config, unloaded } = this.#context;
    const { objects } = this.#parts;
    const stage = this.#stage;
    return {
      maxThreads: config.load.threads,
      unloadedLatency: unloaded.get(nameOf(stage))?.p50 ?? USUAL_LATENCY_MS,
      maxOperations: this.#count,
      maxAttempts: this.#maxAttempts,
      sharesOperations: stage.copies || stage.removes,
      halfSize: halfSizeProbeOf(stage, config, objects),
    };
  }

  #resultContext() {
    const { clock, unloaded, storeClock } = this.#context;
    const latency = unloaded.get(nameOf(this.#stage)) ?? null;
    return { clock, objects: this.#given, unloaded: latency, storeClock: storeClock() };
  }

  /** Names in lower case: `toRun` lists this stage and all later ones, `before` all earlier ones. */
  get #names() {
    const all = stagesOf(this.#context.config.load).map(nameOf);
    return { toRun: all.slice(this.#index), before: all.slice(0, this.#index) };
  }

  /** @returns {PlannedSlot | null} */
  next() {
    const { config, clock } = this.#context;
    this.#isFilling = this.#isCold;
    if (this.#isCold) {
      this.#isCold = false;
      return this.#fillingSlot();
    }
    const step = this.#search.next();
    if (step === null) {
      return null;
    }
    const isHalfSize = isOfHalfSize(step);
    const { size, sizes } = config.objects;
    this.#step = new SearchStep(step, {
      stage: this.#stage,
      size: isHalfSize ? Math.floor(size / 2) : size,
      sizes,
      access: config.load.access,
      range: this.#parts.objects.rangeFor(this.#stage, isHalfSize, step.operations),
      pacing: this.#search.pacing(step),
      clock,
    });
    return { slot: this.#step.slot, ending: this.#step };
  }

  /** @returns {PlannedSlot} that reads each key once */
  #fillingSlot() {
    const { config } = this.#context;
    const { size, sizes } = config.objects;
    const { threads } = config.load;
    const range = this.#parts.objects.rangeFor(this.#stage, false, this.#count);
    return {
      notice: `${this.#stage.name}: reading each of ${range.count} keys once, so that the search measures the cache of ${urlOf(config)}, not the store`,
      slot: {
        stage: this.#stage,
        load: { threads, size, sizes, pacing: null, warmup: 0, windows: null },
        range: { ...range, cycles: false },
        limit: null,
      },
    };
  }

  /**
   * @param {FinishedSlot | null} ran null if the run stopped before this slot
   * @param {Pick<RunObserver, 'stepEnds'>} observer
   */
  take(ran, observer) {
    if (ran === null || this.#step === null || this.#isFilling) {
      return;
    }
    const finished = this.#step.finish(ran);
    const { outcome, claimed, step } = finished;
    this.#parts.objects.use(this.#stage, isOfHalfSize(step), claimed);
    this.#finished.push(finished);
    observer.stepEnds(this.#stage.name, this.#search.stepResult(finished));
    if (outcome.end === 'complete') {
      this.#search.take(finished);
    }
  }

  /** @returns {Conclusion} */
  conclude() {
    const { config, has } = this.#context;
    const stage = this.#stage;
    const finished = this.#finished;
    this.#parts.objects.stageEnds(stage, has);
    if (finished.length === 0) {
      const problem = `${stage.name}: ${whyNotBegun(stage, this.#count, this.#maxAttempts)}`;
      // If earlier stages have a result, the command was valid, so the same command may succeed another time.
      return { result: null, problem, isTransient: this.#index > 0, continues: false };
    }
    const result = this.#search.result(finished, {
      stage,
      dollarsNeeded: dollarsNeeded(this.#search.conclusion(), finished, this.#parts.costs, this.#names),
      maxThreads: config.load.threads,
      availableCores: config.load.availableCores,
      ...this.#resultContext(),
    });
    return { result: readsCacheIn(stage, config) ? ofCache(result, urlOf(config)) : result };
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

/** @param {Step} step */
function isOfHalfSize({ phase }) {
  return phase === 'half size';
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
      ? [`$${maxCost} pays for ${Math.floor(attempts)} writes,`, 'raise --max-cost']
      : [`${objects} objects are`, `pass ${SECONDS_OF_OPERATIONS} <objects> per write/s`];
  return [`--find-peak: ${given} enough for a capacity of about ${capacity} writes/s; if you expect more, ${more}`];
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
 * @param {ReturnType<StageSearch['conclusion']>} conclusion
 * @param {readonly FinishedStep[]} finished
 * @param {CostBudget} costs
 * @param {{ toRun: readonly string[], before: readonly string[] }} names of stages; this one comes first in `toRun`
 */
function dollarsNeeded({ limitingResource, needed }, finished, costs, { toRun, before }) {
  if (limitingResource !== 'dollars' || needed === null) {
    return null;
  }
  const made = finished.reduce((sum, { outcome }) => sum + outcome.meter.counts().attempts, 0);
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
