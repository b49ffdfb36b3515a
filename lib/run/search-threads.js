import { classify } from '../result/bottleneck/classify.js';
import { busiestThread, isHostBusy } from '../result/bottleneck/host-evidence.js';
import { CapacitySearch, STAGE_MS } from './search/capacity-search.js';
import { MIN_WINDOWS, WINDOW_MS, stepOutcome, stepResult, withAllSteps } from './search/search-step.js';

/**
 * @import { Evidence, HalfSize } from '../result/bottleneck/classify.js'
 * @import { Capacity, SearchStep, StageResult } from '../result/result.js'
 * @import { SearchOptions } from './search/capacity-search.js'
 * @import { FinishedStep } from './search/search-step.js'
 * @import { SearchConclusion } from '../result/search.js'
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
    result: (finished, shown) =>
      capacityResult(finished, shown, { ...parts, ...limits, conclusion: search.conclusion() }),
  };
}

/** A shorter step at one object size shows no rate. */
const MIN_SECONDS_OF_SIZE = (MIN_WINDOWS * WINDOW_MS) / 1000;

/**
 * The result of a capacity search. Its rates and latencies come from the hold, or from the best step if there was no
 * hold.
 *
 * @param {readonly FinishedStep[]} finished at least one
 * @param {readonly SearchStep[]} steps
 * @param {SearchParts & { conclusion: SearchConclusion, maxThreads: number }} parts
 * @returns {StageResult}
 */
function capacityResult(finished, steps, { stage, results, conclusion, maxThreads }) {
  const shown = representative(steps, conclusion.capacity !== null);
  const { load } = finished[shown];
  const whole = results.of(finished[shown]);
  const { holdAgrees, limitingResource, ...found } = conclusion;
  const result = withAllSteps(whole, finished);
  const threadsAtPeak = Math.min(found.knee ?? load.threads, load.threads);
  const isHalf = (/** @type {FinishedStep} */ { step }) => step.phase === 'half size';
  const evidence = finished.map((each) => results.evidence(each));
  const atPeak = evidence.filter(
    (_, index) => !isHalf(finished[index]) && finished[index].step.threads >= threadsAtPeak,
  );
  const atHalfSize = evidence.filter((_, index) => isHalf(finished[index]));
  // At the knee, a client at its limit still has idle moments, and a throttling store might not have refused anything
  // yet. More threads reveal both.
  const { eventLoopUtilization, busyLoops, loops, cpuCores, host } = mostOf(atPeak, clientDemand);
  const bottleneck = classify({
    ...results.evidence(finished[shown], whole),
    ...{ eventLoopUtilization, busyLoops, loops, cpuCores, host },
    end: result.end,
    search: {
      ...found,
      holdAgrees,
      limitingResource,
      maxThreads,
      movesBytes: stage.movesBytes,
      halfSize: sizeRates(steps, found.capacity),
      refusals: mostOf(atPeak, ({ backoffShare }) => backoffShare),
      busyHost: [...atPeak, ...atHalfSize].find(isHostBusy) ?? null,
    },
  });
  const average = steps[shown].operationsPerSecond;
  const peak = Math.max(whole.peak, average);
  return { ...result, average, peak, bottleneck, search: { steps: [...steps], ...found } };
}

/**
 * @param {readonly SearchStep[]} steps
 * @param {boolean} wasHeld whether the hold lasted long enough
 * @returns {number} index of the step that represents the stage
 */
function representative(steps, wasHeld) {
  const hold = wasHeld ? steps.findIndex(({ phase }) => phase === 'hold') : -1;
  // Steps that compare object sizes do not represent the stage. They never come first.
  const [best] = steps
    .filter(({ phase }) => phase !== 'whole size' && phase !== 'half size')
    .toSorted((one, other) => other.operationsPerSecond - one.operationsPerSecond);
  return hold >= 0 ? hold : steps.indexOf(best);
}

/**
 * @param {readonly Evidence[]} steps at least one
 * @param {(evidence: Evidence) => number} figure
 * @returns {Evidence} of the first step with the highest figure
 */
function mostOf(steps, figure) {
  return steps.reduce((one, other) => (figure(other) > figure(one) ? other : one));
}

/** How little time the busiest event loop had left. @param {Evidence} evidence */
function clientDemand(evidence) {
  const thread = busiestThread(evidence);
  return thread === null ? evidence.eventLoopUtilization : thread.running + thread.waiting;
}

/**
 * @param {readonly SearchStep[]} steps
 * @param {Capacity | null} capacity
 * @returns {HalfSize | null} null unless both sizes were measured twice, after a hold
 */
function sizeRates(steps, capacity) {
  const [whole, half] = ['whole size', 'half size'].map((of) => {
    const [one, other] = steps.filter(({ phase, seconds }) => phase === of && seconds >= MIN_SECONDS_OF_SIZE);
    if (other === undefined) {
      return null;
    }
    const [first, second] = [one.operationsPerSecond, other.operationsPerSecond];
    const operationsPerSecond = (first + second) / 2;
    return { size: one.objectSize, operationsPerSecond, spread: Math.abs(second - first) / operationsPerSecond };
  });
  return whole && half && capacity && { whole, half, held: capacity.operationsPerSecond };
}
