import {
  BUSY_CPUS,
  WITHOUT_CPU,
  areCpusTaken,
  busierEndpoint,
  busiestThread,
  busyShare,
  hasLongTail,
  isHostBusy,
  isHostCrowded,
  loopDelay,
  meanDemand,
  sharesHostWithStore,
  cpuConsumerOf,
} from './host-evidence.js';
import { describe, isProven } from './message.js';

/**
 * @import { InconclusiveReason, ProvenCause } from './message.js'
 * @import { Bottleneck, HostLoad, StageEnd } from '../model/result.js'
 * @import { SearchConclusion } from '../model/search.js'
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
 * @property {boolean} isOpenLoop
 * @property {StageEnd} end
 * @property {number | null} startDelayP50 median delay of starts in an open loop, in ms; null in a closed loop
 * @property {number | null} startDelayP90 90th percentile of the same delay
 * @property {number} openedShare connections opened beyond one per thread ÷ attempts
 * @property {HostLoad | null} host null if it was not sampled
 * @property {Search | null} search null if the stage is not a capacity search
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

/** The median of fewer operations is unreliable. */
const MIN_OPERATIONS = 100;

/** If this share of operations fails, the rate of the others does not show what the store can do. */
const FAILED_OPERATIONS = 0.1;

/** If a larger share of operations fails, an open loop has not kept its rate. */
const LOST_OPERATIONS = 0.01;

/** An open loop has too few threads for its rate if it starts half of its operations late by more than this. */
const LATE_START_MS = 50;

/**
 * A median latency within this factor of the latency with one thread counts as equal to it. If the median is even
 * lower, something other than load slowed the single thread, and its latency cannot serve as a reference.
 */
const UNLOADED_RANGE = 1.2;

/**
 * @param {Evidence} evidence
 * @returns {Bottleneck} a proven cause; a likely one if only a precondition of the proof is missing; or inconclusive
 */
export function classify(evidence) {
  const { finding, figures } = findingOf(evidence);
  return describe(finding, figures, isProven(finding) ? null : likelyCause(finding, evidence));
}

/**
 * Findings that show waiting operations. If a store uses most of this host's busy CPU time, they wait for the store.
 */
const SLOWED_BY_STORE = new Set(['beyond this host', 'slower under load']);

/**
 * @param {Evidence} evidence
 * @returns {{ finding: ProvenCause | InconclusiveReason, figures: Evidence }} `figures` are those that show the finding
 */
function findingOf(evidence) {
  const found = ofSharedProcess(findCause(evidence), evidence);
  // Operations that wait for a store on this host do not wait for anything beyond this host.
  const finding = SLOWED_BY_STORE.has(found) && sharesHostWithStore(evidence) ? 'store on this host' : found;
  const { refusals, busyHost } = evidence.search ?? {};
  if (finding === 'host busy') {
    return { finding, figures: { ...evidence, ...busyHost } };
  }
  if (finding !== 'store' || refusals === undefined) {
    return { finding, figures: evidence };
  }
  // The hold may show no refusals, because the store refuses requests only if there are more threads than it can serve.
  if (throttlingCosts(refusals)) {
    return { finding: 'store throttling', figures: { ...evidence, ...refusals } };
  }
  const { p50, unloadedP50 } = evidence;
  // Operations that wait for a store at its limit take longer than a single operation.
  const isQuick = p50 !== null && unloadedP50 !== null && p50 <= UNLOADED_RANGE * unloadedP50;
  return { finding: isQuick ? 'quick on a plateau' : 'store', figures: evidence };
}

/** Causes whose proof needs the CPU time of the process. */
const BY_CPU_TIME = new Set(['client CPU', 'host CPU']);

/**
 * @template {ProvenCause | InconclusiveReason} Found
 * @param {Found} found
 * @param {Evidence} evidence
 * @returns {Found | 'process shared'}
 */
function ofSharedProcess(found, { isShared = false }) {
  return isShared && BY_CPU_TIME.has(found) ? 'process shared' : found;
}

/** Other processes can slow a thread down only if it wants a CPU for at least this share of its time. */
const STARVED_DEMAND = 0.6;

/**
 * @param {Evidence} evidence
 * @returns {boolean} whether a lack of CPU explains the rate: the client or the embedded endpoint wanted a CPU most of
 *   the time, and neither a plateau nor a full link suggests another cause
 */
function lacksCpu(evidence) {
  const { running, waiting } = busierEndpoint(evidence) ?? busiestThread(evidence) ?? { running: 0, waiting: 0 };
  const isStarved = isHostBusy(evidence) && running + waiting >= STARVED_DEMAND;
  return isStarved && !evidence.search?.hasPlateau && !isLinkFull(evidence);
}

/**
 * @param {Evidence} evidence that shows no other cause, even if there is a plateau
 * @returns {boolean} whether the client waited for CPUs that others used, even if it rarely wanted a CPU
 */
function waitsForOthers(evidence) {
  const { waiting } = busiestThread(evidence) ?? { waiting: 0 };
  return waiting >= WITHOUT_CPU && areCpusTaken(evidence) && !isLinkFull(evidence);
}

/** The measurement with one thread can be up to this many times slower, because connections and caches are cold. */
const COLD_THREAD = 2;

/**
 * The likely cause for each reason why a proof fails, as listed in docs/measure/bottlenecks.md.
 *
 * @type {Partial<Record<InconclusiveReason, (evidence: Evidence) => ProvenCause | null>>}
 */
const LIKELY = {
  'host busy': (evidence) => provenOf(onIdleHost(evidence)) ?? (sharesHostWithStore(evidence) ? 'store' : null),
  'CPU not idle': (evidence) => provenOf(onIdleHost(evidence)),
  'process shared': (evidence) => provenOf({ ...evidence, isShared: false }),
  'no unloaded latency': provenByQuickest,
  'quicker under load': ({ p50, unloadedP50 }) =>
    Number(p50) >= Number(unloadedP50) / COLD_THREAD ? 'concurrency' : null,
  // The hold is as good as a plain run: it shows that operations waited while this host had time left.
  'held apart': ({ search, p50, unloadedP50 }) =>
    search?.hasPlateau || (unloadedP50 !== null && Number(p50) >= SLOWED * unloadedP50) ? 'beyond this host' : null,
  'not held': () => 'beyond this host',
  'no half size': () => 'beyond this host',
  unsteady: () => 'beyond this host',
  'unsteady sizes': () => 'beyond this host',
  'between sizes': () => 'beyond this host',
  'host busy with others': () => 'host CPU',
  'store on this host': () => 'store',
  'loops unevenly busy': () => 'client CPU',
  'client nearly busy': () => 'client CPU',
  'endpoint not idle': () => 'store',
  // If operations provably waited, the waiting cost more than the few refusals.
  'some refused': (evidence) =>
    provenOf({ ...evidence, throttled: 0 }) === 'beyond this host' ? 'beyond this host' : 'store throttling',
  // With more CPU, the client would mostly send more requests that the store refuses.
  'throttled and busy': ({ throttled, attempts }) =>
    throttled >= REFUSED_GOODPUT * attempts ? 'store throttling' : null,
  'no plateau': ({ search, p50, unloadedP50 }) =>
    search?.limitingResource === 'threads' && Number(p50) < SLOWED * Number(unloadedP50) ? 'concurrency' : null,
  'threads not known': beyondQuietClient,
  'delay not known': beyondQuietClient,
  'CPUs not known': beyondQuietClient,
};

/** Reasons that a busy host cannot explain: for most of them, it is unknown how the time was spent. */
const NO_FIGURES = new Set([
  ...['few operations', 'many failed', 'warm-up alone', 'drain alone', 'time lost to errors'],
  // The store refused requests, no matter how busy the host was.
  ...['throttled and busy', 'some refused'],
]);

/**
 * @param {InconclusiveReason} reason
 * @param {Evidence} evidence
 * @returns {ProvenCause | null} null if the figures fit several causes or none
 */
function likelyCause(reason, evidence) {
  const isStoreHere = sharesHostWithStore(evidence);
  if (NO_FIGURES.has(reason)) {
    return LIKELY[reason]?.(evidence) ?? null;
  }
  if (lacksCpu(evidence) || (isStoreHere && isHostCrowded(evidence))) {
    return 'host CPU';
  }
  const likely = LIKELY[reason]?.(evidence) ?? (waitsForOthers(evidence) ? 'host CPU' : null);
  return likely === 'beyond this host' && isStoreHere ? 'store' : likely;
}

/** @param {Evidence} evidence */
function provenOf(evidence) {
  const { finding } = findingOf(evidence);
  return isProven(finding) ? finding : null;
}

/** Returns the evidence as it would be if the host ran nothing else. @param {Evidence} evidence */
function onIdleHost(evidence) {
  const { host, search } = evidence;
  const { cpu = null, endpoint = null, loops = [] } = host ?? {};
  const withoutWaiting = (/** @type {{ waiting: number | null }} */ { waiting }) => (waiting === null ? null : 0);
  return {
    ...evidence,
    search: search && { ...search, busyHost: null },
    host: host && {
      ...host,
      quota: null,
      cpu: cpu && { ...cpu, busiest: 0, others: 0, steal: cpu.steal === null ? null : 0 },
      loops: loops.map((loop) => ({ ...loop, waiting: withoutWaiting(loop) })),
      ...(endpoint === null ? {} : { endpoint: { ...endpoint, waiting: 0 } }),
    },
  };
}

/** Takes the fastest operation as a lower bound for the unknown latency with one thread. @param {Evidence} evidence */
function provenByQuickest(evidence) {
  const { minimum } = evidence;
  const found = minimum === null ? null : provenOf({ ...evidence, unloadedP50: minimum, unloadedSize: null });
  return found === 'concurrency' ? found : null;
}

/** @param {Evidence} evidence of waiting operations, on a system that does not report all figures about the host */
function beyondQuietClient({ eventLoopUtilization }) {
  return eventLoopUtilization < IDLE_LOOP ? 'beyond this host' : null;
}

/**
 * @param {Evidence} evidence
 * @returns {ProvenCause | InconclusiveReason}
 */
function findCause(evidence) {
  const { operations, failed, p50, search, isOpenLoop } = evidence;
  const areManyFailed = failed > 0 && failed >= FAILED_OPERATIONS * (operations + failed);
  if (operations + failed < MIN_OPERATIONS) {
    return areManyFailed ? 'many failed' : 'few operations';
  }
  const isThrottled = throttlingCosts(evidence);
  const isClientFull = isFull(evidence);
  if (isThrottled) {
    return isClientFull ? 'throttled and busy' : 'store throttling';
  }
  if (operations < MIN_OPERATIONS) {
    return areManyFailed ? 'many failed' : 'few operations';
  }
  if (isClientFull) {
    return classifyClient(evidence);
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
    return classifyRate(evidence);
  }
  if (evidence.backoffShare >= LOST_TIME) {
    return 'time lost to errors';
  }
  if (search?.holdAgrees === false) {
    return isAnyHostBusy(evidence) ? 'host busy' : 'held apart';
  }
  return search?.hasPlateau ? classifyPlateau(evidence, search) : classifyConcurrency({ ...evidence, p50 });
}

/**
 * @param {Evidence} evidence
 * @returns {ProvenCause | InconclusiveReason}
 */
function classifyRate({ end, startDelayP50, startDelayP90, operations, failed }) {
  if (end === 'overloaded') {
    return 'overloaded';
  }
  const isLost = end === 'stalled' || end === 'fatal' || failed > LOST_OPERATIONS * (operations + failed);
  if (isLost || (Number(startDelayP50) <= LATE_START_MS && Number(startDelayP90) > LATE_START_MS)) {
    return 'rate kept at times';
  }
  return Number(startDelayP50) > LATE_START_MS ? 'rate not kept' : 'requested rate';
}

/**
 * @param {Evidence & { p50: number }} evidence
 * @returns {ProvenCause | InconclusiveReason}
 */
function classifyConcurrency(evidence) {
  const { p50, unloadedP50, threads, search } = evidence;
  const endpointLimit = search === null && !isRefused(evidence) ? classifyEndpoint(evidence) : null;
  if (endpointLimit !== null) {
    return endpointLimit;
  }
  if (unloadedP50 === null) {
    return 'no unloaded latency';
  }
  if (isRefused(evidence)) {
    return 'some refused';
  }
  // A search that did not run out of threads shows better than any latency whether more threads would help.
  if (search !== null && threads < search.maxThreads) {
    return 'no plateau';
  }
  if (hasLongTail(evidence)) {
    return unlessHostBusy(evidence, classifyTail(evidence));
  }
  if (p50 < unloadedP50 / UNLOADED_RANGE) {
    return 'quicker under load';
  }
  if (p50 <= UNLOADED_RANGE * unloadedP50) {
    return mayHaveSlowedOneThread(evidence) ? 'host busy' : 'concurrency';
  }
  return search === null ? unlessHostBusy(evidence, classifySlowness(evidence, unloadedP50)) : 'no plateau';
}

/**
 * @param {Evidence & { p50: number }} evidence of operations that take longer than with one thread
 * @param {number} unloadedP50 ms
 * @returns {ProvenCause | InconclusiveReason}
 */
function classifySlowness(evidence, unloadedP50) {
  // Larger objects take longer than small ones under any load.
  if (evidence.unloadedSize !== null) {
    return 'smaller objects alone';
  }
  if (evidence.p50 < SLOWED * unloadedP50) {
    return 'slower under load';
  }
  return isLinkFull(evidence) ? 'network link' : classifyWaiting(evidence, evidence.p50);
}

/** Causes that are proven by what operations wait for, even if client threads sometimes waited for a CPU. */
const SHOWN_BY_WAITING = new Set(['network link', 'beyond this host']);

/**
 * @param {Evidence} evidence
 * @param {ProvenCause | InconclusiveReason} found the finding that applies if the host had CPU to spare
 * @returns {ProvenCause | InconclusiveReason}
 */
function unlessHostBusy(evidence, found) {
  const isBusy = SHOWN_BY_WAITING.has(found) ? isHostCrowded(evidence) : isHostBusy(evidence);
  return isBusy ? 'host busy' : found;
}

/**
 * If one of several buckets is slow, or the store stalls for a while, most operations are still fast, but the threads
 * spend most of their time on the slow ones.
 *
 * @param {Evidence} evidence
 * @returns {ProvenCause | InconclusiveReason}
 */
function classifyTail(evidence) {
  const { mean, unloadedP50, unloadedSize, search } = evidence;
  const isSlowed = mean !== null && unloadedP50 !== null && mean >= SLOWED * unloadedP50;
  const isComparable = isSlowed && unloadedSize === null && search === null;
  return isComparable && classifyWaiting(evidence, mean) === 'beyond this host' ? 'beyond this host' : 'long tail';
}

/** Few connections are opened at a time: if a larger share of attempts needs a new one, they wait for each other. */
const OPENED_SHARE = 0.1;

/** At this multiple of the unloaded median latency, operations wait for something. */
const SLOWED = 1.5;

/** Whether the host had too little CPU in these figures or in another step of the search. @param {Evidence} evidence */
function isAnyHostBusy(evidence) {
  return isHostBusy(evidence) || (evidence.search?.busyHost ?? null) !== null;
}

/** A loop busy for less than this share of its time serves a single thread promptly. */
const ROOM_FOR_ONE = 0.5;

/** Whether a lack of CPU may also have slowed the measurement with one thread. @param {Evidence} evidence */
function mayHaveSlowedOneThread(evidence) {
  const { running, waiting } = busiestThread(evidence) ?? { running: 0, waiting: 0 };
  return isHostCrowded(evidence) || running + waiting >= ROOM_FOR_ONE || (evidence.search?.busyHost ?? null) !== null;
}

/** A link is the limit if it is full in this share of the seconds. */
const FULL_SECONDS = 0.8;

/** A client busy for less than this share of its time could have sent more if the link had had room. */
const CLIENT_BELOW_LINK = 0.8;

/** @param {Evidence} evidence */
function isLinkFull(evidence) {
  const { network = null } = evidence.host ?? {};
  const thread = busiestThread(evidence);
  const isClientBelow = thread !== null && thread.running + thread.waiting < CLIENT_BELOW_LINK;
  return network !== null && Number(network.fullShare) >= FULL_SECONDS && isClientBelow;
}

/** An event loop that is busy for less than this share of its time can react at any moment. */
const IDLE_LOOP = 0.7;

/** A CPU that is busy for at most this share of its time can react at any moment. */
const IDLE_CPU = 0.9;

/** The cause is beyond this host only if threads wait for responses for at least this share of their time. */
const WAITING_FOR_ANSWERS = 0.8;

/**
 * @param {Evidence} evidence of operations that wait for something
 * @param {number} latency ms of an operation
 * @returns {ProvenCause | InconclusiveReason} `beyond this host`, or why it is not proven
 */
function classifyWaiting(evidence, latency) {
  const { openedShare, host, backoffShare } = evidence;
  const thread = busiestThread(evidence);
  const endpoint = busierEndpoint(evidence);
  const delay = loopDelay(evidence);
  const isIdle = (/** @type {{ running: number, waiting: number }} */ { running, waiting }) =>
    running + waiting < IDLE_LOOP;
  if (openedShare > OPENED_SHARE) {
    return 'connections opened';
  }
  if (thread === null) {
    return 'threads not known';
  }
  if (delay === null) {
    return 'delay not known';
  }
  if (!host?.cpu) {
    return 'CPUs not known';
  }
  if (!isIdle(thread)) {
    return 'loop not idle';
  }
  if (endpoint !== null && !isIdle(endpoint)) {
    return 'endpoint not idle';
  }
  if (host.cpu.busiest > IDLE_CPU) {
    return 'CPU not idle';
  }
  // A late event loop delays the handling of a response, and thus the next request.
  return 1 - backoffShare - delay / latency >= WAITING_FOR_ANSWERS ? 'beyond this host' : 'late loop';
}

/** An event loop that is busy for this share of its time is full. */
const BUSY_LOOP = 0.9;

/** An event loop is full if its thread ran or waited for a CPU for this share of the time. */
const BUSY_THREAD = 0.85;

/** A thread that waited for a CPU for less than this share of its time had enough CPU. */
const MAX_WAIT_ON_CPU = 0.1;

/** A thread that waited for a CPU for at least this share of its time had too little CPU. */
const MIN_WAIT_FOR_CPU = 0.15;

/**
 * The endpoint of --local is the only store whose load is known. If it has no time left, it is the limit, even without
 * a search to prove it.
 *
 * @param {Evidence} evidence in which the client's event loops have room
 * @returns {ProvenCause | null}
 */
function classifyEndpoint(evidence) {
  const endpoint = busierEndpoint(evidence);
  if (endpoint === null) {
    return null;
  }
  const { running, waiting } = endpoint;
  if (running >= BUSY_THREAD && waiting < MAX_WAIT_ON_CPU) {
    return Number(busiestThread(evidence)?.waiting) < WITHOUT_CPU ? 'store' : null;
  }
  const isStarved = waiting >= MIN_WAIT_FOR_CPU && running + waiting >= BUSY_THREAD;
  return isStarved && (busyShare(evidence) ?? 0) >= BUSY_CPUS ? 'host CPU' : null;
}

/** If one event loop is full, but the mean of all loops is below this, the other loops have room. */
const EVENLY_BUSY = 0.8;

/** If a busy event loop ran on a CPU for a smaller share of its time, other processes used the CPU. */
const CPU_SHARE = 0.85;

/** Whether an event loop had no time left. @param {Evidence} evidence */
function isFull(evidence) {
  const thread = busiestThread(evidence);
  if (thread === null) {
    return evidence.eventLoopUtilization >= BUSY_LOOP;
  }
  const { running, waiting } = thread;
  return running >= BUSY_THREAD || (waiting >= MIN_WAIT_FOR_CPU && running + waiting >= BUSY_THREAD);
}

/**
 * @param {Evidence} evidence with a full event loop
 * @returns {ProvenCause | InconclusiveReason}
 */
function classifyClient(evidence) {
  const { busyLoops, cpuCores, availableCores } = evidence;
  const thread = busiestThread(evidence);
  if (thread !== null && thread.waiting >= MIN_WAIT_FOR_CPU) {
    if (cpuConsumerOf(evidence.host) !== null) {
      return 'host CPU';
    }
    // If the client used all CPUs, its own threads, including the garbage collector's, waited for each other.
    return cpuCores >= CPU_SHARE * (evidence.host?.cpu?.usable || Infinity) ? 'client CPU' : 'host busy with others';
  }
  if (meanDemand(evidence) < EVENLY_BUSY) {
    return 'loops unevenly busy';
  }
  if (thread !== null) {
    return thread.waiting < MAX_WAIT_ON_CPU ? 'client CPU' : 'host busy with others';
  }
  return cpuCores >= CPU_SHARE * Math.min(busyLoops, availableCores) ? 'client CPU' : 'host busy with others';
}

/** A smaller share of refused attempts can be due to chance. */
const REFUSED_SHARE = 0.01;

/** If threads lose this share of their time to failed attempts, the rate is noticeably lower. */
const LOST_TIME = 0.2;

/** If this share of attempts is refused, the rate is noticeably lower even if refusals take no time. */
const REFUSED_GOODPUT = 0.2;

/** Refusals explain the lost time if they are at least this share of the failed attempts. */
const REFUSED_FAILURES = 0.8;

/** Whether throttling by the store limits the stage's rate. @param {Refusals} figures */
function throttlingCosts({ operations, attempts, throttled, backoffShare }) {
  const isMostOfFailures = throttled >= REFUSED_FAILURES * (attempts - operations);
  const isCostly = backoffShare >= LOST_TIME || throttled >= REFUSED_GOODPUT * attempts;
  return isRefused({ attempts, throttled }) && isMostOfFailures && isCostly;
}

/** Whether the store refused more than chance explains. @param {Pick<Refusals, 'attempts' | 'throttled'>} figures */
function isRefused({ attempts, throttled }) {
  return throttled > 0 && throttled >= REFUSED_SHARE * attempts;
}

/** A client busy for at most this share of its time is not the limit. */
const SPARE_LOOP = 0.75;

/** If bandwidth is the limit, the bytes per second of the two object sizes differ by at most this share. */
const SAME_BYTES = 0.15;

/** If bandwidth is the limit, half the object size gives at least this many times the operations per second. */
const BANDWIDTH_GAIN = 1.5;

/** If two steps with the same object size differ by more than this share, something other than the size changed. */
const SAME_STEPS = 0.1;

/** If the rate differs from that of the hold by more than this share, the sizes were not compared on the plateau. */
const SAME_RATE = 0.15;

/** If operations are the limit, the operations per second of the two object sizes differ by at most this share. */
const SAME_OPERATIONS = 0.1;

/**
 * @param {Evidence} evidence
 * @param {Search} search
 * @returns {ProvenCause | InconclusiveReason}
 */
function classifyPlateau(evidence, { movesBytes, halfSize, capacity }) {
  if (evidence.eventLoopUtilization > SPARE_LOOP) {
    return 'client nearly busy';
  }
  if (isAnyHostBusy(evidence)) {
    return 'host busy';
  }
  if (evidence.openedShare > OPENED_SHARE) {
    return 'connections opened';
  }
  if (capacity === null) {
    return 'not held';
  }
  if (!movesBytes) {
    return 'store';
  }
  return halfSize === null ? 'no half size' : classifySizes(halfSize);
}

/**
 * @param {HalfSize} sizes
 * @returns {ProvenCause | InconclusiveReason}
 */
function classifySizes({ whole, half, held }) {
  if (Math.max(whole.spread, half.spread) > SAME_STEPS) {
    return 'unsteady sizes';
  }
  if (Math.abs(whole.operationsPerSecond / held - 1) > SAME_RATE) {
    return 'unsteady';
  }
  const gain = half.operationsPerSecond / whole.operationsPerSecond;
  const gainOfBytes = (gain * half.size) / whole.size;
  if (gain >= BANDWIDTH_GAIN && Math.abs(gainOfBytes - 1) <= SAME_BYTES) {
    return 'bandwidth';
  }
  return Math.abs(gain - 1) <= SAME_OPERATIONS ? 'store' : 'between sizes';
}
