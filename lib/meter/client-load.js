import { performance } from 'node:perf_hooks';

/**
 * What a stage cost the client itself.
 *
 * @typedef {object} ClientLoad
 * @property {number} cpuUser ms of CPU time in the process's own code
 * @property {number} cpuSystem ms of CPU time in the kernel on its behalf
 * @property {number} eventLoopUtilization the share of the time that the event loop was busy, 0 to 1
 */

/**
 * Begins to measure what the client itself costs. The whole process counts, the threads of Node and of an endpoint that
 * runs inside it included.
 *
 * @returns {() => ClientLoad} what has come together since
 */
export function measureClientLoad() {
  const cpu = process.cpuUsage();
  const loop = performance.eventLoopUtilization();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    const { utilization } = performance.eventLoopUtilization(loop);
    return { cpuUser: user / 1000, cpuSystem: system / 1000, eventLoopUtilization: utilization };
  };
}
