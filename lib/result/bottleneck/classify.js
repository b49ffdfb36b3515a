import { counted, decimal, percent } from '../../text/figures.js';
import { cpuConsumerOf, meanDemand } from './host-evidence.js';
import {
  adviceFor,
  clientUse,
  failures,
  latencies,
  network,
  refusals,
  room,
  schedule,
  searched,
  startDelays,
  timeUse,
  tooLittleCpu,
} from './phrases.js';
import { predicateOf } from './sentence.js';
import * as signs from './signs.js';

/**
 * @import { Bottleneck, HostLoad, StageEnd } from '../result.js'
 * @import { BottleneckCause } from './sentence.js'
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

/**
 * A conclusion that figures allow. The first row that applies is the finding of a stage.
 *
 * @typedef {object} Row
 * @property {BottleneckCause} cause
 * @property {(evidence: Evidence) => boolean} when
 * @property {readonly Precondition[]} [proof] the preconditions of the proof: if one is missing, the cause is only
 *   likely, and if two are, the row does not apply. Absent if the cause is never proven.
 * @property {(evidence: Evidence) => string} evidence
 * @property {string | null | ((evidence: Evidence) => string | null)} advice
 *
 * @typedef {object} Precondition
 * @property {(evidence: Evidence) => boolean} holds
 * @property {(evidence: Evidence) => string} [but] what the figures show if it is missing
 * @property {string} [advice] that then replaces the row's
 */

/** @type {Precondition} */
const OWN_PROCESS = {
  holds: ({ isShared = false }) => !isShared,
  but: () => 'the process also did other work',
  advice: 'a separate process',
};

/** @type {Precondition} */
const EVEN_LOOPS = {
  holds: signs.areLoopsEvenlyBusy,
  but: (evidence) => `the event loops were busy only ${percent(meanDemand(evidence))} of the time on average`,
  advice: 'fewer --cores',
};

/** @type {Precondition} */
const FULL_CLIENT = { holds: signs.isClientFull, but: searched };

/** @type {Precondition} */
const ROOM_IN_CLIENT = { holds: (evidence) => !signs.isClientFull(evidence), but: clientUse };

/** @type {Precondition} */
const KNOWN_CONSUMER = { holds: signs.isConsumerKnown, but: () => 'what used it is unknown' };

/** @type {Precondition} */
const SPARE_CPU = { holds: (evidence) => !signs.isAnyHostBusy(evidence), but: tooLittleCpu };

/** What operations wait for is known even if client threads sometimes waited for a CPU. @type {Precondition} */
const IDLE_CPUS = { holds: signs.hasIdleCpus, but: tooLittleCpu };

/** @type {Precondition} */
const CPU_FOR_ONE_THREAD = { holds: signs.hadCpuForOneThread, but: tooLittleCpu };

/** @type {Precondition} */
const KNOWN_HOST = { holds: signs.isHostKnown, but: () => 'this system does not report all figures of the host' };

/** @type {Precondition} */
const CONFIRMED_HOLD = { holds: (evidence) => !signs.isHeldApart(evidence), but: searched };

/** @type {Precondition} */
const RELIABLE_LATENCY = {
  holds: signs.isUnloadedReliable,
  but: () => 'the latency with one thread is unknown or was slowed down',
};

/** @type {Precondition} */
const NOT_OUT_OF_THREADS = { holds: signs.isQuick, but: searched };

/** @type {Precondition} */
const FULL_ENDPOINT = { holds: signs.isEndpointFull, but: () => 'the store was not busy all the time' };

/** @type {Precondition} */
const ALWAYS_LATE = { holds: signs.isOverloadedThroughout };

/** Advice if other processes, perhaps the store, keep the CPUs busy. */
const ELSEWHERE = 'a store on another host, or an idle host';

/** @param {Evidence} evidence */
function moreCpu({ host }) {
  return cpuConsumerOf(host) === 'quota' ? 'a larger CPU quota' : ELSEWHERE;
}

/** @param {Evidence} evidence */
function lessLoad(evidence) {
  return `${evidence.requestedRate === null ? 'fewer <threads>' : `a lower ${paceOf(evidence)}`}, or more buckets`;
}

/** @param {Evidence} evidence */
function moreEvidence({ search, rateSearch }) {
  const found = search ?? rateSearch;
  return found === null ? '--find-peak' : adviceFor(found.limitingResource);
}

/**
 * @param {(search: RateSearch, evidence: Evidence) => boolean} isSo
 * @returns {Row['when']} false outside a search over rates
 */
function inRateSearch(isSo) {
  return (evidence) => evidence.rateSearch !== null && isSo(evidence.rateSearch, evidence);
}

/** The option that sets when operations start. @param {Evidence} evidence of an open loop */
function paceOf({ speed }) {
  return speed === undefined ? '--rate' : '--speed';
}

/** Nothing if only a part was replayed. @param {Evidence} evidence of an open loop */
function withTraffic({ speed, busiestMinute, readsP99, end }) {
  const reads = readsP99 === undefined ? '' : `p99 of reads ${decimal(readsP99)} ms; `;
  return speed === undefined || end !== 'complete'
    ? ''
    : ` with ${speed} times your traffic: ${reads}busiest minute ${decimal(Number(busiestMinute))} ops/s`;
}

/** If threads spend at least this share of their time waiting for keys, the store might not be the bottleneck. */
const MAX_KEY_WAIT = 0.1;

/** If requests spend at least this share of their latency waiting for a socket, more sockets would help. */
const MIN_SOCKET_WAIT = 0.3;

/** Of each SDK client. */
const SDK_SOCKETS = 50;

/** @type {Row} */
const OVERLOADED = {
  cause: 'overloaded',
  when: (evidence) => evidence.rateSearch === null && signs.fellShort(evidence),
  proof: [ALWAYS_LATE],
  evidence: (evidence) => `${keptRate(evidence)}, ${whoLimited(evidence)?.evidence ?? startDelays(evidence)}`,
  advice: (evidence) => whoLimited(evidence)?.advice ?? `more <threads>, or a lower ${paceOf(evidence)}`,
};

/** @type {readonly Row[]} */
const ROWS = [
  {
    cause: 'inconclusive',
    when: ({ keyWait }) => keyWait >= MAX_KEY_WAIT,
    evidence: ({ keyWait }) => `threads waited ${percent(keyWait)} of the time for a key idle for at least one second`,
    advice: 'a larger number of <objects>',
  },
  {
    cause: 'inconclusive',
    when: signs.isSpoiledByErrors,
    evidence: failures,
    advice: null,
  },
  {
    cause: 'inconclusive',
    when: signs.areFew,
    evidence: ({ measured, operations }) =>
      `only ${counted(measured, measured < operations ? 'measured operation' : 'operation')}, too few to show a limit`,
    advice: (evidence) => {
      const { search, measured, operations, attempts, speed } = evidence;
      const objects = speed === undefined ? 'more <objects>' : 'a longer log';
      const more = measured < operations ? 'a longer stage, or a shorter --warmup' : attempts === 0 ? null : objects;
      return search === null ? more : moreEvidence(evidence);
    },
  },
  {
    cause: 'concurrency',
    when: inRateSearch((search, evidence) => search.isClientLimited && signs.hasIdleLoop(evidence)),
    evidence: (evidence) => `all threads were waiting before the store became too slow, ${room(evidence)}`,
    advice: 'more <threads>',
  },
  {
    cause: 'host CPU',
    when: inRateSearch(({ isClientLimited }) => isClientLimited),
    evidence: (evidence) => `before the store became too slow, ${tooLittleCpu(evidence)}`,
    advice: moreCpu,
  },
  OVERLOADED,
  {
    cause: 'store throttling',
    when: (evidence) => signs.costlyRefusals(evidence) !== null,
    proof: [ROOM_IN_CLIENT],
    evidence: (evidence) => refusals(signs.costlyRefusals(evidence) ?? evidence),
    advice: lessLoad,
  },
  {
    cause: 'host CPU',
    when: signs.isStarved,
    proof: [OWN_PROCESS, KNOWN_CONSUMER],
    evidence: tooLittleCpu,
    advice: moreCpu,
  },
  {
    cause: 'client CPU',
    when: (evidence) => signs.isClientFull(evidence) || signs.isClientNearlyFull(evidence),
    proof: [OWN_PROCESS, EVEN_LOOPS, FULL_CLIENT],
    evidence: clientUse,
    advice: 'a host with more CPUs, or several hosts',
  },
  {
    cause: 'client sockets',
    when: ({ socketWait }) => socketWait >= MIN_SOCKET_WAIT,
    proof: [ROOM_IN_CLIENT],
    evidence: ({ socketWait, loops }) =>
      `${percent(socketWait)} of the latency was spent waiting for one of ${SDK_SOCKETS * loops} sockets`,
    advice: 'a larger maxSockets of the agent',
  },
  {
    cause: 'requested rate',
    when: (evidence) => evidence.rateSearch === null && signs.isOpenLoop(evidence) && !signs.fellShort(evidence),
    proof: [],
    evidence: (evidence) => `the store kept up${withTraffic(evidence)}, ${room(evidence)}`,
    advice: (evidence) => `a higher ${paceOf(evidence)}`,
  },
  {
    cause: 'store throttling',
    when: (evidence) => signs.isRefused(evidence) && !signs.hasPlateau(evidence),
    evidence: (evidence) => `${refusals(evidence)}, ${latencies(evidence)}, ${room(evidence)}`,
    advice: lessLoad,
  },
  {
    cause: 'host CPU',
    when: signs.lacksCpu,
    evidence: tooLittleCpu,
    advice: moreCpu,
  },
  {
    cause: 'store throttling',
    when: inRateSearch(({ missedBy }) => missedBy === 'refusals'),
    proof: [],
    evidence: (evidence) => `the store refused requests ${aboveRate(evidence)}`,
    advice: 'more buckets',
  },
  {
    cause: 'beyond this host',
    when: inRateSearch(({ missedBy, rate }) => missedBy === 'latency' && rate !== null),
    proof: [SPARE_CPU],
    evidence: (evidence) => `responses took longer than --slo ${aboveRate(evidence)}, ${room(evidence)}`,
    advice: 'two hosts',
  },
  {
    cause: 'inconclusive',
    when: inRateSearch(() => true),
    evidence: (evidence) =>
      evidence.rateSearch?.missedBy === 'errors'
        ? `too many attempts failed ${aboveRate(evidence)}`
        : 'the store kept up with every rate that was tried for long enough',
    advice: moreEvidence,
  },
  {
    cause: 'inconclusive',
    when: signs.waitedForConnections,
    evidence: ({ openedShare }) => `${percent(openedShare)} of the attempts had to wait for a new connection`,
    advice: 'keep-alive connections',
  },
  {
    cause: 'bandwidth',
    when: (evidence) => signs.waitsOnPlateau(evidence) && signs.sizesShow(evidence.search) === 'bandwidth',
    proof: [SPARE_CPU],
    evidence: (evidence) => `${searched(evidence)}, ${room(evidence)}`,
    advice: 'smaller objects, or several hosts',
  },
  {
    cause: 'store',
    when: (evidence) => signs.waitsOnPlateau(evidence) && signs.sizesShow(evidence.search) === 'store',
    proof: [SPARE_CPU],
    evidence: (evidence) => `${searched(evidence)}, ${room(evidence)}`,
    advice: 'more buckets',
  },
  {
    cause: 'store',
    when: (evidence) => signs.isEndpointFull(evidence) || signs.isEndpointBusy(evidence),
    proof: [FULL_ENDPOINT],
    evidence: (evidence) => `the store shares this host: ${timeUse(evidence)}, ${latencies(evidence)}`,
    advice: ELSEWHERE,
  },
  {
    cause: 'network link',
    when: (evidence) => signs.isSlowed(evidence) && signs.isLinkFull(evidence),
    proof: [IDLE_CPUS, CONFIRMED_HOLD],
    evidence: network,
    advice: 'a faster link, or several hosts',
  },
  {
    cause: 'beyond this host',
    when: signs.waitedForAnswers,
    proof: [IDLE_CPUS, KNOWN_HOST, CONFIRMED_HOLD],
    evidence: (evidence) => `${latencies(evidence)}, while the client waited for responses: ${timeUse(evidence)}`,
    advice: '--find-peak, or two hosts',
  },
  {
    cause: 'beyond this host',
    when: (evidence) => signs.isPlateauUnexplained(evidence) && !signs.isAnyHostBusy(evidence),
    evidence: (evidence) => `${searched(evidence)}, but ${whyUnconfirmed(evidence)}`,
    advice: (evidence) =>
      evidence.search?.halfSize === null && evidence.search.limitingResource === null
        ? 'a Write stage with enough <objects>'
        : moreEvidence(evidence),
  },
  {
    cause: 'concurrency',
    when: (evidence) => signs.isQuick(evidence) || signs.ranOutOfThreads(evidence),
    proof: [CPU_FOR_ONE_THREAD, RELIABLE_LATENCY, NOT_OUT_OF_THREADS],
    evidence: (evidence) => `${latencies(evidence)}: too few threads to reach a limit`,
    advice: 'more <threads>',
  },
  {
    cause: 'host CPU',
    when: signs.isAnyHostBusy,
    evidence: (evidence) => `${latencies(evidence)}, and ${tooLittleCpu(evidence)}`,
    advice: moreCpu,
  },
  {
    cause: 'inconclusive',
    when: () => true,
    evidence: (evidence) =>
      `${evidence.search === null ? '' : `${searched(evidence)}: `}${latencies(evidence)}, ${schedule(evidence)}`,
    advice: moreEvidence,
  },
];

/**
 * @param {Evidence} evidence
 * @param {readonly Row[]} rows
 * @returns {Bottleneck}
 */
function findingOf(evidence, rows = ROWS) {
  const missingOf = (/** @type {Row} */ { proof = [] }) => proof.filter(({ holds }) => !holds(evidence));
  const row = /** @type {Row} */ (rows.find((each) => missingOf(each).length < 2 && each.when(evidence)));
  const [missing] = missingOf(row);
  const { cause, proof, advice } = row;
  const isProven = proof !== undefined && missing === undefined;
  const known = isProven ? 'proven' : 'likely';
  const stated = row.evidence(evidence);
  const but = missing?.but === undefined ? '' : `, but ${missing.but(evidence)}`;
  const use = `: ${timeUse(evidence)}`;
  const next = missing?.advice ?? advice;
  return {
    cause,
    certainty: cause === 'inconclusive' ? 'unknown' : known,
    evidence: `${stated}${stated.includes(use) ? but.replace(use, '') : but}`,
    advice: typeof next === 'function' ? next(evidence) : next,
  };
}

/** @param {Evidence} evidence of a plateau that proves nothing */
function whyUnconfirmed({ search }) {
  if (search?.capacity === null) {
    return 'it was not held long enough';
  }
  return search?.halfSize === null
    ? 'no objects of half the size were tried'
    : 'the rates with two object sizes fit neither the store nor bandwidth';
}

/** @param {Evidence} evidence of a search over rates */
function aboveRate({ rateSearch }) {
  const { rate, interval } = /** @type {RateSearch} */ (rateSearch);
  return interval?.confidence === null ? `at ${decimal(interval.high)}/s` : `above about ${decimal(Number(rate))}/s`;
}

/** @param {Evidence} evidence of an open loop */
function keptRate({ average, requestedRate }) {
  const [kept, requested] = [average, Number(requestedRate)].map((rate) => decimal(rate, rate < 100 ? 1 : 0));
  return `${kept} of ${requested} ops/s kept`;
}

/**
 * @param {Evidence} evidence of an open loop that fell short
 * @returns {Pick<Bottleneck, 'evidence' | 'advice'> | null} null if it is unknown who was the limit
 */
function whoLimited(evidence) {
  const { evidence: shown, advice, ...limit } = findingOf(evidence, ROWS.slice(ROWS.indexOf(OVERLOADED) + 1));
  return limit.cause === 'inconclusive' ? null : { evidence: `${predicateOf(limit)}: ${shown}`, advice };
}
