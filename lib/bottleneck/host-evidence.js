/**
 * @import { EndpointLoad, HostLoad } from '../model/result.js'
 * @import { Evidence } from './classify.js'
 */

/**
 * How the thread of the event loop was scheduled that had the least time left. Shares of the time, 0 to 1.
 *
 * @param {Pick<Evidence, 'host'>} evidence
 * @returns {{ running: number, waiting: number } | null} null where the system does not say it of each
 */
export function busiestThread({ host }) {
  const threads = threadsOf(host);
  return threads.length === 0 ? null : threads.reduce((most, each) => (demandOf(each) > demandOf(most) ? each : most));
}

/**
 * @param {Pick<Evidence, 'host' | 'busyLoops' | 'loops'>} evidence
 * @returns {number} the share of their time that the event loops wanted on average; that they were busy, where the system
 *   does not say more
 */
export function meanDemand({ host, busyLoops, loops }) {
  const threads = threadsOf(host);
  return threads.length === 0
    ? busyLoops / loops
    : threads.reduce((sum, thread) => sum + demandOf(thread), 0) / threads.length;
}

/**
 * @typedef {{ running: number, waiting: number }} Thread
 *
 * @param {HostLoad | null} host
 * @returns {Thread[]} of all event loops; none where one of them is not known
 */
function threadsOf(host) {
  const loops = host?.loops ?? [];
  const known = loops.flatMap(({ running, waiting }) =>
    running === null || waiting === null ? [] : [withStolenTime({ running, waiting }, host)],
  );
  return known.length < loops.length ? [] : known;
}

/**
 * While the hypervisor has the CPU of a thread, the thread is told to neither run nor wait (Linux takes stolen time out of
 * its clock of tasks). It has lost as large a part of its time on a CPU as all have lost of theirs.
 *
 * @template {Thread} Scheduled
 * @param {Scheduled} thread
 * @param {HostLoad | null} host
 * @returns {Scheduled} that has waited for what was stolen, too
 */
function withStolenTime(thread, host) {
  const { busy = 0, steal = null } = host?.cpu ?? {};
  if (steal === null || steal === 0 || busy === 0) {
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
 * @returns {EndpointLoad | null} of the embedded endpoint, where its thread wanted more of the time than any of the
 *   client's; null where there is none, or the system does not say it of each
 */
export function busierEndpoint({ host }) {
  const endpoint = host?.endpoint ? withStolenTime(host.endpoint, host) : null;
  const thread = busiestThread({ host });
  return endpoint !== null && thread !== null && demandOf(endpoint) > demandOf(thread) ? endpoint : null;
}

/**
 * @param {Pick<Evidence, 'host'>} evidence
 * @returns {number | null} ms by which half of the timers of the slowest loop came late, or later
 */
export function loopDelay({ host }) {
  const delays = (host?.loops ?? []).map(({ delayP50 }) => delayP50);
  return delays.length === 0 || delays.includes(null) ? null : Math.max(.../** @type {number[]} */ (delays));
}

/** A mean that is so many times the median shows that some operations take much longer than most. */
const LONG_TAIL = 2;

/** @param {Pick<Evidence, 'mean' | 'p50'>} evidence */
export function hasLongTail({ mean, p50 }) {
  return p50 !== null && Number(mean) > LONG_TAIL * p50;
}

/**
 * @param {Pick<Evidence, 'host'>} evidence
 * @returns {number} the share of the CPUs' time that the hypervisor took, 0 to 1
 */
export function stolenShare({ host }) {
  return host?.cpu?.steal ?? 0;
}

/**
 * @param {Pick<Evidence, 'host' | 'cpuCores'>} evidence
 * @returns {number | null} the share of the CPUs that the process may use that was busy, by whomever, the hypervisor's
 *   other guests included, 0 to 1
 */
export function busyShare({ host, cpuCores }) {
  const cpu = host?.cpu ?? null;
  return cpu === null || cpu.usable === 0
    ? null
    : Math.min((cpu.others + cpuCores) / cpu.usable + stolenShare({ host }), 1);
}

/**
 * @param {Pick<Evidence, 'host' | 'cpuCores'>} evidence
 * @returns {boolean} whether other processes, or other guests of the hypervisor, took nearly all that the client left of its CPUs
 */
export function areCpusTaken({ host, cpuCores }) {
  const cpu = host?.cpu ?? null;
  const left = cpu === null ? 0 : cpu.usable - cpuCores;
  return cpu !== null && left > 0 && cpu.others + stolenShare({ host }) * cpu.usable >= BUSY_CPUS * left;
}

/** From this share of the CPUs that were busy on, it is the store that keeps them busy. */
const MOST_OF_CPU = 0.5;

/** Up to here a host has CPU to spare for a store. */
const ROOM_FOR_STORE = 0.7;

/**
 * @param {Pick<Evidence, 'host' | 'cpuCores'>} evidence
 * @returns {boolean} whether a store on the same host took most of its CPU, and left little of it
 */
export function sharesHostWithStore({ host, cpuCores }) {
  const { store, cpu = null } = host ?? {};
  return (
    store !== undefined &&
    cpu !== null &&
    (busyShare({ host, cpuCores }) ?? 0) >= ROOM_FOR_STORE &&
    store.cpu >= MOST_OF_CPU * (cpu.others + cpuCores)
  );
}

/**
 * Whose the CPUs were for which the client's threads waited, all together: the threads may as well have waited for each
 * other.
 *
 * @param {HostLoad | null} host
 * @returns {'quota' | 'others' | 'steal' | null} null where nothing explains at least half of it
 */
export function takerOfCpu(host) {
  const { quota = null, cpu = null } = host ?? {};
  const half = threadsOf(host).reduce((sum, { waiting }) => sum + waiting, 0) / 2;
  if (quota !== null && quota.heldBack >= half) {
    return 'quota';
  }
  if (cpu !== null && cpu.others >= half) {
    return 'others';
  }
  return cpu !== null && cpu.steal !== null && cpu.steal * cpu.cpus >= half ? 'steal' : null;
}

/** Where the client has to do without a CPU for so much of the time, the rate is not that of the store. */
export const WITHOUT_CPU = 0.2;

/** Where the CPUs are busy for so much of their time, whatever runs on them gets less than it could use. */
export const BUSY_CPUS = 0.9;

/**
 * A store on the same host shares its CPUs with the client, and neither shows what it can do.
 *
 * @param {Pick<Evidence, 'host' | 'cpuCores'>} evidence
 * @returns {boolean}
 */
export function isHostBusy(evidence) {
  return (busiestThread(evidence)?.waiting ?? 0) >= WITHOUT_CPU || isHostCrowded(evidence);
}

/**
 * @param {Pick<Evidence, 'host' | 'cpuCores'>} evidence
 * @returns {boolean} whether there was next to nothing left of the CPUs that the process may use, or of its quota
 */
export function isHostCrowded(evidence) {
  const heldBack = evidence.host?.quota?.throttled ?? 0;
  return heldBack >= WITHOUT_CPU || (busyShare(evidence) ?? 0) >= BUSY_CPUS;
}
