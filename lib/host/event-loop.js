import { PerformanceObserver, monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { readScheduling } from './proc-files.js';
import { readSystemFile } from './system-file.js';

/**
 * @import { IntervalHistogram } from 'node:perf_hooks'
 * @import { LoopLoad } from '../model/result.js'
 * @import { ReadSystemFile } from './system-file.js'
 */

const SCHEDULING_OF_THREAD = '/proc/thread-self/schedstat';

/** Interval between delay measurements. Each wakes an idle loop: one every 20 ms took 0.5% of a core. */
const DELAY_RESOLUTION_MS = 50;

/** If the host was suspended, the loop's own time exceeds the clock's by at least this. */
const MIN_PAUSE_MS = 500;

const NANOSECONDS = 1e6;

/** @returns {number} ms that the calling thread had a CPU or waited for one; where unknown, the process's CPU time */
export function threadDemand() {
  const scheduling = readScheduling(readSystemFile(SCHEDULING_OF_THREAD) ?? '');
  if (scheduling !== null) {
    return scheduling.running + scheduling.waiting;
  }
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

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
  const garbage = measureGarbageCollection();
  return () => {
    const duration = Math.max(now() - startedAt, 1);
    const after = scheduling();
    const isKnown = before !== null && after !== null;
    const running = isKnown ? (after.running - before.running) / duration : null;
    const waiting = isKnown ? (after.waiting - before.waiting) / duration : null;
    delay.disable();
    const { idle, active, utilization: share } = performance.eventLoopUtilization(utilization);
    // The loop counts a suspension as busy or idle, depending on when it started.
    const wasSuspended = idle + active - duration > MIN_PAUSE_MS;
    return {
      utilization: wasSuspended && running !== null ? Math.min(running + Number(waiting), 1) : share,
      running,
      waiting,
      delayP50: delayOf(delay, 50),
      delayP99: delayOf(delay, 99),
      garbageCollection: garbage() / duration,
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

/** @returns {() => number} ms of garbage collection on this thread since this call; call the function once */
function measureGarbageCollection() {
  let time = 0;
  const add = (/** @type {PerformanceEntry} */ { duration }) => (time += duration);
  const observer = new PerformanceObserver((list) => list.getEntries().forEach(add));
  observer.observe({ type: 'gc' });
  return () => {
    observer.takeRecords().forEach(add);
    observer.disconnect();
    return time;
  };
}
