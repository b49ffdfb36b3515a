import { performance } from 'node:perf_hooks';

/** @import { ClientLoad } from '../model/result.js' */

/**
 * Begins to measure CPU time. The whole process counts, the threads of Node and of an endpoint that runs inside it
 * included.
 *
 * @returns {() => Pick<ClientLoad, 'cpuUser' | 'cpuSystem'>} what has come together since
 */
export function measureCpuTime() {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return { cpuUser: user / 1000, cpuSystem: system / 1000 };
  };
}

/**
 * Begins to measure the event loop of the thread that calls it.
 *
 * @returns {() => number} the share of the time since in which it was busy, 0 to 1
 */
export function measureEventLoop() {
  const before = performance.eventLoopUtilization();
  return () => performance.eventLoopUtilization(before).utilization;
}
