import { counted, decimal, percent, rounded } from '../text/figures.js';
import { MEGABYTE, formatSize } from '../text/units.js';
import {
  busierEndpoint,
  busiestThread,
  busyShare,
  hasLongTail,
  isHostBusy,
  loopDelay,
  meanDemand,
  stolenShare,
  cpuConsumerOf,
} from './host-evidence.js';

/**
 * @import { Evidence, SizeRate } from './classify.js'
 * @import { Bottleneck, BottleneckCause, HostLoad, NetworkLoad } from '../model/result.js'
 * @import { LimitingResource } from '../model/search.js'
 */

/**
 * @typedef {Exclude<BottleneckCause, 'inconclusive'>} ProvenCause
 * @typedef {keyof typeof INCONCLUSIVE} InconclusiveReason why no cause is proven
 */

/** The figures that prove each cause. @type {Record<ProvenCause, (evidence: Evidence) => string>} */
const PROVEN = {
  'client CPU': ({ eventLoopUtilization, loops, cpuCores }) =>
    `${nameOfLoop(loops)} busy ${percent(eventLoopUtilization)} of the time, ` +
    `${cpuCores.toFixed(2)} CPU cores used`,
  'host CPU': (evidence) => `this host had too little CPU for ${tooLittleCpu(evidence)}`,
  'network link': ({ host }) => link(/** @type {NetworkLoad} */ (host?.network ?? null)),
  'store throttling': ({ attempts, throttled, backoffShare, threads, search }) =>
    `${(100 * (throttled / attempts)).toFixed(1)}% of ${rounded(attempts)} attempts refused` +
    `${search === null ? '' : ` with ${counted(threads, 'thread')}`}, threads waited ${percent(backoffShare)} of their time`,
  concurrency: (evidence) => `${latencies(evidence)}: too few threads to reach a limit`,
  store: (evidence) =>
    evidence.search === null ? fullEndpoint(evidence) : `${plateau(evidence)}${sizes(evidence)}, ${room(evidence)}`,
  bandwidth: (evidence) => `${plateau(evidence)}${sizes(evidence)}, ${room(evidence)}`,
  'requested rate': (evidence) => `the store kept up, ${room(evidence)}`,
  'beyond this host': (evidence) =>
    `${latencies(evidence)}${tail(evidence)}, although this host had CPU time to spare: ` +
    `${schedule(evidence)}, ${cpus(evidence)}${retransmissions(evidence)}`,
};

/** Advice if other processes, perhaps the store, keep the CPUs busy. */
const ELSEWHERE = 'a store on another host, or an idle host';

/** Advice if the store refuses requests. @param {Evidence} evidence */
const lessLoad = ({ isOpenLoop }) => `${isOpenLoop ? 'a lower --rate' : 'fewer <threads>'}, or more buckets`;

/** Advice for proven causes. @type {Record<ProvenCause, (evidence: Evidence) => string>} */
const MORE = {
  'client CPU': () => 'a host with more CPUs, or several hosts',
  'host CPU': ({ host }) => (cpuConsumerOf(host) === 'quota' ? 'a larger CPU quota' : ELSEWHERE),
  'network link': () => 'a faster link, or several hosts',
  'store throttling': lessLoad,
  concurrency: () => 'more <threads>',
  // Without a search, only the endpoint of --local can be proven to be the limit.
  store: ({ search }) => (search === null ? 'a real store' : 'more buckets'),
  bandwidth: () => 'smaller objects, or several hosts',
  'requested rate': () => 'a higher --rate',
  'beyond this host': () => '--find-peak, or two hosts',
};

/** Advice on how to get more evidence; null after a search on an idle host. @param {Evidence} evidence */
const searchFor = (evidence) => {
  if (isHostBusy(evidence)) {
    return ELSEWHERE;
  }
  return evidence.search === null ? '--find-peak' : null;
};

/** For each reason, why no cause is proven, and advice. */
const INCONCLUSIVE = /** @type {const} */ ({
  'few operations': {
    why: (/** @type {Evidence} */ { operations }) => `${counted(operations, 'operation')} are too few to show a limit`,
    advice: (/** @type {Evidence} */ { search }) =>
      search === null ? 'more <objects>' : adviceFor(search.limitingResource),
  },
  'throttled and busy': {
    why: (/** @type {Evidence} */ evidence) =>
      `${PROVEN['store throttling'](evidence)}, and ${PROVEN['client CPU'](evidence)}`,
    advice: lessLoad,
  },
  'loops unevenly busy': {
    why: (/** @type {Evidence} */ evidence) =>
      `${PROVEN['client CPU'](evidence)}, but the event loops were busy only ${percent(meanDemand(evidence))} of the time on average`,
    advice: 'fewer --cores',
  },
  'host busy with others': {
    why: (/** @type {Evidence} */ evidence) =>
      busiestThread(evidence) === null
        ? `${PROVEN['client CPU'](evidence)}: other processes used CPU time that the client needed`
        : `the client had too little CPU, and what used it is unknown: ${schedule(evidence)}, ${cpus(evidence)}`,
    advice: 'an idle host',
  },
  'process shared': {
    why: (/** @type {Evidence} */ evidence) =>
      `${PROVEN['client CPU'](evidence)}, by the run and other work in the same process`,
    advice: 'a separate process',
  },
  'connections opened': {
    why: (/** @type {Evidence} */ evidence) =>
      `${evidence.search?.hasPlateau ? plateau(evidence) : latencies(evidence)}, but ${percent(evidence.openedShare)} of the attempts had to wait for a new connection`,
    advice: 'keep-alive connections',
  },
  'host busy': {
    why: (/** @type {Evidence} */ evidence) =>
      `${whatWasSeen(evidence)}, but this host had too little CPU: ${cpus(evidence)}, ${schedule(evidence)}`,
    advice: ELSEWHERE,
  },
  'store on this host': {
    why: (/** @type {Evidence} */ evidence) => `${latencies(evidence)}, ${schedule(evidence)}, ${cpus(evidence)}`,
    advice: ELSEWHERE,
  },
  overloaded: {
    why: (/** @type {Evidence} */ evidence) => `the requested rate is too high, ${room(evidence)}`,
    advice: searchFor,
  },
  'rate not kept': {
    why: (/** @type {Evidence} */ evidence) =>
      `the requested rate was not kept: half of the operations started at least ${milliseconds(evidence.startDelayP50)} late, ${room(evidence)}`,
    advice: searchFor,
  },
  'rate kept at times': {
    why: (/** @type {Evidence} */ evidence) => `the requested rate was not always kept, ${room(evidence)}`,
    advice: searchFor,
  },
  'some refused': {
    why: (/** @type {Evidence} */ evidence) =>
      `${PROVEN['store throttling'](evidence)}, ${latencies(evidence)}, ${room(evidence)}`,
    advice: searchFor,
  },
  'no unloaded latency': {
    why: (/** @type {Evidence} */ evidence) => `the latency with one thread is unknown, ${room(evidence)}`,
    advice: searchFor,
  },
  'time lost to errors': {
    why: (/** @type {Evidence} */ { backoffShare }) =>
      `threads lost ${percent(backoffShare)} of their time to failed attempts other than throttling`,
    advice: null,
  },
  'warm-up alone': {
    why: () => 'no operation completed after the --warmup time',
    advice: 'a shorter --warmup',
  },
  'drain alone': {
    why: () => 'no operation completed in the measured part of --duration',
    advice: 'a longer --duration',
  },
  'many failed': {
    why: (/** @type {Evidence} */ { operations, failed }) =>
      `${rounded(failed)} of ${counted(operations + failed, 'operation')} failed`,
    advice: null,
  },
  'long tail': {
    why: (/** @type {Evidence} */ evidence) =>
      `${latencies(evidence)}, but the mean is ${milliseconds(evidence.mean)}: the store stalled or slowed down`,
    advice: searchFor,
  },
  'quick on a plateau': {
    why: (/** @type {Evidence} */ evidence) => `${plateau(evidence)}, but ${latencies(evidence)}`,
    advice: 'another run',
  },
  'quicker under load': {
    why: (/** @type {Evidence} */ evidence) =>
      `${latencies(evidence)}, so something else slowed the single thread down, ${room(evidence)}`,
    advice: searchFor,
  },
  'slower under load': {
    why: (/** @type {Evidence} */ evidence) =>
      `${latencies(evidence)}: too small an increase to show a limit, ${room(evidence)}`,
    advice: searchFor,
  },
  'threads not known': {
    why: (/** @type {Evidence} */ evidence) =>
      `${latencies(evidence)}, but this system does not report how the client's threads were scheduled, ${room(evidence)}`,
    advice: searchFor,
  },
  'delay not known': {
    why: (/** @type {Evidence} */ evidence) =>
      `${latencies(evidence)}, but the stage was too short to show how late the event loop was, ${room(evidence)}`,
    advice: 'more <objects>',
  },
  'CPUs not known': {
    why: (/** @type {Evidence} */ evidence) => `${latencies(evidence)}, but ${cpus(evidence)}, ${room(evidence)}`,
    advice: searchFor,
  },
  'loop not idle': {
    why: (/** @type {Evidence} */ evidence) =>
      `${latencies(evidence)}, but the client was too busy to rule it out as the limit, and not busy enough to prove that it was: ${schedule(evidence)}, ${cpus(evidence)}`,
    advice: searchFor,
  },
  'endpoint not idle': {
    why: (/** @type {Evidence} */ evidence) =>
      `${latencies(evidence)}, the embedded endpoint was busy, but not all the time: ${endpointSchedule(evidence)}, ${cpus(evidence)}`,
    advice: 'more <threads>',
  },
  'CPU not idle': {
    why: (/** @type {Evidence} */ evidence) =>
      `${latencies(evidence)}, but one of this host's CPUs was ${percent(evidence.host?.cpu?.busiest ?? 0)} busy: ${schedule(evidence)}, ${cpus(evidence)}`,
    advice: ELSEWHERE,
  },
  'late loop': {
    why: (/** @type {Evidence} */ evidence) =>
      `${latencies(evidence)}, but less than 80% of that time was spent waiting for responses: event loop ${milliseconds(loopDelay(evidence))} late, threads lost ${percent(evidence.backoffShare)} of their time to failed attempts`,
    advice: searchFor,
  },
  'smaller objects alone': {
    why: (/** @type {Evidence} */ evidence) =>
      `${latencies(evidence)}, but larger objects take longer under any load, ${room(evidence)}`,
    advice: searchFor,
  },
  'no plateau': {
    why: (/** @type {Evidence} */ evidence) =>
      `no plateau was reached${evidence.search?.limitingResource === 'time' ? ' in the time allowed' : ''}: ${latencies(evidence)}, ${room(evidence)}`,
    advice: (/** @type {Evidence} */ { search }) => adviceFor(search?.limitingResource ?? null),
  },
  'client nearly busy': {
    why: (/** @type {Evidence} */ evidence) => `${plateau(evidence)}, but ${room(evidence)}`,
    advice: MORE['client CPU'],
  },
  'no half size': {
    why: (/** @type {Evidence} */ evidence) =>
      `${plateau(evidence)}, ${room(evidence)}, but no objects of half the size were tried`,
    advice: (/** @type {Evidence} */ { search }) =>
      search?.limitingResource ? adviceFor(search.limitingResource) : 'a Write stage with enough <objects>',
  },
  'held apart': {
    why: (/** @type {Evidence} */ evidence) => `${heldRate(evidence)}, but ${bestStep(evidence)}, ${room(evidence)}`,
    advice: 'another run',
  },
  'not held': {
    why: (/** @type {Evidence} */ evidence) => `${plateau(evidence)}, but it was not held long enough`,
    advice: (/** @type {Evidence} */ { search }) => adviceFor(search?.limitingResource ?? null),
  },
  unsteady: {
    why: (/** @type {Evidence} */ evidence) =>
      `${plateau(evidence)}${sizes(evidence)}, but the rate with whole objects differed from that of the hold`,
    advice: 'another run',
  },
  'unsteady sizes': {
    why: (/** @type {Evidence} */ evidence) =>
      `${plateau(evidence)}${sizes(evidence)}, but steps of the same size differed by up to ${percent(spread(evidence))}`,
    advice: 'another run',
  },
  'between sizes': {
    why: (/** @type {Evidence} */ evidence) =>
      `${plateau(evidence)}${sizes(evidence)}, which neither store nor bandwidth explains`,
    advice: 'another --size',
  },
});

/**
 * Prefixes to the evidence of stages that ended early. Such stages get no advice, because no option would show more.
 *
 * @type {Record<Evidence['end'], string>}
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
 * @param {ProvenCause | InconclusiveReason} finding
 * @param {Evidence} evidence
 * @param {ProvenCause | null} likely
 * @returns {Bottleneck}
 */
export function describe(finding, evidence, likely) {
  if (isProven(finding)) {
    const shown = PROVEN[finding](evidence);
    return { cause: finding, certainty: 'proven', evidence: shown, advice: MORE[finding](evidence) };
  }
  const { why, advice } = INCONCLUSIVE[finding];
  const early = EARLY_END[evidence.end];
  const next = typeof advice === 'function' ? advice(evidence) : advice;
  // For 'host busy with others', it is unknown what used the CPU.
  const isStarved = likely === 'host CPU' && finding !== 'host busy with others';
  const shown = isStarved ? PROVEN['host CPU'](evidence) : why(evidence);
  return {
    ...(likely === null ? { cause: 'inconclusive', certainty: 'unknown' } : { cause: likely, certainty: 'likely' }),
    evidence: `${early}${shown}`,
    advice: early === '' ? (isStarved ? ELSEWHERE : next) : null,
  };
}

/**
 * @param {ProvenCause | InconclusiveReason} finding
 * @returns {finding is ProvenCause}
 */
export function isProven(finding) {
  return Object.hasOwn(PROVEN, finding);
}

/** @param {Evidence} evidence */
function plateau({ search }) {
  return `more than ${counted(search?.knee ?? 0, 'thread')} brought no gain`;
}

/** @param {Evidence} evidence */
function heldRate({ search }) {
  return `${decimal(search?.capacity?.operationsPerSecond ?? 0)}/s in the hold`;
}

/** @param {Evidence} evidence */
function bestStep({ search }) {
  return `${decimal(search?.best ?? 0)}/s in the best step before it`;
}

/** @param {Evidence} evidence distorted by a busy host */
function whatWasSeen(evidence) {
  const { search } = evidence;
  if (search?.holdAgrees === false) {
    return `${heldRate(evidence)} and ${bestStep(evidence)}`;
  }
  return search?.hasPlateau ? `${plateau(evidence)}${sizes(evidence)}` : latencies(evidence);
}

/** @param {Evidence} evidence */
function schedule(evidence) {
  const thread = busiestThread(evidence);
  if (thread === null) {
    return room(evidence);
  }
  return `${nameOfLoop(evidence.loops)} ${timeOf(thread)}`;
}

/** @param {number} loops */
function nameOfLoop(loops) {
  return loops === 1 ? 'event loop' : `busiest of ${counted(loops, 'event loop')}`;
}

/** @param {Evidence} evidence */
function cpus(evidence) {
  const share = busyShare(evidence);
  const { cpu = null, quota = null } = evidence.host ?? {};
  const held = quota !== null && quota.throttled >= SHOWN_THROTTLING ? `, ${heldBack(quota)}` : '';
  if (share === null || cpu === null) {
    return `the CPU use of this host is unknown${held}`;
  }
  const others = `other processes used ${cpu.others.toFixed(2)} of them${endpointShare(evidence)}`;
  const stolen = stolenShare(evidence);
  const taken = stolen >= SHOWN_STEAL ? `, ${percent(stolen)} taken by the hypervisor` : '';
  return `${counted(cpu.usable, 'CPU')} ${percent(share)} busy, ${others}${taken}${held}`;
}

/** @param {Evidence} evidence */
function endpointShare({ host }) {
  const { endpoint = null, store = null } = host ?? {};
  if (endpoint !== null) {
    return ` (the embedded endpoint ${endpoint.cpu.toFixed(2)})`;
  }
  return store === null ? '' : ` (the store ${store.cpu.toFixed(2)})`;
}

/** @param {Evidence} evidence */
function fullEndpoint(evidence) {
  const { cpu = null, endpoint = null } = evidence.host ?? {};
  const of = cpu === null ? '' : ` of ${counted(cpu.usable, 'CPU')}`;
  return (
    `the embedded endpoint is at its limit: its only event loop ran ${percent(endpoint?.running ?? 0)} of the time, ` +
    `with ${(endpoint?.cpu ?? 0).toFixed(2)}${of}, ${room(evidence)}`
  );
}

/** @param {Evidence} evidence */
function tooLittleCpu(evidence) {
  const endpoint = busierEndpoint(evidence);
  return endpoint === null
    ? `the client: ${schedule(evidence)}, ${cpuTaker(evidence)}`
    : `the embedded endpoint: its event loop ${timeOf(endpoint)}, ${cpus(evidence)}`;
}

/** @param {Evidence} evidence */
function endpointSchedule(evidence) {
  const { endpoint = null } = evidence.host ?? {};
  return endpoint === null ? schedule(evidence) : `its event loop ${timeOf(endpoint)}`;
}

/** @param {{ running: number, waiting: number }} thread */
function timeOf({ running, waiting }) {
  return `ran ${percent(running)} of the time and waited for a CPU ${percent(waiting)}`;
}

/** A smaller share of stolen time is not worth mentioning. */
const SHOWN_STEAL = 0.05;

/** A smaller share of throttled periods is not worth mentioning. */
const SHOWN_THROTTLING = 0.05;

/** @param {NonNullable<HostLoad['quota']>} quota */
function heldBack({ cores, throttled }) {
  return `throttled by a CPU quota of ${cores.toFixed(2)} cores in ${percent(throttled)} of its periods`;
}

/** @param {Evidence} evidence */
function cpuTaker(evidence) {
  const { quota = null, cpu = null } = evidence.host ?? {};
  switch (cpuConsumerOf(evidence.host)) {
    case 'quota':
      return heldBack(/** @type {NonNullable<typeof quota>} */ (quota));
    case 'steal':
      return `the hypervisor took ${percent(cpu?.steal ?? 0)} of the CPU time`;
    default:
      return cpus(evidence);
  }
}

/** @param {Evidence} evidence */
function retransmissions({ host }) {
  const { tcp = null } = host ?? {};
  return tcp === null || tcp.sent === 0
    ? ''
    : `, ${((100 * tcp.retransmitted) / (tcp.sent + tcp.retransmitted)).toFixed(2)}% of TCP segments retransmitted`;
}

/** @param {NetworkLoad} network */
function link({ interface: name, fullShare, received, sent, linkSpeed }) {
  const traffic = `${megabytes(received)} received and ${megabytes(sent)} sent, link speed ${megabytes(linkSpeed ?? 0)}`;
  return `${name} was saturated ${percent(fullShare ?? 0)} of the time: ${traffic}`;
}

/** @param {number} bytesPerSecond */
function megabytes(bytesPerSecond) {
  return `${decimal(bytesPerSecond / MEGABYTE)}MiB/s`;
}

/** @param {Evidence} evidence */
function latencies({ threads, p50, unloadedP50, unloadedSize }) {
  const size = unloadedSize === null ? '' : ` and objects of ${formatSize(unloadedSize)}`;
  const alone = `${threads === 1 ? 'before the run' : 'with one'}${size}`;
  return `median latency ${milliseconds(p50)} with ${counted(threads, 'thread')}, ${milliseconds(unloadedP50)} ${alone}`;
}

/** @param {Evidence} evidence */
function tail(evidence) {
  const of = milliseconds(evidence.mean);
  return hasLongTail(evidence) ? `, but the mean is ${of}` : '';
}

/** @param {Evidence} evidence */
function sizes({ search }) {
  const of = (/** @type {SizeRate} */ { size, operationsPerSecond }) =>
    `${decimal(operationsPerSecond)}/s of ${formatSize(size)}`;
  return search?.halfSize ? `, ${of(search.halfSize.whole)} and ${of(search.halfSize.half)}` : '';
}

/** @param {Evidence} evidence */
function spread({ search }) {
  const { whole, half } = search?.halfSize ?? {};
  return Math.max(whole?.spread ?? 0, half?.spread ?? 0);
}

/** @param {Evidence} evidence */
function room({ eventLoopUtilization, search }) {
  // A search reports this figure for the busiest of its steps at capacity.
  return `event loop ${search === null ? '' : 'up to '}${percent(eventLoopUtilization)} busy`;
}

/** @param {number | null} value ms */
function milliseconds(value) {
  return value === null ? 'unknown' : `${value.toFixed(2)}ms`;
}

/** @type {Record<LimitingResource, string | null>} */
const ADVICE = {
  threads: 'more <threads> and <objects>',
  time: null,
  objects: 'more <objects>',
  leftovers: 'more objects left by Write',
  dollars: 'a higher --max-cost',
};

/** What to try next; null if more of a resource would not help. @param {LimitingResource | null} limitingResource */
export function adviceFor(limitingResource) {
  return limitingResource === null ? 'another run' : ADVICE[limitingResource];
}
