import { classify } from '../bottleneck/classify.js';
import { busiestThread, isHostBusy } from '../bottleneck/host-evidence.js';
import { sumsByName } from '../model/counters.js';
import { sumOfKinds } from '../model/records.js';
import { CapacitySearch, STAGE_MS } from '../search/capacity-search.js';
import { WINDOW_MS, decisiveRate } from '../search/step-rate.js';
import { meanOf } from '../statistics/moments.js';

/**
 * @import { Evidence, Search, HalfSize } from '../bottleneck/classify.js'
 * @import { Clock } from '../clock/clock.js'
 * @import { SearchStep, StageResult } from '../model/result.js'
 * @import { SearchOptions } from '../search/capacity-search.js'
 * @import { FinishedStep, StepResult } from '../search/search-step.js'
 * @import { SearchConclusion, SearchPhase } from '../model/search.js'
 * @import { SearchParts, Variable } from './search-steps.js'
 */

/**
 * The search over threads, for the capacity.
 *
 * @param {SearchOptions} limits
 * @param {SearchParts} parts
 * @returns {Variable}
 */
export function overThreads(limits, parts) {
  const search = new CapacitySearch(limits);
  return {
    time: STAGE_MS,
    next: (done) => search.next(done && stepOutcome(done)),
    pacing: () => null,
    shown: (finished) => stepResult(finished, parts.context.clock),
    conclusion: () => search.conclusion(),
    result: (finished, shown, dollarsNeeded) =>
      capacityResult(finished, shown, { ...parts, dollarsNeeded, ...limits, conclusion: search.conclusion() }),
  };
}

/**
 * @param {FinishedStep} finished
 * @returns {StepResult}
 */
export function stepOutcome({ outcome, elapsed, begun, windows }) {
  const { attempts, throttled, latency } = outcome.whole;
  return { elapsed, consumed: begun, attempts, throttled, windows, latency: latency.operations };
}

/**
 * Failures count for the whole stage, whichever step they occurred in: they determine the exit status and the clean-up.
 * All other figures come from the step that represents the stage.
 */
const REPORTED_OF_ALL_STEPS = /** @type {const} */ ([
  'failed',
  'failedAttempts',
  'integrityErrors',
  'vanished',
  'changed',
  'archived',
  'skipped',
  'abandoned',
  'unknownOutcomes',
]);

/**
 * @param {FinishedStep} finished
 * @param {Clock} clock
 * @returns {SearchStep}
 */
export function stepResult({ step, load, outcome, windows }, clock) {
  const { operations, failed, failedAttempts, integrityErrors, throttled, latency: ofWhole } = outcome.whole;
  const latency = ofWhole.operations;
  const startedAt = clock.toEpoch(outcome.startedAt);
  const endedAt = clock.toEpoch(outcome.endedAt);
  const paused = clock.pausedBetween(startedAt, endedAt);
  return {
    phase: step.phase,
    threads: step.threads,
    objectSize: load.size,
    startedAt,
    endedAt,
    operations,
    operationsPerSecond: decisiveRate(step.rate === undefined ? step.phase : 'hold', {
      windows,
      threads: step.threads,
      latency,
    }),
    seconds: (windows.length * WINDOW_MS) / 1000,
    p50: latency?.p50 ?? null,
    p99: latency?.p99 ?? null,
    errors: failedAttempts,
    throttled,
    failed: failed + integrityErrors,
    eventLoopUtilization: outcome.clientLoad.eventLoopUtilization,
    ...(paused === 0 ? {} : { paused }),
    ...(step.rate === undefined ? {} : { rate: step.rate }),
  };
}

/**
 * The result of a capacity search. Its rates and latencies come from the hold, or from the best step if there was no
 * hold.
 *
 * @param {readonly FinishedStep[]} finished at least one
 * @param {readonly SearchStep[]} steps
 * @param {SearchParts & { conclusion: SearchConclusion, maxThreads: number, dollarsNeeded: number | null }} parts
 * @returns {StageResult}
 */
function capacityResult(finished, steps, { stage, results, conclusion, maxThreads, dollarsNeeded }) {
  const shown = representative(steps, conclusion.capacity !== null);
  const { load } = finished[shown];
  const whole = results.of(finished[shown]);
  const { halfSize, holdAgrees, limitingResource, needed, ...found } = conclusion;
  const result = withAllSteps(whole, finished);
  const evidenceOfStep = (/** @type {FinishedStep} */ each) => results.evidence(each);
  const atPeak = stepsAtPeak(finished, Math.min(found.knee ?? load.threads, load.threads)).map(evidenceOfStep);
  const atHalfSize = finished.filter(({ step }) => step.phase === 'half size').map(evidenceOfStep);
  // At the knee, a client at its limit still has idle moments, and a throttling store might not have refused anything
  // yet. More threads reveal both.
  const { eventLoopUtilization, busyLoops, loops, cpuCores, host } = busiestClient(atPeak);
  /** @type {Search} */
  const search = {
    ...found,
    holdAgrees,
    limitingResource,
    maxThreads,
    movesBytes: stage.movesBytes,
    halfSize: halfSize && sizeRates(halfSize, finished),
    refusals: refusalsOf(atPeak.reduce((one, other) => (other.backoffShare > one.backoffShare ? other : one))),
    busyHost: busyHostOf([...atPeak, ...atHalfSize]),
  };
  const client = { eventLoopUtilization, busyLoops, loops, cpuCores, host };
  const bottleneck = classify({ ...results.evidence(finished[shown], whole), ...client, end: result.end, search });
  const average = steps[shown].operationsPerSecond;
  const peak = Math.max(whole.peak, average);
  const operationsNeeded = needed?.operations ?? null;
  return {
    ...result,
    average,
    peak,
    bottleneck,
    search: { steps: [...steps], ...found, operationsNeeded, dollarsNeeded },
  };
}

/**
 * @param {readonly SearchStep[]} steps
 * @param {boolean} wasHeld whether the hold lasted long enough
 * @returns {number} index of the step that represents the stage
 */
function representative(steps, wasHeld) {
  const hold = wasHeld ? steps.findIndex(({ phase }) => phase === 'hold') : -1;
  // Steps that compare object sizes do not represent the stage. They never come first, so index 0 is not one of them.
  const best = steps.reduce((index, { phase, operationsPerSecond }, each) => {
    const isOfSizes = phase === 'whole size' || phase === 'half size';
    return !isOfSizes && operationsPerSecond > steps[index].operationsPerSecond ? each : index;
  }, 0);
  return hold >= 0 ? hold : best;
}

/**
 * @param {readonly FinishedStep[]} finished
 * @param {number} threads at the capacity
 * @returns {FinishedStep[]} the steps with at least this many threads
 */
function stepsAtPeak(finished, threads) {
  return finished.filter(({ step }) => step.phase !== 'half size' && step.threads >= threads);
}

/** The first step in which the host was short of CPU; null if there is none. @param {readonly Evidence[]} steps */
function busyHostOf(steps) {
  const busy = steps.find(isHostBusy);
  return busy === undefined ? null : { host: busy.host, cpuCores: busy.cpuCores, loops: busy.loops };
}

/** The evidence of the step whose event loop had the least idle time. @param {readonly Evidence[]} steps */
function busiestClient(steps) {
  const demandOf = (/** @type {Evidence} */ evidence) => {
    const thread = busiestThread(evidence);
    return thread === null ? evidence.eventLoopUtilization : thread.running + thread.waiting;
  };
  return steps.reduce((one, other) => (demandOf(other) > demandOf(one) ? other : one));
}

/** @param {Evidence} evidence */
function refusalsOf({ threads, operations, attempts, throttled, backoffShare }) {
  return { threads, operations, attempts, throttled, backoffShare };
}

/**
 * @param {StageResult} shown figures of the step that represents the stage
 * @param {readonly FinishedStep[]} finished at least one
 * @returns {StageResult} with the counts of all steps
 */
export function withAllSteps(shown, finished) {
  const sum = sumOfKinds(finished.map(({ outcome }) => outcome.whole));
  return {
    ...shown,
    ...Object.fromEntries(REPORTED_OF_ALL_STEPS.map((name) => [name, sum[name]])),
    // From all steps, because most connections get their first response in the first step.
    connections: { ...shown.connections, colos: sumsByName(finished.map(({ outcome }) => outcome.connections.colos)) },
    end: finished[finished.length - 1].outcome.end,
  };
}

/**
 * @param {NonNullable<SearchConclusion['halfSize']>} rates
 * @param {readonly FinishedStep[]} finished
 * @returns {HalfSize}
 */
function sizeRates({ whole, half, held }, finished) {
  const rateOf = (/** @type {SearchPhase} */ phase, /** @type {readonly [number, number]} */ steps) => {
    const operationsPerSecond = meanOf(steps);
    return {
      size: finished.find(({ step }) => step.phase === phase)?.load.size ?? 0,
      operationsPerSecond,
      spread: Math.abs(steps[1] - steps[0]) / operationsPerSecond,
    };
  };
  return { whole: rateOf('whole size', whole), half: rateOf('half size', half), held };
}
