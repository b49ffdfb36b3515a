import { stagesOf } from '../load/operations/registry.js';
import { formatPublicUrl } from '../options/values.js';
import { adviceFor } from '../result/bottleneck/phrases.js';
import { CLIENTS } from '../store/object-store.js';
import { counted, rounded } from '../text/figures.js';
import { formatDuration } from '../text/units.js';
import { overRates } from './search-rates.js';
import { overThreads } from './search-threads.js';
import { SECONDS_OF_OPERATIONS } from './search/capacity-search.js';
import { planStep, withAllSteps } from './search/search-step.js';
import { startOf } from './stages-plan.js';

/**
 * @import { Pacing } from '../load/loops.js'
 * @import { Stage } from '../load/operations/stage.js'
 * @import { FinishedSlot, Range } from '../load/run-slot.js'
 * @import { Config, PublicUrl, SearchConfig } from '../result/config.js'
 * @import { SearchDimension, SearchStep, StageResult } from '../result/result.js'
 * @import { RateConclusion } from '../result/search.js'
 * @import { StagePlan } from './plan.js'
 * @import { SearchOptions } from './search/capacity-search.js'
 * @import { FinishedStep, PlannedStep, Step } from './search/search-step.js'
 * @import { SearchObjects, StepsContext } from './steps-plan.js'
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
 * @property {() => Pick<RateConclusion, 'limitingResource'>} conclusion
 * @property {(finished: readonly FinishedStep[], shown: readonly SearchStep[]) => StageResult} result
 */

/** @type {Record<SearchDimension, (limits: SearchOptions, parts: SearchParts) => Variable>} */
const VARIABLES = { threads: overThreads, rate: overRates };

/**
 * Adaptive steps: a search over one variable.
 *
 * @param {StepsContext} parts of a run with a search
 * @returns {StagePlan}
 */
export function searchSteps(parts) {
  const { stage, index, objects, context } = parts;
  const { config, clock, costs, unloaded } = context;
  const { access, threads } = config.load;
  const { peakOf } = /** @type {SearchConfig} */ (config.search);
  const count = objects.countFor(stage);
  // The cost of a replay was known before the run.
  const toRun = stagesOf(config.load).map(nameOf).slice(index);
  /** Whether each key must first be read once to fill the cache. */
  let isCold = readsCacheIn(stage, config) && count > 0;
  const coldRange = { ...objects.rangeFor(stage, false, count), cycles: false };
  const limits = {
    maxThreads: threads,
    unloadedLatency: unloaded.get(nameOf(stage))?.p50 ?? USUAL_LATENCY_MS,
    maxOperations: count,
    maxAttempts: stage.rewrites ? Infinity : costs.attemptsFor(toRun) - (isCold ? coldRange.count : 0),
    sharesOperations: stage.copies || stage.removes,
    halfSize: canHalve(stage, config.objects.size, objects),
  };
  const search = VARIABLES[peakOf](limits, parts);
  /** The slot in which each key was read once. @type {FinishedSlot | null} */
  let cold = null;
  /** @type {PlannedStep | null} */
  let planned = null;
  /** @type {FinishedStep[]} */
  const finished = [];
  /** @type {SearchStep[]} */
  const shown = [];
  return {
    notices: [
      ...(index === 0 ? noticesOf(stage, peakOf, search.time, count) : []),
      ...(isCold ? [noticeOfCache(stage, config)] : []),
    ],
    starts: { ...startOf(stage, objects.count, threads, config), duration: search.time, search: peakOf },
    next() {
      const { size, sizes } = config.objects;
      planned = null;
      if (isCold) {
        isCold = false;
        const load = { threads, size, sizes, pacing: null, warmup: 0, windows: null };
        return { slot: { stage, load, range: coldRange, limit: null } };
      }
      const step = search.next(finished.at(-1) ?? null);
      if (step === null) {
        return null;
      }
      const isHalfSize = step.phase === 'half size';
      const range = objects.rangeFor(stage, isHalfSize, step.operations);
      const pacing = search.pacing(step, range);
      const half = isHalfSize ? Math.floor(size / 2) : size;
      planned = planStep(step, { stage, range, size: half, sizes, access, pacing }, clock);
      return planned;
    },
    take(ran) {
      if (planned === null) {
        cold = ran;
      }
      if (ran === null || planned === null) {
        return null;
      }
      const step = planned.finish(ran);
      finished.push(step);
      shown.push(search.shown(step));
      objects.use(stage, step.step.phase === 'half size', step.claimed);
      return shown[shown.length - 1];
    },
    conclude() {
      objects.stageEnds(stage);
      if (finished.length > 0) {
        const result = search.result(finished, shown);
        return { result: cold === null ? result : withAllSteps(result, [cold, ...finished]) };
      }
      const advice = adviceFor(search.conclusion().limitingResource);
      const problem = `${stage.name}: there are too few operations for a search; try ${advice}`;
      // If earlier stages have a result, the command was valid, so the same command may succeed another time.
      return { result: null, problem, isTransient: index > 0, continues: false };
    },
  };
}

/**
 * @param {Stage} stage
 * @param {Config} config
 * @returns {boolean} whether a cache can serve operations of the stage
 */
function readsCacheIn({ kinds }, { load: { client } }) {
  return CLIENTS[client].readsCache && kinds.some(({ operation }) => operation.followsAccess);
}

/**
 * @param {Stage} stage
 * @param {Config} config
 */
function noticeOfCache({ name }, { store: { publicUrl } }) {
  const url = formatPublicUrl(/** @type {PublicUrl} */ (publicUrl));
  return `${name}: reading each key once, so that the search measures the cache of ${url}, not the store`;
}

/**
 * @param {Stage} stage the first of the run
 * @param {SearchDimension} peakOf
 * @param {number} duration maximum ms of a stage
 * @param {number} objects
 */
function noticesOf({ creates }, peakOf, duration, objects) {
  const rate = Math.floor(objects / SECONDS_OF_OPERATIONS);
  return [
    `--find-peak takes up to ${formatDuration(duration)} per stage`,
    ...(creates && peakOf === 'threads'
      ? [
          `--find-peak: ${counted(objects, 'object')} are enough for about ${rounded(rate)} writes/s; if you expect up to ${rounded(2 * rate)}, pass ${2 * objects} <objects>`,
        ]
      : []),
  ];
}

/** @param {Stage} stage */
function nameOf({ name }) {
  return name.toLowerCase();
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
