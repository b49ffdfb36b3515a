import { performance } from 'node:perf_hooks';

/** @import { ClientLoad } from '../result/result.js' */

/**
 * Starts measuring the CPU time of the whole process, including Node's own threads and an embedded endpoint.
 *
 * @returns {() => Pick<ClientLoad, 'cpuUser' | 'cpuSystem'>} CPU time since this call, in ms
 */
export function measureCpuTime() {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return { cpuUser: user / 1000, cpuSystem: system / 1000 };
  };
}

/** @returns {() => number} share of time since this call in which the thread's event loop was busy, 0 to 1 */
export function measureEventLoop() {
  const before = performance.eventLoopUtilization();
  return () => performance.eventLoopUtilization(before).utilization;
}
