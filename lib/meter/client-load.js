import { performance } from 'node:perf_hooks';

/**
 * What a stage cost the client itself.
 *
 * @typedef {object} ClientLoad
 * @property {number} cpuUser ms of CPU time in the process's own code, on all cores
 * @property {number} cpuSystem ms of CPU time in the kernel on its behalf
 * @property {number} loops event loops that carried threads
 * @property {number} eventLoopUtilization the share of the time that the busiest event loop was busy, 0 to 1
 * @property {number} busyLoops event loops that were busy on average: the sum of their shares
 */

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
