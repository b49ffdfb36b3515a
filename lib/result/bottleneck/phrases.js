import { counted, decimal, percent, rounded } from '../../text/figures.js';
import { MEGABYTE, formatSize } from '../../text/units.js';
import { busierEndpoint, busiestThread, busyShare, stolenShare } from './host-evidence.js';
import { hasLongTail, isHeldApart } from './signs.js';

// The figures of a finding, as parts of its evidence.

/**
 * @import { Evidence, Refusals, SizeRate } from './classify.js'
 * @import { HostLoad } from '../result.js'
 * @import { LimitingResource } from '../search.js'
 */

/** @param {Evidence} evidence */
export function clientUse({ eventLoopUtilization, loops, cpuCores }) {
  return `${nameOfLoop(loops)} busy ${percent(eventLoopUtilization)} of the time, ${cpuCores.toFixed(2)} CPU cores used`;
}

/** In a mix, a kind keeps some of the stage's threads busy. @param {Pick<Evidence, 'threads' | 'ofThreads'>} evidence */
function threadsText({ threads, ofThreads }) {
  return ofThreads === undefined ? counted(threads, 'thread') : `about ${threads} of ${counted(ofThreads, 'thread')}`;
}

/** @param {Refusals & Pick<Evidence, 'ofThreads'>} evidence */
export function refusals(evidence) {
  const { attempts, throttled, backoffShare } = evidence;
  const share = (100 * (throttled / attempts)).toFixed(1);
  return `${share}% of ${rounded(attempts)} attempts refused with ${threadsText(evidence)}, threads waited ${percent(backoffShare)} of their time`;
}

/** @param {Evidence} evidence */
export function failures({ operations, failed, backoffShare }) {
  return `${rounded(failed)} of ${counted(operations + failed, 'operation')} failed, threads lost ${percent(backoffShare)} of their time to failed attempts`;
}

/** @param {Evidence} evidence of an open loop that did not keep its rate */
export function startDelays(evidence) {
  const { startDelayP50, startDelayP90, operations, failed } = evidence;
  const delays = `half of the operations started up to ${milliseconds(startDelayP50)} late, 90% up to ${milliseconds(startDelayP90)}`;
  return `${delays}, ${rounded(failed)} of ${counted(operations + failed, 'operation')} failed, ${room(evidence)}`;
}

/** @param {Evidence} evidence whose network is known */
export function network({ host }) {
  const link = /** @type {NonNullable<HostLoad['network']>} */ (host?.network ?? null);
  const traffic = `${megabytes(link.received)} received and ${megabytes(link.sent)} sent`;
  return `${link.interface} was saturated ${percent(link.fullShare ?? 0)} of the time: ${traffic}, link speed ${megabytes(link.linkSpeed ?? 0)}`;
}

/** @param {number} bytesPerSecond */
function megabytes(bytesPerSecond) {
  return `${decimal(bytesPerSecond / MEGABYTE)}MiB/s`;
}

/** @param {Evidence} evidence */
export function latencies(evidence) {
  const { threads, p50, mean, unloadedP50, unloadedSize } = evidence;
  const size = unloadedSize === null ? '' : ` and objects of ${formatSize(unloadedSize)}`;
  const alone = `${threads === 1 ? 'before the run' : 'with one'}${size}`;
  const tail = hasLongTail(evidence) ? `, but the mean is ${milliseconds(mean)}` : '';
  return `median latency ${milliseconds(p50)} with ${threadsText(evidence)}, ${milliseconds(unloadedP50)} ${alone}${tail}`;
}

/** @param {number | null} value ms */
function milliseconds(value) {
  return value === null ? 'unknown' : `${value.toFixed(2)}ms`;
}

/** What a search saw. @param {Evidence} evidence */
export function searched(evidence) {
  const { search } = evidence;
  if (isHeldApart(evidence)) {
    const held = decimal(search?.capacity?.operationsPerSecond ?? 0);
    return `${held}/s in the hold, but ${decimal(search?.best ?? 0)}/s in the best step before it`;
  }
  if (search?.hasPlateau) {
    return `more than ${counted(search.knee ?? 0, 'thread')} brought no gain${sizes(evidence)}`;
  }
  return `no plateau was reached${search?.limitingResource === 'time' ? ' in the time allowed' : ''}`;
}

/** @param {Evidence} evidence */
function sizes({ search }) {
  const of = (/** @type {SizeRate} */ { size, operationsPerSecond }) =>
    `${decimal(operationsPerSecond)}/s of ${formatSize(size)}`;
  return search?.halfSize ? `, ${of(search.halfSize.whole)} and ${of(search.halfSize.half)}` : '';
}

/** @param {Evidence} evidence */
export function room({ eventLoopUtilization, search }) {
  // A search reports this figure for the busiest of its steps at capacity.
  return `event loop ${search === null ? '' : 'up to '}${percent(eventLoopUtilization)} busy`;
}

/** How busy the client or, if it was busier, the embedded endpoint was. @param {Evidence} evidence */
export function schedule(evidence) {
  const endpoint = busierEndpoint(evidence);
  const thread = endpoint ?? busiestThread(evidence);
  if (thread === null) {
    return room(evidence);
  }
  const name = endpoint === null ? nameOfLoop(evidence.loops) : "the embedded endpoint's event loop";
  return `${name} ran ${percent(thread.running)} of the time and waited for a CPU ${percent(thread.waiting)}`;
}

/** @param {number} loops */
function nameOfLoop(loops) {
  return loops === 1 ? 'event loop' : `busiest of ${counted(loops, 'event loop')}`;
}

/** A smaller share of stolen time, or of throttled periods, is not worth mentioning. */
const MIN_SHOWN = 0.05;

/** @param {Evidence} evidence */
function cpus(evidence) {
  const share = busyShare(evidence);
  const { cpu = null, quota = null, endpoint = null } = evidence.host ?? {};
  const held = quota !== null && quota.throttled >= MIN_SHOWN ? `, ${heldBack(quota)}` : '';
  if (share === null || cpu === null) {
    return `the CPU use of this host is unknown${held}`;
  }
  const ofStore = endpoint === null ? '' : ` (the embedded endpoint ${endpoint.cpu.toFixed(2)})`;
  const stolen = stolenShare(evidence);
  const taken = stolen >= MIN_SHOWN ? `, ${percent(stolen)} taken by the hypervisor` : '';
  return `${counted(cpu.usable, 'CPU')} ${percent(share)} busy, other processes used ${cpu.others.toFixed(2)} of them${ofStore}${taken}${held}`;
}

/** @param {NonNullable<HostLoad['quota']>} quota */
function heldBack({ cores, throttled }) {
  return `throttled by a CPU quota of ${cores.toFixed(2)} cores in ${percent(throttled)} of its periods`;
}

/** How this host and its connections were used. @param {Evidence} evidence */
export function timeUse(evidence) {
  const { sent = 0, retransmitted = 0 } = evidence.host?.tcp ?? {};
  const share = ((100 * retransmitted) / (sent + retransmitted)).toFixed(2);
  const segments = sent === 0 ? '' : `, ${share}% of TCP segments retransmitted`;
  return `${schedule(evidence)}, ${cpus(evidence)}${segments}`;
}

/** The stage was short of CPU, or a step of its search was. @param {Evidence} evidence */
export function tooLittleCpu(evidence) {
  return `this host had too little CPU: ${timeUse({ ...evidence, ...evidence.search?.busyHost })}`;
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
