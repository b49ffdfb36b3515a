import { isFull, judgeClient } from './verdict-client.js';
import { judgePlateau } from './verdict-plateau.js';
import { LOST_TIME, isRefused, throttlingCosts } from './verdict-throttling.js';
import { describe } from './verdict-words.js';

/**
 * @import { Lack } from './lack.js'
 * @import { Doubt, ShownCause } from './verdict-words.js'
 * @import { Bottleneck, StageEnd } from '../model/result.js'
 */

/**
 * The figures of a stage; for a search of the peak, those of its hold.
 *
 * @typedef {object} Evidence
 * @property {number} eventLoopUtilization share of the time in which the busiest event loop was busy, 0 to 1
 * @property {number} busyLoops event loops that were busy on average: the sum of their shares
 * @property {number} loops event loops
 * @property {number} cpuCores CPU time of the process ÷ time
 * @property {number} availableCores that the process may use
 * @property {number} operations that succeeded
 * @property {number} measured those of them in neither warm-up nor drain
 * @property {number} failed operations that did not
 * @property {number} attempts
 * @property {number} throttled attempts by whose answer the store asked for fewer requests
 * @property {number} backoffShare share of the threads' time that failed attempts and the pauses behind them took, 0 to 1
 * @property {number | null} p50 ms of the operations; null where there are none
 * @property {number | null} mean likewise
 * @property {number | null} unloadedP50 ms of the same operation at one thread; null where it was not measured
 * @property {number | null} unloadedSize bytes of the objects that it was measured with, where they were smaller than the
 *   stage's and an operation moves them; a whole object takes one thread as long as that, or longer
 * @property {number} threads
 * @property {boolean} isOpenLoop
 * @property {StageEnd} end
 * @property {number | null} startDelayP50 ms by which half of the operations of an open loop started late, or later; null
 *   in a closed one
 * @property {Search | null} search where the peak was searched for
 */

/**
 * @typedef {object} Search
 * @property {boolean} hasPlateau whether more threads brought no more
 * @property {boolean} holdAgrees whether the hold did what the steps had shown
 * @property {number} best operations a second of the best step
 * @property {number | null} held operations a second of the hold; null where there was none
 * @property {number | null} knee threads from which on they do not
 * @property {number} mostThreads that it may use
 * @property {Lack | null} lack what was too little to tell more, if anything
 * @property {boolean} movesBytes whether the stage's operations carry objects: bandwidth can only limit those
 * @property {SecondSize | null} secondSize the plateau at two sizes of the objects; null where it was not tried
 * @property {Refusals} refusals of the step that lost the most time to them, among those at the peak
 *
 * @typedef {Pick<Evidence, 'threads' | 'operations' | 'attempts' | 'throttled' | 'backoffShare'>} Refusals
 *
 * @typedef {{ whole: SizeRate, half: SizeRate, held: number | null }} SecondSize the first two with the same threads, one
 *   after the other; operations a second of the hold between them, of whole objects
 * @typedef {{ size: number, operationsPerSecond: number }} SizeRate size in bytes
 */

/** Medians of fewer operations are chance. */
const FEWEST_OPERATIONS = 100;

/** Where so many operations fail, the rate of the others tells nothing of the store. */
const FAILED_OPERATIONS = 0.1;

/** A mean that is so many times the median shows a store that stood still, or became slower. */
const LONG_TAIL = 2;

/** Where half of the operations of an open loop start later than this, its threads are not enough for the rate. ms */
const LATE_START_MS = 50;

/**
 * Within so much of the unloaded median latency, operations are as fast as if they were alone. Where they are faster than
 * that, the one thread was slow for a reason of its own, and tells nothing.
 */
const UNLOADED_RANGE = 1.2;

/**
 * @param {Evidence} evidence
 * @returns {Bottleneck}
 */
export function limitOf(evidence) {
  const finding = judge(evidence);
  const { refusals } = evidence.search ?? {};
  if (finding !== 'store' || refusals === undefined) {
    return describe(finding, evidence);
  }
  // With as many threads as it just serves, a store has nothing to refuse: with more of them it does.
  if (throttlingCosts(refusals)) {
    return describe('store throttling', { ...evidence, ...refusals });
  }
  const { p50, unloadedP50 } = evidence;
  // Operations that wait for a store that does no more take longer than one alone.
  const isQuick = p50 !== null && unloadedP50 !== null && p50 <= UNLOADED_RANGE * unloadedP50;
  return describe(isQuick ? 'quick on a plateau' : 'store', evidence);
}

/**
 * @param {Evidence} evidence
 * @returns {ShownCause | Doubt}
 */
function judge(evidence) {
  const { operations, failed, p50, search, isOpenLoop } = evidence;
  const areManyFailed = failed > 0 && failed >= FAILED_OPERATIONS * (operations + failed);
  if (operations + failed < FEWEST_OPERATIONS) {
    return areManyFailed ? 'many failed' : 'few operations';
  }
  const isThrottled = throttlingCosts(evidence);
  const isClientFull = isFull(evidence);
  if (isThrottled) {
    return isClientFull ? 'throttled and busy' : 'store throttling';
  }
  if (operations < FEWEST_OPERATIONS) {
    return areManyFailed ? 'many failed' : 'few operations';
  }
  if (isClientFull) {
    return judgeClient(evidence);
  }
  if (areManyFailed) {
    return 'many failed';
  }
  if (p50 === null) {
    return 'warm-up alone';
  }
  if (evidence.measured === 0) {
    return 'drain alone';
  }
  if (isOpenLoop) {
    return judgeRate(evidence);
  }
  if (evidence.backoffShare >= LOST_TIME) {
    return 'time lost to errors';
  }
  if (search?.holdAgrees === false) {
    return 'held apart';
  }
  return search?.hasPlateau ? judgePlateau(evidence, search) : judgeConcurrency({ ...evidence, p50 });
}

/**
 * @param {Evidence} evidence
 * @returns {Doubt}
 */
function judgeRate({ end, startDelayP50 }) {
  if (end === 'overloaded') {
    return 'overloaded';
  }
  return Number(startDelayP50) > LATE_START_MS ? 'rate not kept' : 'rate kept';
}

/**
 * @param {Evidence & { p50: number }} evidence
 * @returns {ShownCause | Doubt}
 */
function judgeConcurrency(evidence) {
  const { p50, mean, unloadedP50, unloadedSize, threads, search } = evidence;
  if (unloadedP50 === null) {
    return 'no unloaded latency';
  }
  if (isRefused(evidence)) {
    return 'some refused';
  }
  // Whether more threads would have brought more, a search knows better than any latency, unless it had no more of them.
  if (search !== null && threads < search.mostThreads) {
    return 'no plateau';
  }
  if (Number(mean) > LONG_TAIL * p50) {
    return 'long tail';
  }
  if (p50 < unloadedP50 / UNLOADED_RANGE) {
    return 'quicker under load';
  }
  if (p50 <= UNLOADED_RANGE * unloadedP50) {
    return 'concurrency';
  }
  if (search !== null) {
    return 'no plateau';
  }
  // Larger objects take longer than small ones, load or no load.
  return unloadedSize === null ? 'slower under load' : 'smaller objects alone';
}
