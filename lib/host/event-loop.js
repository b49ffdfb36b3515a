import { PerformanceObserver, monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { readScheduling } from './proc-files.js';
import { readSystemFile } from './system-file.js';

/**
 * @import { IntervalHistogram } from 'node:perf_hooks'
 * @import { LoopLoad } from '../model/result.js'
 * @import { ReadSystemFile } from './system-file.js'
 */

const SCHEDULING_OF_THREAD = '/proc/thread-self/schedstat';

/** How often the delay is looked at. Each look wakes an idle loop: every 20 ms they took 0.5% of a core. ms */
const DELAY_RESOLUTION_MS = 50;

/** A pause makes the loop's own time longer than the clock's by at least this. ms */
const MIN_PAUSE_MS = 500;

const NANOSECONDS = 1e6;

/** @returns {number} ms for which this process has had a CPU, and the thread that calls it has waited for one */
export function cpuDemand() {
  const { user, system } = process.cpuUsage();
  const scheduling = readScheduling(readSystemFile(SCHEDULING_OF_THREAD) ?? '');
  return (user + system) / 1000 + (scheduling?.waiting ?? 0);
}

/**
 * Begins to measure the event loop of the thread that calls it. Its utilization takes the time in which the thread waits
 * for a CPU for busy, or for idle, as it comes: only the system's scheduler tells that apart.
 *
 * @param {object} options
 * @param {() => number} options.now monotonic ms
 * @param {ReadSystemFile} [options.read]
 * @returns {() => LoopLoad} since then; to be called once, on the same thread
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
    // The loop counts a pause as busy or as idle, depending on when it began.
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
 * @param {IntervalHistogram} delay times between two looks, the interval that they should have included
 * @param {number} percentile
 * @returns {number | null} ms
 */
function delayOf(delay, percentile) {
  return delay.count === 0 ? null : Math.max(delay.percentile(percentile) / NANOSECONDS - DELAY_RESOLUTION_MS, 0);
}

/** @returns {() => number} ms that the collection of garbage of this thread has taken since; to be called once */
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
