import { readFileSync } from 'node:fs';

const NANOSECONDS_A_MS = 1e6;

/**
 * How long the main thread of this process has waited for a core since it began, as Linux counts it: the second number of
 * `/proc/self/schedstat`, see Documentation/scheduler/sched-stats.rst of the kernel.
 *
 * @param {string} [file]
 * @returns {number | null} ms; null where the system does not count it
 */
export function coreWait(file = '/proc/self/schedstat') {
  try {
    return parseCoreWait(readFileSync(file, 'utf8'));
  } catch {
    // There are systems without the file.
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
