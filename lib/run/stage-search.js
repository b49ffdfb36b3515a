import { isClientAtLimit } from '../bottleneck/signs.js';
import { CapacitySearch, STAGE_MS } from '../search/capacity-search.js';
import { RATE_SEARCH_MS, RateSearch } from '../search/rate-search.js';
import { decisiveRate } from '../search/step-rate.js';
import { measurementOf, rateResult, rateStepResult } from './rate-result.js';
import { searchResult, stepResult } from './search-result.js';
import { evidenceOf, stageResult } from './stage-result.js';

/**
 * @import { Pacing } from '../engine/arrivals.js'
 * @import { Config, SearchConfig } from '../model/config.js'
 * @import { SearchStep, StageResult } from '../model/result.js'
 * @import { SearchConclusion } from '../model/search.js'
 * @import { Stage } from '../operations/stage.js'
 * @import { SearchOptions } from '../search/capacity-search.js'
 * @import { RateMeasurement, RateStepResult } from '../search/rate-search.js'
 * @import { FinishedStep, Step, StepResult } from '../search/search-step.js'
 * @import { ResultParts } from './search-result.js'
 */

/**
 * @typedef {object} StageSearch the search of one stage, over threads or rates
 * @property {number} time maximum ms
 * @property {() => Step | null} next
 * @property {(step: Step) => Pacing | null} pacing
 * @property {(finished: FinishedStep) => void} take
 * @property {(finished: FinishedStep) => SearchStep} stepResult
 * @property {() => Pick<SearchConclusion, 'needed' | 'limitingResource'>} conclusion
 * @property {(finished: readonly FinishedStep[], parts: ResultParts) => StageResult} result
 *
 * @typedef {Pick<ResultParts, 'clock' | 'objects' | 'unloaded' | 'storeClock'>} SearchContext
 */

/**
 * @param {Stage} stage
 * @param {SearchOptions} limits
 * @param {{ config: Config, search: SearchConfig } & SearchContext} context
 * @returns {StageSearch}
 */
export function openStageSearch(stage, limits, { config, search, ...context }) {
  return search.peakOf === 'rate'
    ? searchOfRates(stage, limits, { config, slo: search.slo ?? 0, ...context })
    : searchOfThreads(limits, context);
}

/**
 * @param {SearchOptions} limits
 * @param {SearchContext} context
 * @returns {StageSearch}
 */
function searchOfThreads(limits, { clock }) {
  const search = new CapacitySearch(limits);
  /** @type {StepResult | null} */
  let done = null;
  return {
    time: STAGE_MS,
    next: () => search.next(done),
    pacing: () => null,
    take: (finished) => (done = stepOutcome(finished)),
    stepResult: (finished) => stepResult(finished, clock),
    conclusion: () => search.conclusion(),
    result: (finished, parts) => searchResult({ ...parts, finished, conclusion: search.conclusion() }),
  };
}

/**
 * @param {Stage} stage
 * @param {SearchOptions} limits
 * @param {{ config: Config, slo: number } & SearchContext} context
 * @returns {StageSearch}
 */
function searchOfRates(stage, limits, { config, slo, ...context }) {
  const { clock } = context;
  const { arrival, availableCores } = config.load;
  const search = new RateSearch({ ...limits, isRandom: arrival === 'poisson' });
  /** @type {RateStepResult | null} */
  let done = null;
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
    time: RATE_SEARCH_MS,
    next: () => search.next(done),
    // Each rate has its own arrival times: otherwise the same queues would form in every step.
    pacing: ({ rate }) =>
      rate === undefined ? null : { rate, arrival, seed: `arrivals of ${config.objects.runId} at ${rate}` },
    take(finished) {
      const { threads } = finished.step;
      const step = stepOutcome(finished);
      const closedRate = decisiveRate('ramp', { ...step, threads });
      done = { ...step, closedRate, measurement: measured(finished) };
    },
    stepResult: resultOf,
    conclusion: () => search.conclusion(),
    result: (finished, parts) =>
      rateResult({ ...parts, finished, steps: finished.map(resultOf), conclusion: search.conclusion(), slo }),
  };
}

/** @param {FinishedStep} finished */
function stepOutcome({ outcome, elapsed, begun, windows }) {
  const { attempts, throttled } = outcome.meter.counts();
  const latency = outcome.meter.latencies().operations.summary();
  return { elapsed, consumed: begun, attempts, throttled, windows, latency };
}

/**
 * @param {Stage} stage
 * @param {FinishedStep} finished
 * @param {SearchContext & Pick<ResultParts, 'availableCores'>} context
 * @returns {boolean} whether this host or its network link was at its limit
 */
function isClientFull(stage, { outcome, load, stopsAt }, context) {
  const result = stageResult({ ...context, stage, outcome, load, stopsAt });
  return isClientAtLimit(evidenceOf(result, load, stage.movesBytes, context.availableCores));
}
