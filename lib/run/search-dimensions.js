import { isHostBusy } from '../bottleneck/host-evidence.js';
import { BucketObjects } from '../search/bucket-objects.js';
import { BucketSearch, searchTime } from '../search/bucket-search.js';
import { CapacitySearch } from '../search/capacity-search.js';
import { RATE_SEARCH_MS, RateSearch } from '../search/rate-search.js';
import { SearchObjects } from '../search/search-objects.js';
import { STAGE_MS } from '../search/search-plan.js';
import { decisiveRate } from '../search/step-rate.js';
import { writesObjects } from '../operations/registry.js';
import { bucketResult } from './bucket-result.js';
import { measurementOf, rateResult, rateStepResult } from './rate-result.js';
import { searchResult, stepResult } from './search-result.js';
import { evidenceOf, stageResult } from './stage-result.js';

/**
 * @import { Pacing } from '../engine/arrivals.js'
 * @import { Config, SearchConfig } from '../model/config.js'
 * @import { SearchStep, StageResult } from '../model/result.js'
 * @import { SearchConclusion } from '../model/search.js'
 * @import { Stage } from '../operations/stage.js'
 * @import { RateMeasurement } from '../search/rate-search.js'
 * @import { Step } from '../search/search-plan.js'
 * @import { FinishedStep } from '../search/search-step.js'
 * @import { ResultParts } from './search-result.js'
 */

/**
 * @typedef {object} SearchLimits
 * @property {number} maxThreads
 * @property {number} unloadedLatency ms
 * @property {number} maxOperations
 * @property {number} maxAttempts
 * @property {boolean} sharesOperations
 * @property {'never' | 'on a plateau' | 'always'} halfSize
 * @property {(buckets: number) => number} available how many operations the objects in this many buckets allow
 *
 * @typedef {Pick<SearchConclusion, 'needed' | 'limitingResource'>} Shortage
 *
 * @typedef {object} StageSearch
 * @property {() => Step | null} next
 * @property {(finished: FinishedStep) => void} take
 * @property {(finished: FinishedStep) => SearchStep} stepResult
 * @property {() => Shortage} conclusion
 * @property {(finished: readonly FinishedStep[], parts: ResultParts) => StageResult} result
 */

/**
 * @typedef {object} Dimension what a search varies, and how
 * @property {number} stageTime maximum ms for a stage's search
 * @property {() => SearchObjects | BucketObjects} objects
 * @property {(step: Step) => Pacing | null} pacing
 * @property {(stage: Stage, limits: SearchLimits, context: SearchContext) => StageSearch} search
 *
 * @typedef {Pick<ResultParts, 'clock' | 'objects' | 'unloaded' | 'storeClock'>} SearchContext
 */

/**
 * @param {Config} config
 * @param {SearchConfig} search
 * @returns {Dimension}
 */
export function dimensionOf(config, search) {
  switch (search.peakOf) {
    case 'buckets':
      return overBuckets(config, search);
    case 'rate':
      return overRates(config, search);
    default:
      return overThreads(config);
  }
}

/**
 * @param {Config} config
 * @returns {Dimension}
 */
function overThreads({ objects }) {
  return {
    stageTime: STAGE_MS,
    objects: () => new SearchObjects(objects.count),
    pacing: () => null,
    search(_stage, limits, { clock }) {
      const search = new CapacitySearch(limits);
      return {
        next: () => search.next(),
        take: (finished) => search.take(stepOutcome(finished)),
        stepResult: (finished) => stepResult(finished, clock),
        conclusion: () => search.conclusion(),
        result: (finished, parts) => searchResult({ ...parts, finished, conclusion: search.conclusion() }),
      };
    },
  };
}

/**
 * @param {Config} config
 * @param {SearchConfig} search
 * @returns {Dimension}
 */
function overBuckets({ store, objects, load: { stages, availableCores } }, { target }) {
  const buckets = store.buckets.length;
  return {
    stageTime: searchTime(buckets),
    objects: () => new BucketObjects({ objects: objects.count, buckets, exist: !writesObjects(stages) }),
    pacing: () => null,
    search(stage, limits, context) {
      const search = new BucketSearch({ buckets, ...limits });
      return {
        next: () => search.next(),
        take(finished) {
          const isClientBusy =
            finished.step.buckets !== undefined && isClientFull(stage, finished, { ...context, availableCores });
          search.take({ ...stepOutcome(finished), isClientBusy });
        },
        stepResult: (finished) => stepResult(finished, context.clock),
        conclusion: () => search.conclusion(),
        result: (finished, parts) =>
          bucketResult({ ...parts, finished, conclusion: search.conclusion(), buckets, target: target ?? null }),
      };
    },
  };
}

/**
 * @param {Config} config
 * @param {SearchConfig} search
 * @returns {Dimension}
 */
function overRates({ objects, load: { arrival, availableCores } }, { slo = 0 }) {
  return {
    stageTime: RATE_SEARCH_MS,
    objects: () => new SearchObjects(objects.count),
    // Each rate has its own arrival times: otherwise the same queues would form in every step.
    pacing: ({ rate }) =>
      rate === undefined ? null : { rate, arrival, seed: `arrivals of ${objects.runId} at ${rate}` },
    search(stage, limits, context) {
      const { clock } = context;
      const search = new RateSearch({ ...limits, isRandom: arrival === 'poisson' });
      /** @type {Map<FinishedStep, RateMeasurement>} */
      const measurements = new Map();
      // Cached, because a measurement is read several times, and computing it decodes all histograms of its step.
      const measured = (/** @type {FinishedStep} */ finished) => {
        const isClientBusy = () => isClientFull(stage, finished, { ...context, availableCores });
        const measurement =
          measurements.get(finished) ?? measurementOf(finished, { slo, clock, isClientBusy: isClientBusy() });
        measurements.set(finished, measurement);
        return measurement;
      };
      const resultOf = (/** @type {FinishedStep} */ finished) => rateStepResult(finished, measured(finished), clock);
      return {
        next: () => search.next(),
        take(finished) {
          const { threads } = finished.step;
          const step = stepOutcome(finished);
          const closedRate = decisiveRate('ramp', { ...step, threads });
          search.take({ ...step, closedRate, measurement: measured(finished) });
        },
        stepResult: resultOf,
        conclusion: () => search.conclusion(),
        result: (finished, parts) =>
          rateResult({
            ...parts,
            finished,
            steps: finished.map(resultOf),
            conclusion: search.conclusion(),
            slo,
          }),
      };
    },
  };
}

/** @param {FinishedStep} finished */
function stepOutcome({ outcome, elapsed, begun, windows }) {
  const { attempts } = outcome.meter.counts();
  const latency = outcome.meter.latencies().operations.summary();
  return { elapsed, consumed: begun, attempts, windows, latency };
}

/**
 * @param {Stage} stage
 * @param {FinishedStep} finished
 * @param {SearchContext & Pick<ResultParts, 'availableCores'>} context
 * @returns {boolean} whether this host or its network link was at its limit
 */
function isClientFull(stage, { outcome, load, stopsAt }, context) {
  const result = stageResult({ ...context, stage, outcome, load, stopsAt });
  const { cause } = result.bottleneck;
  const isHostFull = isHostBusy(evidenceOf(result, load, stage.movesBytes, context.availableCores));
  return cause === 'client CPU' || cause === 'host CPU' || cause === 'network link' || isHostFull;
}
