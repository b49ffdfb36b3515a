import { findingOf } from './findings.js';

/**
 * @import { Bottleneck, HostLoad, StageEnd } from '../result.js'
 * @import { RateConclusion, SearchConclusion } from '../search.js'
 */

/**
 * The figures of a stage. For a capacity search, these are the figures of its hold.
 *
 * @typedef {object} Evidence
 * @property {number} eventLoopUtilization share of the time in which the busiest event loop was busy, 0 to 1
 * @property {number} busyLoops how many event loops were busy on average: the sum of their busy shares
 * @property {number} loops number of event loops
 * @property {number} cpuCores CPU time of the process ÷ elapsed time
 * @property {number} availableCores how many CPUs the process may use
 * @property {boolean} [isShared] whether the process also did other work
 * @property {number} operations successful operations
 * @property {number} measured operations outside warm-up and drain
 * @property {number} failed operations that failed after all retries
 * @property {number} attempts
 * @property {number} throttled attempts that the store refused with a request to slow down
 * @property {number} backoffShare share of the threads' time spent on failed attempts and the pauses after them, 0 to 1
 * @property {number | null} p50 median latency in ms; null if there are no operations
 * @property {number | null} mean latency in ms; null if there are no operations
 * @property {number | null} minimum latency in ms; null if there are no operations
 * @property {number | null} unloadedP50 median latency with one thread, in ms; null if it was not measured
 * @property {number | null} unloadedSize bytes of the objects for which `unloadedP50` was measured, if these were
 *   smaller than the stage's objects, so that `unloadedP50` is only a lower bound; otherwise null
 * @property {number} threads
 * @property {number} [ofThreads] threads of the whole stage, for one kind of a mix
 * @property {number} average operations per second
 * @property {number | null} requestedRate operations per second of an open loop; null in a closed loop
 * @property {number} [speed] of recorded requests; absent if none are repeated
 * @property {number} [busiestMinute] recorded requests per second in it, at this speed
 * @property {number} [readsP99] ms, of the reads among recorded requests; absent if there are none
 * @property {StageEnd} end
 * @property {number | null} startDelayP50 median delay of starts in an open loop, in ms; null in a closed loop
 * @property {number | null} startDelayP90 90th percentile of the same delay
 * @property {number} keyWait share of the threads' time spent waiting for a key that no operation used, 0 to 1
 * @property {number} openedShare connections opened beyond one per thread ÷ attempts
 * @property {number} socketWait share of the latency spent waiting for one of the client's sockets, 0 to 1
 * @property {HostLoad | null} host null if it was not sampled
 * @property {Search | null} search null if the stage is not a capacity search
 * @property {RateSearch | null} rateSearch null if the stage is not a search over rates
 */

/**
 * The conclusion of a capacity search, and further facts that determine the bottleneck.
 *
 * @typedef {object} SearchEvidence
 * @property {number} maxThreads the most threads that the search may use
 * @property {boolean} movesBytes whether the stage's operations transfer objects: only then can bandwidth be the limit
 * @property {HalfSize | null} halfSize rates on the plateau with whole and half-size objects; null if not measured
 * @property {Refusals} refusals figures of that step at the peak which lost the most time to failed attempts
 * @property {Pick<Evidence, 'host' | 'cpuCores' | 'loops'> | null} busyHost figures of a step that
 *   determines the capacity although the host had too little CPU; null if there was no such step
 *
 * @typedef {Pick<SearchConclusion, 'knee' | 'hasPlateau' | 'capacity' | 'best' | 'holdAgrees' | 'limitingResource'>
 *   & SearchEvidence} Search
 *
 * @typedef {Pick<Evidence, 'threads' | 'operations' | 'attempts' | 'throttled' | 'backoffShare'>} Refusals
 *
 * @typedef {{ whole: SizeRate, half: SizeRate, held: number }} HalfSize `whole` and `half` are measured in alternating
 *   steps with the same number of threads; `held` is the rate of the preceding hold with whole objects, in ops/s
 * @typedef {{ size: number, operationsPerSecond: number, spread: number }} SizeRate `size` in bytes;
 *   `operationsPerSecond` is the mean of two steps, and `spread` is the difference between them as a share of this mean
 */

/**
 * The conclusion of a search over rates. The other figures are those of the step that represents the stage.
 *
 * @typedef {object} RateLimits
 * @property {number} slo ms
 * @property {'latency' | 'errors' | 'refusals' | null} missedBy why the lowest rate that was missed was missed; null if
 *   none was
 *
 * @typedef {Pick<RateConclusion, 'rate' | 'interval' | 'isClientLimited' | 'limitingResource'> & RateLimits} RateSearch
 */

/**
 * Prefixes to the evidence of stages that ended early. Such stages get no advice unless the cause is proven, because no
 * option would show more.
 *
 * @type {Record<StageEnd, string>}
 */
const EARLY_END = {
  complete: '',
  overloaded: '',
  stopped: 'stopped before its end: ',
  unpaid: 'ended at the cost limit: ',
  stalled: 'operations stopped succeeding: ',
  fatal: 'ended by an error: ',
};

/**
 * @param {Evidence} evidence
 * @returns {Bottleneck} a proven cause; a likely one if only a precondition of the proof is missing; or inconclusive
 */
export function classify(evidence) {
  const finding = findingOf(evidence);
  const early = EARLY_END[evidence.end];
  return finding.certainty === 'proven' || early === ''
    ? finding
    : { ...finding, evidence: `${early}${finding.evidence}`, advice: null };
}
