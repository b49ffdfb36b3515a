import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { readScheduling, readSystemFile } from './proc-files.js';

/**
 * @import { IntervalHistogram } from 'node:perf_hooks'
 * @import { ClientLoad, LoopLoad } from '../../result/result.js'
 * @import { ReadSystemFile } from './proc-files.js'
 */

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

const SCHEDULING_OF_THREAD = '/proc/thread-self/schedstat';

/** Interval between delay measurements. Each wakes an idle loop: one every 20 ms took 0.5% of a core. */
const DELAY_RESOLUTION_MS = 50;

const NANOSECONDS = 1e6;

/**
 * Starts measuring the calling thread's event loop. The loop's utilization counts time spent waiting for a CPU as busy
 * or idle, unpredictably; only the system's scheduler knows this time.
 *
 * @param {{ now: () => number, read?: ReadSystemFile }} options `now`: monotonic ms
 * @returns {() => LoopLoad} load since this call; call the function once, on the same thread
 */
export function measureLoop({ now, read = readSystemFile }) {
  const scheduling = () => readScheduling(read(SCHEDULING_OF_THREAD) ?? '');
  const startedAt = now();
  const utilization = performance.eventLoopUtilization();
  const before = scheduling();
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  delay.enable();
  return () => {
    const duration = Math.max(now() - startedAt, 1);
    const after = scheduling();
    const share = (/** @type {'running' | 'waiting'} */ name) =>
      before === null || after === null ? null : (after[name] - before[name]) / duration;
    delay.disable();
    return {
      utilization: performance.eventLoopUtilization(utilization).utilization,
      running: share('running'),
      waiting: share('waiting'),
      delayP50: delayOf(delay, 50),
      delayP99: delayOf(delay, 99),
    };
  };
}

/**
 * @param {IntervalHistogram} delay delays in ns, each of which includes DELAY_RESOLUTION_MS
 * @param {number} percentile
 * @returns {number | null} ms
 */
function delayOf(delay, percentile) {
  return delay.count === 0 ? null : Math.max(delay.percentile(percentile) / NANOSECONDS - DELAY_RESOLUTION_MS, 0);
}
