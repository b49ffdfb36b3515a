import {
  BUSY_CPUS,
  WITHOUT_CPU,
  busierEndpoint,
  busiestThread,
  busyShare,
  cpuConsumerOf,
  isHostBusy,
  isHostCrowded,
  loopDelay,
  mayStarveStore,
  meanDemand,
} from './host-evidence.js';

// What a stage's figures show. Each function answers one question of the table in classify.js.

/**
 * @import { Evidence, Refusals, Search } from './classify.js'
 */

/** The median of fewer operations is unreliable. */
const MIN_OPERATIONS = 100;

/** If this share of operations fails, the rate of the others does not show what the store can do. */
const FAILED_OPERATIONS = 0.1;

/** If threads lose this share of their time to failed attempts, the rate is noticeably lower. */
const LOST_TIME = 0.2;

/** @param {Evidence} evidence */
export function areFew(evidence) {
  return evidence.measured < MIN_OPERATIONS && costlyRefusals(evidence) === null;
}

/** Whether failures other than refusals determined the rate. @param {Evidence} evidence */
export function isSpoiledByErrors(evidence) {
  const { operations, failed, end, backoffShare } = evidence;
  const areMany = failed > 0 && failed >= FAILED_OPERATIONS * (operations + failed);
  const isSpoiled = isOpenLoop(evidence) ? end === 'stalled' || end === 'fatal' : backoffShare >= LOST_TIME;
  return (areMany || isSpoiled) && costlyRefusals(evidence) === null;
}

/** @param {Evidence} evidence */
export function isOpenLoop({ requestedRate }) {
  return requestedRate !== null;
}

/** If a larger share of operations fails, an open loop has not kept its rate. */
const LOST_OPERATIONS = 0.01;

/** An open loop has too few threads for its rate if it starts operations late by more than this. */
const LATE_START_MS = 50;

/** Whether an open loop fell behind for good, or started most of its operations late. @param {Evidence} evidence */
export function isOverloadedThroughout({ end, startDelayP50 }) {
  return end === 'overloaded' || Number(startDelayP50) > LATE_START_MS;
}

/** Whether an open loop did not always keep its rate. @param {Evidence} evidence */
export function fellShort(evidence) {
  const { startDelayP90, operations, failed } = evidence;
  const isLate = isOverloadedThroughout(evidence) || Number(startDelayP90) > LATE_START_MS;
  return isOpenLoop(evidence) && (isLate || failed > LOST_OPERATIONS * (operations + failed));
}

/** A smaller share of refused attempts can be due to chance. */
const REFUSED_SHARE = 0.01;

/** If this share of attempts is refused, the rate is noticeably lower even if refusals take no time. */
const REFUSED_GOODPUT = 0.2;

/** Refusals explain the lost time if they are at least this share of the failed attempts. */
const REFUSED_FAILURES = 0.8;

/** Whether the store refused more than chance explains. @param {Pick<Refusals, 'attempts' | 'throttled'>} figures */
export function isRefused({ attempts, throttled }) {
  return throttled > 0 && throttled >= REFUSED_SHARE * attempts;
}

/**
 * @param {Evidence} evidence
 * @returns {Refusals | null} the refusals that limit the rate; null if none do. A store at its limit may refuse
 *   requests only with more threads than the hold has.
 */
export function costlyRefusals(evidence) {
  const { search } = evidence;
  const beyondKnee = search?.hasPlateau && sizesShow(search) !== 'bandwidth' ? [search.refusals] : [];
  return [evidence, ...beyondKnee].find(areCostly) ?? null;
}

/** @param {Refusals} figures */
function areCostly({ operations, attempts, throttled, backoffShare }) {
  const isMostOfFailures = throttled >= REFUSED_FAILURES * (attempts - operations);
  const isCostly = backoffShare >= LOST_TIME || throttled >= REFUSED_GOODPUT * attempts;
  return attempts >= MIN_OPERATIONS && isRefused({ attempts, throttled }) && isMostOfFailures && isCostly;
}

/** An event loop that is busy for this share of its time is full. */
const BUSY_LOOP = 0.9;

/** An event loop is full if its thread ran or waited for a CPU for this share of the time. */
const BUSY_THREAD = 0.85;

/** A thread that waited for a CPU for less than this share of its time had enough CPU. */
const MAX_WAIT_ON_CPU = 0.1;

/** A thread that waited for a CPU for at least this share of its time had too little CPU. */
const MIN_WAIT_FOR_CPU = 0.15;

/** Whether an event loop of the client had no time left. @param {Evidence} evidence */
export function isClientFull(evidence) {
  const thread = busiestThread(evidence);
  return thread === null
    ? evidence.eventLoopUtilization >= BUSY_LOOP
    : thread.running >= BUSY_THREAD || isShortOfCpu(thread);
}

/** @param {{ running: number, waiting: number }} thread */
function isShortOfCpu({ running, waiting }) {
  return waiting >= MIN_WAIT_FOR_CPU && running + waiting >= BUSY_THREAD;
}

/** Whether this host, and not the store, may have determined the rate. @param {Evidence} evidence */
export function isClientAtLimit(evidence) {
  return costlyRefusals(evidence) === null && (isClientFull(evidence) || isHostBusy(evidence));
}

/**
 * If a busy event loop ran on a CPU for a smaller share of its time, other processes used the CPU. The kernel's work on
 * the client's packets, up to a sixth of a CPU, counts for no process.
 */
const CPU_SHARE = 0.8;

/** Whether a full event loop had all the CPU time that it could use. @param {Evidence} evidence */
function hadItsCpu(evidence) {
  const { cpuCores, busyLoops, availableCores, host } = evidence;
  const thread = busiestThread(evidence);
  if (thread === null) {
    return cpuCores >= CPU_SHARE * Math.min(busyLoops, availableCores);
  }
  // If the client used all CPUs, its own threads, including the garbage collector's, waited for each other.
  const usedAll = cpuCores >= CPU_SHARE * (host?.cpu?.usable || Infinity) && cpuConsumerOf(host) === null;
  return thread.waiting < MAX_WAIT_ON_CPU || usedAll;
}

/** Whether the client, or the endpoint of --local, had no time left and waited for a CPU. @param {Evidence} evidence */
export function isStarved(evidence) {
  return isEndpointStarved(evidence) || (isClientFull(evidence) && !hadItsCpu(evidence));
}

/** @param {Evidence} evidence */
function isEndpointStarved(evidence) {
  const endpoint = endpointOf(evidence);
  return endpoint !== null && isShortOfCpu(endpoint);
}

/** Whether it is known what used the CPU for which an event loop waited. @param {Evidence} evidence */
export function isConsumerKnown(evidence) {
  const { waiting } = busiestThread(evidence) ?? { waiting: 0 };
  const isCrowded = (busyShare(evidence) ?? 0) >= BUSY_CPUS;
  return isEndpointStarved(evidence) ? isCrowded : waiting >= MIN_WAIT_FOR_CPU && cpuConsumerOf(evidence.host) !== null;
}

/** If one event loop is full, but the mean of all loops is below this, the other loops have room. */
const EVENLY_BUSY = 0.8;

/** Whether no event loop was full while others had room. @param {Evidence} evidence */
export function areLoopsEvenlyBusy(evidence) {
  const { waiting } = busiestThread(evidence) ?? { waiting: 0 };
  return !isClientFull(evidence) || waiting >= MIN_WAIT_FOR_CPU || meanDemand(evidence) >= EVENLY_BUSY;
}

/** The endpoint of --local, if it was busier than the client, outside a search. @param {Evidence} evidence */
function endpointOf(evidence) {
  return evidence.search === null && evidence.rateSearch === null ? busierEndpoint(evidence) : null;
}

/** Whether the endpoint of --local, the only store whose load is known, had no time left. @param {Evidence} evidence */
export function isEndpointFull(evidence) {
  const { running, waiting } = endpointOf(evidence) ?? { running: 0, waiting: 0 };
  const isFull = running >= BUSY_THREAD && waiting < MAX_WAIT_ON_CPU;
  return isFull && Number(busiestThread(evidence)?.waiting) < WITHOUT_CPU;
}

/** An event loop that needs a CPU for less than this share of its time can react at any moment. */
const IDLE_LOOP = 0.7;

/** @param {Evidence} evidence */
export function hasIdleLoop({ eventLoopUtilization }) {
  return eventLoopUtilization < IDLE_LOOP;
}

/** @param {{ running: number, waiting: number }} thread */
function isIdle({ running, waiting }) {
  return running + waiting < IDLE_LOOP;
}

/**
 * @param {Evidence} evidence
 * @returns {boolean} whether a lack of CPU explains the rate: the client or the embedded endpoint wanted a CPU most of
 *   the time, and neither a plateau nor a full link suggests another cause
 */
export function lacksCpu(evidence) {
  const thread = busierEndpoint(evidence) ?? busiestThread(evidence);
  const wantsCpu = thread !== null && !isIdle(thread) && !isEndpointFull(evidence);
  return wantsCpu && isHostBusy(evidence) && !hasPlateau(evidence) && !isLinkFull(evidence);
}

/** Whether the host had too little CPU in these figures or in another step of the search. @param {Evidence} evidence */
export function isAnyHostBusy(evidence) {
  return isHostBusy(evidence) || (evidence.search?.busyHost ?? null) !== null;
}

/** A loop busy for less than this share of its time serves a single thread promptly. */
const ROOM_FOR_ONE = 0.5;

/** Whether a lack of CPU cannot have slowed the measurement with one thread. @param {Evidence} evidence */
export function hadCpuForOneThread(evidence) {
  const { running, waiting } = busiestThread(evidence) ?? { running: evidence.eventLoopUtilization, waiting: 0 };
  const isCrowded = isHostCrowded(evidence) || (evidence.search?.busyHost ?? null) !== null;
  return !isCrowded && running + waiting < ROOM_FOR_ONE;
}

/** A link is the limit if it is full in this share of the seconds. */
const FULL_SECONDS = 0.8;

/** A client busy for less than this share of its time could have sent more if the link had had room. */
const CLIENT_BELOW_LINK = 0.8;

/** @param {Evidence} evidence */
export function isLinkFull(evidence) {
  const { network = null } = evidence.host ?? {};
  const thread = busiestThread(evidence);
  const isClientBelow = thread !== null && thread.running + thread.waiting < CLIENT_BELOW_LINK;
  return network !== null && Number(network.fullShare) >= FULL_SECONDS && isClientBelow;
}

/** Few connections are opened at a time: if a larger share of attempts needs a new one, they wait for each other. */
const OPENED_SHARE = 0.1;

/** @param {Evidence} evidence */
export function waitedForConnections(evidence) {
  return evidence.openedShare > OPENED_SHARE && (hasPlateau(evidence) || isSlowed(evidence));
}

/** A client busy for at most this share of its time is not the limit. */
const SPARE_LOOP = 0.75;

/** Whether more threads brought no gain while the client may have been the limit. @param {Evidence} evidence */
export function isClientNearlyFull(evidence) {
  return hasPlateau(evidence) && evidence.eventLoopUtilization > SPARE_LOOP;
}

/** @param {Evidence} evidence */
export function hasPlateau({ search }) {
  return search?.hasPlateau ?? false;
}

/** Whether the hold did not confirm the steps of the search. @param {Evidence} evidence */
export function isHeldApart({ search }) {
  return search?.holdAgrees === false;
}

/**
 * A median latency within this factor of the latency with one thread counts as equal to it. If the median is even
 * lower, something other than load slowed the single thread, and its latency cannot serve as a reference.
 */
const UNLOADED_RANGE = 1.2;

/**
 * Whether more threads brought no gain, and operations wait. Operations that wait for a store at its limit take longer
 * than a single operation.
 *
 * @param {Evidence} evidence
 */
export function waitsOnPlateau(evidence) {
  const { p50, unloadedP50 } = evidence;
  const isUnslowed = unloadedP50 !== null && Number(p50) <= UNLOADED_RANGE * unloadedP50;
  return hasPlateau(evidence) && !isUnslowed && !isClientNearlyFull(evidence);
}

/** Whether more threads brought no gain, and object sizes do not show why. @param {Evidence} evidence */
export function isPlateauUnexplained(evidence) {
  return hasPlateau(evidence) && !isClientNearlyFull(evidence) && sizesShow(evidence.search) === null;
}

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
 * @param {Search | null} search
 * @returns {'store' | 'bandwidth' | null} the limit that the rates with two object sizes show; null if they show none
 */
export function sizesShow(search) {
  if (search === null || search.capacity === null) {
    return null;
  }
  if (!search.movesBytes) {
    return 'store';
  }
  if (search.halfSize === null) {
    return null;
  }
  const { whole, half, held } = search.halfSize;
  const isSteady =
    Math.max(whole.spread, half.spread) <= SAME_STEPS && Math.abs(whole.operationsPerSecond / held - 1) <= SAME_RATE;
  const gain = half.operationsPerSecond / whole.operationsPerSecond;
  if (isSteady && gain >= BANDWIDTH_GAIN && Math.abs((gain * half.size) / whole.size - 1) <= SAME_BYTES) {
    return 'bandwidth';
  }
  return isSteady && Math.abs(gain - 1) <= SAME_OPERATIONS ? 'store' : null;
}

/** A mean above this many times the median shows that some operations take much longer than most. */
const LONG_TAIL = 2;

/** @param {Pick<Evidence, 'mean' | 'p50'>} evidence */
export function hasLongTail({ mean, p50 }) {
  return p50 !== null && Number(mean) > LONG_TAIL * p50;
}

/**
 * If one of several buckets is slow, or the store stalls for a while, most operations are still fast, but the threads
 * spend most of their time on the slow ones: then the mean counts.
 *
 * @param {Evidence} evidence
 */
function latencyOf(evidence) {
  return Number(hasLongTail(evidence) ? evidence.mean : evidence.p50);
}

/**
 * @param {Evidence} evidence
 * @returns {number} latency ÷ latency with one thread; 0 if they cannot be compared: in an open loop, which counts late
 *   starts, or if one thread had smaller objects, which take less time under any load
 */
function slowdownOf(evidence) {
  const { unloadedP50, unloadedSize } = evidence;
  return unloadedP50 === null || unloadedSize !== null || isOpenLoop(evidence) ? 0 : latencyOf(evidence) / unloadedP50;
}

/** At this multiple of the unloaded median latency, operations wait for something. */
const SLOWED = 1.5;

/** Whether operations waited in a plain run, or in a hold, which is as good as one. @param {Evidence} evidence */
export function isSlowed(evidence) {
  return (evidence.search === null || isHeldApart(evidence)) && slowdownOf(evidence) >= SLOWED;
}

/** Whether the endpoint of --local was busy, but not all the time, while operations took longer. @param {Evidence} evidence */
export function isEndpointBusy(evidence) {
  const endpoint = endpointOf(evidence);
  return isSlowed(evidence) && endpoint !== null && !isIdle(endpoint);
}

/** The cause is beyond this host only if threads wait for responses for at least this share of their time. */
const WAITING_FOR_ANSWERS = 0.8;

/** Whether operations waited while the client could react at any moment. @param {Evidence} evidence */
export function waitedForAnswers(evidence) {
  const thread = busiestThread(evidence);
  const isClientIdle = thread === null ? hasIdleLoop(evidence) : isIdle(thread);
  // A late event loop delays the handling of a response, and thus the next request.
  const waiting = 1 - evidence.backoffShare - (loopDelay(evidence) ?? 0) / latencyOf(evidence);
  return isSlowed(evidence) && isClientIdle && waiting >= WAITING_FOR_ANSWERS;
}

/** A CPU that is busy for at most this share of its time can react at any moment. */
const IDLE_CPU = 0.9;

/** @param {Evidence} evidence */
export function hasIdleCpus(evidence) {
  return !isHostCrowded(evidence) && !mayStarveStore(evidence) && (evidence.host?.cpu?.busiest ?? 0) <= IDLE_CPU;
}

/** @param {Evidence} evidence */
export function isHostKnown(evidence) {
  return busiestThread(evidence) !== null && loopDelay(evidence) !== null && Boolean(evidence.host?.cpu);
}

/** The measurement with one thread can be up to this many times slower, because connections and caches are cold. */
const COLD_THREAD = 2;

/**
 * Whether operations were as fast as with one thread, or, if that is unknown, as the fastest of all.
 *
 * @param {Evidence} evidence
 */
export function isQuick(evidence) {
  const { p50, unloadedP50, minimum, search, threads } = evidence;
  const reference = unloadedP50 ?? minimum ?? 0;
  const hasAllThreads = search === null || (threads >= search.maxThreads && !search.hasPlateau && search.holdAgrees);
  const isAsFast = Number(p50) <= UNLOADED_RANGE * reference && Number(p50) >= reference / COLD_THREAD;
  return hasAllThreads && isAsFast && !hasLongTail(evidence) && !isOpenLoop(evidence);
}

/** Whether the latency with one thread is known, and nothing but load explains the difference. @param {Evidence} evidence */
export function isUnloadedReliable({ p50, unloadedP50 }) {
  return unloadedP50 !== null && Number(p50) >= unloadedP50 / UNLOADED_RANGE;
}

/** Whether a search used all its threads before operations became slower. @param {Evidence} evidence */
export function ranOutOfThreads({ search, p50, unloadedP50 }) {
  const isUnslowed = unloadedP50 !== null && Number(p50) < SLOWED * unloadedP50;
  return search !== null && search.holdAgrees && search.limitingResource === 'threads' && isUnslowed;
}
