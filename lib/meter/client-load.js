import { performance } from 'node:perf_hooks';

/** @import { ClientLoad } from '../model/result.js' */

/**
 * Starts measuring the CPU time of the whole process, including Node's own threads and an embedded endpoint.
 *
 * @returns {() => Pick<ClientLoad, 'cpuUser' | 'cpuSystem'>} CPU time since then
 */
export function measureCpuTime() {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return { cpuUser: user / 1000, cpuSystem: system / 1000 };
  };
}

/**
 * Starts measuring the event loop of the calling thread.
 *
 * @returns {() => number} the share of time since then in which it was busy, 0 to 1
 */
export function measureEventLoop() {
  const before = performance.eventLoopUtilization();
  return () => performance.eventLoopUtilization(before).utilization;
}
