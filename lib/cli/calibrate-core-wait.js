import { readFileSync } from 'node:fs';

const NANOSECONDS_A_MS = 1e6;

/**
 * How long a process's main thread has waited for a core since it began, as Linux counts it: the second number of
 * `/proc/<pid>/schedstat`, see Documentation/scheduler/sched-stats.rst of the kernel.
 *
 * @param {number} pid
 * @returns {number | null} ms; null where the system does not tell
 */
export function coreWait(pid) {
  try {
    return parseCoreWait(readFileSync(`/proc/${pid}/schedstat`, 'utf8'));
  } catch {
    // There are systems without the file, and it goes with its process.
    return null;
  }
}

/**
 * @param {string} text of the file
 * @returns {number | null} ms
 */
export function parseCoreWait(text) {
  const match = /^(\d+) (\d+) \d+\s*$/.exec(text);
  // A kernel that does not count has zeros, although the process has run.
  return match === null || Number(match[1]) === 0 ? null : Number(match[2]) / NANOSECONDS_A_MS;
}
