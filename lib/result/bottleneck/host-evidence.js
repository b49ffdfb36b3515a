/**
 * @import { EndpointLoad, HostLoad } from '../result.js'
 * @import { Evidence } from './classify.js'
 */

/**
 * How the busiest event-loop thread was scheduled, as shares of the time (0 to 1).
 *
 * @param {Pick<Evidence, 'host'>} evidence
 * @returns {{ running: number, waiting: number } | null} null if the system does not report it for every thread
 */
export function busiestThread({ host }) {
  const threads = threadsOf(host);
  return threads.length === 0 ? null : threads.reduce((most, each) => (demandOf(each) > demandOf(most) ? each : most));
}

/**
 * @param {Pick<Evidence, 'host' | 'busyLoops' | 'loops'>} evidence
 * @returns {number} mean share of the time in which event loops wanted a CPU; if the system does not report this, the
 *   mean share in which they were busy
 */
export function meanDemand({ host, busyLoops, loops }) {
  const threads = threadsOf(host);
  return threads.length === 0
    ? busyLoops / loops
    : threads.reduce((sum, thread) => sum + demandOf(thread), 0) / threads.length;
}

/** @typedef {{ running: number, waiting: number }} Thread */

/** How all event-loop threads were scheduled; empty if this is unknown for any thread. @param {HostLoad | null} host */
function threadsOf(host) {
  const loops = host?.loops ?? [];
  const known = loops.flatMap(({ running, waiting }) =>
    running === null || waiting === null ? [] : [withStolenTime({ running, waiting }, host)],
  );
  return known.length < loops.length ? [] : known;
}

/**
 * While the hypervisor has taken the CPU of a thread, Linux counts the thread as neither running nor waiting: its task
 * clock excludes stolen time. Assumes that every thread lost the same share of its CPU time.
 *
 * @template {Thread} Scheduled
 * @param {Scheduled} thread
 * @param {HostLoad | null} host
 * @returns {Scheduled} with the stolen time counted as waiting
 */
function withStolenTime(thread, host) {
  const { busy = 0, steal = 0 } = host?.cpu ?? {};
  if (steal === 0 || busy === 0) {
    return thread;
  }
  const stolen = thread.running * (steal / busy);
  return { ...thread, waiting: Math.min(thread.waiting + stolen, Math.max(1 - thread.running, thread.waiting)) };
}

/** @param {Thread} thread */
function demandOf({ running, waiting }) {
  return running + waiting;
}

/**
 * @param {Pick<Evidence, 'host'>} evidence
 * @returns {EndpointLoad | null} the embedded endpoint, if its thread wanted a CPU more than any thread of the client;
 *   null without an endpoint, or if the system does not report every thread
 */
export function busierEndpoint({ host }) {
  const endpoint = host?.endpoint ? withStolenTime(host.endpoint, host) : null;
  const thread = busiestThread({ host });
  return endpoint !== null && thread !== null && demandOf(endpoint) > demandOf(thread) ? endpoint : null;
}

/** Median ms by which the slowest loop fired timers late; null if unknown. @param {Pick<Evidence, 'host'>} evidence */
export function loopDelay({ host }) {
  const delays = (host?.loops ?? []).map(({ delayP50 }) => delayP50);
  return delays.length === 0 || delays.includes(null) ? null : Math.max(.../** @type {number[]} */ (delays));
}

/** Share of the CPUs' time that the hypervisor took, 0 to 1. @param {Pick<Evidence, 'host'>} evidence */
export function stolenShare({ host }) {
  return host?.cpu?.steal ?? 0;
}

/**
 * @param {Pick<Evidence, 'host' | 'cpuCores'>} evidence
 * @returns {number | null} busy share of the CPUs that the process may use, 0 to 1, with stolen time; null if unknown
 */
export function busyShare({ host, cpuCores }) {
  const cpu = host?.cpu ?? null;
  return cpu === null || cpu.usable === 0
    ? null
    : Math.min((cpu.others + cpuCores) / cpu.usable + stolenShare({ host }), 1);
}

/** Below this busy share, a host has CPU to spare for a store. */
const ROOM_FOR_STORE = 0.7;

/** Whether a store on this host, which is reached over the loopback, may be short of CPU. @param {Evidence} evidence */
export function mayStarveStore(evidence) {
  return evidence.host?.network?.interface === 'lo' && (busyShare(evidence) ?? 0) >= ROOM_FOR_STORE;
}

/**
 * Determines what used the CPUs that the client's threads waited for. Adds up the waits of all threads, because they
 * may also have waited for each other.
 *
 * @param {HostLoad | null} host
 * @returns {'quota' | 'others' | 'steal' | null} null if nothing explains at least half of the waiting
 */
export function cpuConsumerOf(host) {
  const { quota = null, cpu = null } = host ?? {};
  const half = threadsOf(host).reduce((sum, { waiting }) => sum + waiting, 0) / 2;
  if (quota !== null && quota.heldBack >= half) {
    return 'quota';
  }
  if (cpu !== null && cpu.others >= half) {
    return 'others';
  }
  return cpu !== null && cpu.steal * cpu.cpus >= half ? 'steal' : null;
}

/** If the client waits for a CPU for this share of its time, its rate does not show what the store can do. */
export const WITHOUT_CPU = 0.2;

/** If the CPUs are busy for this share of their time, every process gets less than it could use. */
export const BUSY_CPUS = 0.9;

/**
 * @param {Pick<Evidence, 'host' | 'cpuCores'>} evidence
 * @returns {boolean} whether the client, or a store on the same host, had too little CPU to show what it can do
 */
export function isHostBusy(evidence) {
  return (busiestThread(evidence)?.waiting ?? 0) >= WITHOUT_CPU || isHostCrowded(evidence);
}

/**
 * @param {Pick<Evidence, 'host' | 'cpuCores'>} evidence
 * @returns {boolean} whether almost no CPU time was left on the CPUs that the process may use, or in its quota
 */
export function isHostCrowded(evidence) {
  const heldBack = evidence.host?.quota?.throttled ?? 0;
  return heldBack >= WITHOUT_CPU || (busyShare(evidence) ?? 0) >= BUSY_CPUS;
}
