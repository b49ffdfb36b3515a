import { meanRateOf } from '../load/workload/trace.js';
import { classify } from '../result/bottleneck/classify.js';
import { isClientAtLimit } from '../result/bottleneck/signs.js';
import { Histogram } from '../result/histogram.js';
import { counted, decimal, rounded } from '../text/figures.js';
import { ERROR_SHARE, RATE_SEARCH_MS, RateSearch, verdictOf } from './search/rate-search.js';
import { WINDOW_MS, decisiveRate, stepOutcome, stepResult, withAllSteps } from './search/search-step.js';
import { recordedPacing } from './stages-plan.js';

/**
 * @import { Clock } from '../measure/clock/clock.js'
 * @import { RateSearch as RateEvidence } from '../result/bottleneck/classify.js'
 * @import { ReplayConfig } from '../result/config.js'
 * @import { RateSearchResult, SearchStep, StageResult } from '../result/result.js'
 * @import { RateConclusion } from '../result/search.js'
 * @import { SearchParts, Variable } from './search-steps.js'
 * @import { SearchOptions } from './search/capacity-search.js'
 * @import { RateMeasurement } from './search/rate-search.js'
 * @import { FinishedStep } from './search/search-step.js'
 */

/**
 * The search over rates, for the highest one within a latency limit.
 *
 * @param {SearchOptions} limits
 * @param {SearchParts} parts
 * @returns {Variable}
 */
export function overRates(limits, parts) {
  const { context, results } = parts;
  const { load, objects } = context.config;
  const { replay } = load;
  const slo = context.config.search?.slo ?? 0;
  const search = new RateSearch({ ...limits, isRandom: load.arrival === 'poisson' });
  const measured = (/** @type {FinishedStep} */ finished) => {
    const isClientBusy = isClientAtLimit(results.evidence(finished));
    return measurementOf(finished, { slo, clock: context.clock, isClientBusy });
  };
  return {
    time: RATE_SEARCH_MS,
    next(done) {
      const result = done && stepOutcome(done);
      return search.next(
        result && {
          ...result,
          closedRate: decisiveRate('ramp', { ...result, threads: done.step.threads }),
          measurement: measured(done),
        },
      );
    },
    pacing({ rate }, { first }) {
      if (rate === undefined) {
        return null;
      }
      // Each rate has its own arrival times: otherwise the same queues would form in every step.
      return replay === undefined
        ? { rate, arrival: load.arrival, seed: `arrivals of ${objects.runId} at ${rate}` }
        : recordedPacing({ ...replay, speed: rate / meanRateOf(replay.trace) }, first);
    },
    shown(finished) {
      const { rate } = finished.step;
      return { ...stepResult(finished, context.clock), ...(rate && { verdict: verdictOf(rate, measured(finished)) }) };
    },
    conclusion: () => search.conclusion(),
    result: (finished, steps) =>
      rateResult(finished, steps, { ...parts, slo, replay, ...limits, conclusion: search.conclusion() }),
  };
}

/**
 * @param {FinishedStep} finished
 * @param {{ slo: number, isClientBusy: boolean, clock: Clock }} options `slo` in ms
 * @returns {RateMeasurement}
 */
function measurementOf({ step, outcome, windows }, { slo, isClientBusy, clock }) {
  const { whole } = outcome;
  const { operations, attempts, histogram: encoded } = whole.latency;
  const { loops, endpoint } = outcome.hostLoad;
  const ofEndpoint = Number(endpoint?.waiting);
  const isEndpointUnsteady = ofEndpoint >= WITHOUT_CPU;
  const lateIn = (/** @type {string | null | undefined} */ text) => Histogram.decode(String(text)).countAbove(slo);
  const from = clock.toEpoch(outcome.startedAt + step.settle);
  const until = clock.toEpoch(outcome.startedAt + step.settle + windows.length * WINDOW_MS);
  const seconds = [...outcome.secondLatencies]
    .filter(([second]) => 1000 * second >= from && 1000 * (second + 1) <= until)
    .flatMap(([, { histogram }]) => (histogram === null ? [] : [Histogram.decode(histogram)]))
    .map((latencies) => ({ operations: latencies.count, late: latencies.countAbove(slo) }));
  return {
    completed: operations?.count ?? 0,
    late: lateIn(encoded.operations),
    seconds,
    attempts: attempts?.count ?? 0,
    lateAttempts: lateIn(encoded.attempts),
    failedAttempts: whole.failedAttempts,
    allAttempts: whole.attempts,
    p99: operations?.p99 ?? 0,
    maximum: operations?.maximum ?? 0,
    duration: windows.length * WINDOW_MS,
    isClientBusy: isClientBusy || (isEndpointUnsteady && Number(endpoint?.running) + ofEndpoint >= NO_TIME_LEFT),
    isHostUnsteady:
      isEndpointUnsteady ||
      loops.some(({ waiting, delayP99 }) => Number(waiting) >= WITHOUT_CPU || Number(delayP99) >= LATE_TIMERS * slo),
  };
}

/** A thread that waits for a CPU for at least this share of the time may have caused the slowest 1% of operations. */
const WITHOUT_CPU = 0.05;

/** A thread that runs or waits for a CPU for at least this share of the time cannot catch up. */
const NO_TIME_LEFT = 0.9;

/** If one timer in 100 is late by at least this share of the SLO, the host may have delayed 1% of operations. */
const LATE_TIMERS = 0.2;

/**
 * The result of a search for the highest rate. Its figures come from the last hold that met the SLO, otherwise from the
 * highest rate that did, otherwise from the last step.
 *
 * @param {readonly FinishedStep[]} finished
 * @param {readonly SearchStep[]} steps
 * @param {SearchParts & { conclusion: RateConclusion, slo: number, replay?: ReplayConfig, maxThreads: number }} parts
 * @returns {StageResult}
 */
function rateResult(finished, steps, { results, conclusion, slo, replay, maxThreads }) {
  const shown = finished[representative(steps)];
  const whole = results.of(shown);
  const { bound, rate, operationsNeeded } = conclusion;
  const rateSearch = { ...conclusion, slo, missedBy: reasonOf(steps.filter(({ verdict }) => verdict === 'missed')) };
  return {
    ...withAllSteps(whole, finished),
    bottleneck: classify({ ...results.evidence(shown, whole), rateSearch }),
    search: {
      steps: [...steps],
      knee: null,
      hasPlateau: bound === 'exact',
      capacity: null,
      best: rate ?? 0,
      operationsNeeded,
      rate: rateFinding(conclusion, { slo, errorShare: ERROR_SHARE, threads: maxThreads, replay }),
    },
  };
}

/**
 * @param {RateConclusion} conclusion
 * @param {{ slo: number, errorShare: number, threads: number, replay?: ReplayConfig }} limits `slo` in ms; `errorShare` 0 to 1
 * @returns {RateSearchResult}
 */
function rateFinding(conclusion, { slo, errorShare, threads, replay }) {
  const { bound, rate, interval: found, held, isClientLimited, operationsNeeded } = conclusion;
  const parts = [
    ...(replay && rate !== null ? [`${decimal(rate / meanRateOf(replay.trace), 2)} times your traffic`] : []),
    ...(held === null
      ? ['no rate was held']
      : [`held at ${decimal(held.rate)}/s with a p99 of ${held.p99.toFixed(2)}ms`]),
    ...(isClientLimited
      ? [`at higher rates, this host (${counted(threads, 'thread')}) started operations too late or was too busy`]
      : []),
    ...(operationsNeeded === null
      ? []
      : [`try again with ${rounded(operationsNeeded)} ${replay ? 'recorded requests' : '<objects>'} or more`]),
  ];
  return { slo, errorShare, bound, operationsPerSecond: rate, interval: found, evidence: parts.join('; ') };
}

/**
 * @param {readonly SearchStep[]} missed
 * @returns {RateEvidence['missedBy']}
 */
function reasonOf(missed) {
  const failing = missed.find(({ errors, operations }) => errors > ERROR_SHARE * (operations + errors));
  if (failing === undefined) {
    return missed.length === 0 ? null : 'latency';
  }
  return 2 * failing.throttled > failing.errors ? 'refusals' : 'errors';
}

/** Index of the step that represents the stage. @param {readonly SearchStep[]} steps at least one */
function representative(steps) {
  const kept = steps.filter(({ verdict }) => verdict === 'kept');
  const [highest] = kept.toSorted((one, other) => Number(other.rate) - Number(one.rate));
  const shown = kept.findLast(({ phase }) => phase === 'hold') ?? highest ?? steps[steps.length - 1];
  return steps.indexOf(shown);
}
