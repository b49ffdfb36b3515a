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
  takerOfCpu,
} from './host-evidence.js';
import { describe, isProven } from './message.js';

/**
 * @import { InconclusiveReason, ProvenCause } from './message.js'
 * @import { Bottleneck, HostLoad, StageEnd } from '../model/result.js'
 * @import { SearchConclusion } from '../model/search.js'
 */

/**
 * The figures of a stage; for a capacity search, those of its hold.
 *
 * @typedef {object} Evidence
 * @property {number} eventLoopUtilization share of the time in which the busiest event loop was busy, 0 to 1
 * @property {number} busyLoops event loops that were busy on average: the sum of their shares
 * @property {number} loops event loops
 * @property {number} cpuCores CPU time of the process ÷ time
 * @property {number} availableCores that the process may use
 * @property {boolean} [isShared] whether the process did other work, too
 * @property {number} operations that succeeded
 * @property {number} measured those of them in neither warm-up nor drain
 * @property {number} failed operations that did not
 * @property {number} attempts
 * @property {number} throttled attempts by whose answer the store asked for fewer requests
 * @property {number} backoffShare share of the threads' time that failed attempts and the pauses after them took, 0 to 1
 * @property {number | null} p50 ms of the operations; null where there are none
 * @property {number | null} mean likewise
 * @property {number | null} minimum likewise
 * @property {number | null} unloadedP50 ms of the same operation at one thread; null where it was not measured
 * @property {number | null} unloadedSize bytes of the objects that it was measured with, where they were smaller than the
 *   stage's and an operation moves them; a whole object takes one thread as long as that, or longer
 * @property {number} threads
 * @property {boolean} isOpenLoop
 * @property {StageEnd} end
 * @property {number | null} startDelayP50 ms by which half of the operations of an open loop started late, or later; null
 *   in a closed one
 * @property {number | null} startDelayP90 likewise, of a tenth of them
 * @property {number} openedShare connections that were opened in addition to one for each thread ÷ attempts
 * @property {HostLoad | null} host what the host did meanwhile; null where nobody looked
 * @property {Search | null} search of a capacity search
 */

/**
 * What a search concluded, and what else its bottleneck follows from.
 *
 * @typedef {object} SearchEvidence
 * @property {number} maxThreads that it may use
 * @property {boolean} movesBytes whether the stage's operations carry objects: bandwidth can only limit those
 * @property {HalfSize | null} halfSize the plateau at two sizes of the objects; null where it was not tried
 * @property {Refusals} refusals of the step that lost the most time to them, among those at the peak
 * @property {BusyHost | null} busyHost of a step from which the capacity follows and in which the host had too little CPU
 * @typedef {Pick<Evidence, 'host' | 'cpuCores' | 'loops'>} BusyHost
 * @typedef {Pick<SearchConclusion, 'knee' | 'hasPlateau' | 'capacity' | 'best' | 'holdAgrees' | 'limitingResource'>
 *   & SearchEvidence} Search
 *
 * @typedef {Pick<Evidence, 'threads' | 'operations' | 'attempts' | 'throttled' | 'backoffShare'>} Refusals
 *
 * @typedef {{ whole: SizeRate, half: SizeRate, held: number }} HalfSize the first two with the same threads, by turns;
 *   operations a second of the hold before them, of whole objects
 * @typedef {{ size: number, operationsPerSecond: number, spread: number }} SizeRate size in bytes; the mean of two steps,
 *   and by how much they differ, as a share of it
 */

/** Medians of fewer operations are chance. */
const MIN_OPERATIONS = 100;

/** Where so many operations fail, the rate of the others does not show what the store can do. */
const FAILED_OPERATIONS = 0.1;

/** A stage that gives up more of its operations has not kept its rate. */
const LOST_OPERATIONS = 0.01;

/** Where half of the operations of an open loop start later than this, its threads are not enough for the rate. ms */
const LATE_START_MS = 50;

/**
 * Within so much of the unloaded median latency, operations are as fast as if they were alone. Where they are faster than
 * that, the one thread was slow for a reason of its own, and is no reference.
 */
const UNLOADED_RANGE = 1.2;

/**
 * @param {Evidence} evidence
 * @returns {Bottleneck} with a cause that is proven, or likely because only a precondition of its proof is missing, or none
 */
export function classify(evidence) {
  const { finding, figures } = findingOf(evidence);
  return describe(finding, figures, isProven(finding) ? null : likelyCause(finding, evidence));
}

/**
 * @param {Evidence} evidence
 * @returns {{ finding: ProvenCause | InconclusiveReason, figures: Evidence }} with the figures that show it
 */
function findingOf(evidence) {
  const found = ofSharedProcess(findCause(evidence), evidence);
  // What takes the time is on this host.
  const finding = found === 'beyond this host' && sharesHostWithStore(evidence) ? 'store on this host' : found;
  const { refusals, busyHost } = evidence.search ?? {};
  if (finding === 'host busy') {
    return { finding, figures: { ...evidence, ...busyHost } };
  }
  if (finding !== 'store' || refusals === undefined) {
    return { finding, figures: evidence };
  }
  // With as many threads as it just serves, a store has nothing to refuse: with more of them it does.
  if (throttlingCosts(refusals)) {
    return { finding: 'store throttling', figures: { ...evidence, ...refusals } };
  }
  const { p50, unloadedP50 } = evidence;
  // Operations that wait for a store that does no more take longer than one alone.
  const isQuick = p50 !== null && unloadedP50 !== null && p50 <= UNLOADED_RANGE * unloadedP50;
  return { finding: isQuick ? 'quick on a plateau' : 'store', figures: evidence };
}

/** Causes that follow from the CPU time of the process. */
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

/** A thread that wants less of its time than this is not held up by a CPU that others have. */
const STARVED_DEMAND = 0.6;

/**
 * @param {Evidence} evidence
 * @returns {boolean} whether waiting for a CPU explains the rate: the client, or the embedded endpoint, wanted most of its time,
 *   and neither a plateau nor a full link contradicts it
 */
function lacksCpu(evidence) {
  const { running, waiting } = busierEndpoint(evidence) ?? busiestThread(evidence) ?? { running: 0, waiting: 0 };
  return isHostBusy(evidence) && running + waiting >= STARVED_DEMAND && mayLackCpu(evidence);
}

/**
 * @param {Evidence} evidence
 * @returns {boolean} whether the client waited for CPUs that others took, although it wanted little of its time
 */
function waitsForOthers(evidence) {
  const { waiting } = busiestThread(evidence) ?? { waiting: 0 };
  return waiting >= WITHOUT_CPU && areCpusTaken(evidence) && mayLackCpu(evidence);
}

/** @param {Evidence} evidence @returns {boolean} whether nothing shows that more CPU would bring no more */
function mayLackCpu(evidence) {
  return !evidence.search?.hasPlateau && !isLinkFull(evidence);
}

/** A first thread on cold connections and caches is up to this many times slower than those that follow it. */
const COLD_THREAD = 2;

/**
 * The cause that would be proven but for what the reason says. Each of these is in docs/measure/bottlenecks.md.
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
  'held apart': (evidence) => (evidence.search?.hasPlateau ? 'beyond this host' : null),
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
  'some refused': () => 'store throttling',
  'no plateau': ({ search, p50, unloadedP50 }) =>
    search?.limitingResource === 'threads' && Number(p50) < SLOWED * Number(unloadedP50) ? 'concurrency' : null,
  'threads not known': beyondQuietClient,
  'delay not known': beyondQuietClient,
  'CPUs not known': beyondQuietClient,
};

/** Reasons that a busy host does not explain: most of them say nothing of where the time goes. */
const NO_FIGURES = new Set([
  ...['few operations', 'many failed', 'warm-up alone', 'drain alone', 'time lost to errors'],
  // The store has refused requests, whatever the host did meanwhile.
  ...['throttled and busy', 'some refused'],
]);

/**
 * @param {InconclusiveReason} reason
 * @param {Evidence} evidence
 * @returns {ProvenCause | null} null if the figures fit two causes, or none
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

/**
 * @param {Evidence} evidence
 * @returns {Evidence} the same, had nobody else wanted the CPUs of the host
 */
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

/**
 * One thread alone is no quicker than the quickest operation of all.
 *
 * @param {Evidence} evidence without a latency with one thread
 * @returns {ProvenCause | null}
 */
function provenByQuickest(evidence) {
  const { minimum } = evidence;
  const found = minimum === null ? null : provenOf({ ...evidence, unloadedP50: minimum, unloadedSize: null });
  return found === 'concurrency' ? found : null;
}

/** @param {Evidence} evidence of operations that wait for something, on a system that does not say all of its threads */
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
  // Whether more threads would have brought more, a search knows better than any latency, unless it had no more of them.
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
 * @param {Evidence & { p50: number }} evidence of operations that take longer than they do alone
 * @param {number} unloadedP50 ms that they take alone
 * @returns {ProvenCause | InconclusiveReason}
 */
function classifySlowness(evidence, unloadedP50) {
  // Larger objects take longer than small ones, load or no load.
  if (evidence.unloadedSize !== null) {
    return 'smaller objects alone';
  }
  if (evidence.p50 < SLOWED * unloadedP50) {
    return 'slower under load';
  }
  return isLinkFull(evidence) ? 'network link' : classifyWaiting(evidence, evidence.p50);
}

/** Causes that are shown by where the time goes, although threads of the client had to wait for a CPU now and then. */
const SHOWN_BY_WAITING = new Set(['network link', 'beyond this host']);

/**
 * @param {Evidence} evidence
 * @param {ProvenCause | InconclusiveReason} found what it would show on a host with time left
 * @returns {ProvenCause | InconclusiveReason}
 */
function unlessHostBusy(evidence, found) {
  const isBusy = SHOWN_BY_WAITING.has(found) ? isHostCrowded(evidence) : isHostBusy(evidence);
  return isBusy ? 'host busy' : found;
}

/**
 * Where one bucket of several is slow, or a store stands still for a while, most operations are as quick as ever, and most
 * of the threads' time is in the others.
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

/** Only so many connections are opened at a time: where that is done for more of the attempts, they wait for each other. */
const OPENED_SHARE = 0.1;

/** From so many times the unloaded median latency on, operations wait for something. */
const SLOWED = 1.5;

/**
 * @param {Evidence} evidence
 * @returns {boolean} whether the host had too little CPU in what the evidence is of, or in another step of the search
 */
function isAnyHostBusy(evidence) {
  return isHostBusy(evidence) || (evidence.search?.busyHost ?? null) !== null;
}

/** Up to here a loop has time left for one thread, whatever it waits for now and then. */
const ROOM_FOR_ONE = 0.5;

/**
 * @param {Evidence} evidence
 * @returns {boolean} whether what took the CPU may have made the one thread alone slow, too, so that it is no reference
 */
function mayHaveSlowedOneThread(evidence) {
  const { running, waiting } = busiestThread(evidence) ?? { running: 0, waiting: 0 };
  return isHostCrowded(evidence) || running + waiting >= ROOM_FOR_ONE || (evidence.search?.busyHost ?? null) !== null;
}

/** In so many of the seconds a link has to be full to be what limits. */
const FULL_SECONDS = 0.8;

/** Up to here the client could have sent more over a link that had room. */
const CLIENT_BELOW_LINK = 0.8;

/** @param {Evidence} evidence */
function isLinkFull(evidence) {
  const { network = null } = evidence.host ?? {};
  const thread = busiestThread(evidence);
  const isClientBelow = thread !== null && thread.running + thread.waiting < CLIENT_BELOW_LINK;
  return network !== null && Number(network.fullShare) >= FULL_SECONDS && isClientBelow;
}

/** Up to here a loop, and up to here a CPU, has time left at every moment. */
const IDLE_LOOP = 0.7;
const IDLE_CPU = 0.9;

/** So much of the threads' time has to be spent waiting for answers. */
const WAITING_FOR_ANSWERS = 0.8;

/**
 * @param {Evidence} evidence of operations that wait for something
 * @param {number} latency ms that an operation takes
 * @returns {ProvenCause | InconclusiveReason} that it is nothing of this host, or which figure does not show it
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
  // An answer that has come may lie there for as long as the loop is late, and so may the request behind it.
  return 1 - backoffShare - delay / latency >= WAITING_FOR_ANSWERS ? 'beyond this host' : 'late loop';
}

/** From here on a loop has no time left. */
const BUSY_LOOP = 0.9;

/** The same by what the system says of its thread: for so much of the time it ran, or could have run had there been a CPU. */
const BUSY_THREAD = 0.85;

/** A thread that waited no longer than this had a CPU, and one that waited longer than that had too little of it. */
const MAX_WAIT_ON_CPU = 0.1;
const MIN_WAIT_FOR_CPU = 0.15;

/**
 * The endpoint of --local is the only store whose load is known: where it has no time left, no search has to find out
 * that it is what limits.
 *
 * @param {Evidence} evidence with room in the client's event loops
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

/** Where one loop is full, and all of them on average are less busy than this, the client has room on the others. */
const EVENLY_BUSY = 0.8;

/** The share of a busy loop's time for which it must have had a CPU; without, others on the host had it. */
const CPU_SHARE = 0.85;

/**
 * @param {Evidence} evidence
 * @returns {boolean} whether an event loop had no time left
 */
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
    if (takerOfCpu(evidence.host) !== null) {
      return 'host CPU';
    }
    // Its threads, those of the garbage collector among them, waited for each other.
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

/** Fewer refusals among the attempts are no more than an accident. */
const REFUSED_SHARE = 0.01;

/** So much of the threads' time, lost to failed attempts, is a loss of operations. */
const LOST_TIME = 0.2;

/** So many refusals leave little of the requests, even where they cost no time because nothing is tried again. */
const REFUSED_GOODPUT = 0.2;

/** As many of the failed attempts must have been refusals for these to be what the time was lost to. */
const REFUSED_FAILURES = 0.8;

/**
 * @param {Refusals} figures
 * @returns {boolean} whether the store's refusals are what keeps the stage from doing more
 */
function throttlingCosts({ operations, attempts, throttled, backoffShare }) {
  const isMostOfFailures = throttled >= REFUSED_FAILURES * (attempts - operations);
  const isCostly = backoffShare >= LOST_TIME || throttled >= REFUSED_GOODPUT * attempts;
  return isRefused({ attempts, throttled }) && isMostOfFailures && isCostly;
}

/**
 * @param {Pick<Refusals, 'attempts' | 'throttled'>} figures
 * @returns {boolean} whether the store refused more than by accident
 */
function isRefused({ attempts, throttled }) {
  return throttled > 0 && throttled >= REFUSED_SHARE * attempts;
}

/** Up to here the client has room enough not to be what limits. */
const ROOMY_LOOP = 0.75;

/** Bytes a second at two sizes that are the same for a limit of bandwidth. */
const SAME_BYTES = 0.15;

/** How much the operations must gain from half the size for it. */
const BANDWIDTH_GAIN = 1.5;

/** Steps of one size that differ by more than this show that something else than the size has changed. */
const SAME_STEPS = 0.1;

/** A rate that changes more than this between a step and the hold was no plateau when the sizes were compared. */
const SAME_RATE = 0.15;

/** Operations a second at two sizes that are the same for a limit of operations. */
const SAME_OPERATIONS = 0.1;

/**
 * @param {Evidence} evidence
 * @param {Search} search
 * @returns {ProvenCause | InconclusiveReason}
 */
function classifyPlateau(evidence, { movesBytes, halfSize, capacity }) {
  if (evidence.eventLoopUtilization > ROOMY_LOOP) {
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
