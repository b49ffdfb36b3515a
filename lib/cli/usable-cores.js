import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const CGROUP_QUOTA = '/sys/fs/cgroup/cpu.max';

/**
 * How many cores the process may use: those of the host that it may run on, or fewer where a container's quota of CPU
 * time gives less.
 *
 * @returns {number} at least 1
 */
export function usableCores() {
  return Math.max(Math.min(availableParallelism(), Math.floor(quota(readQuota()))), 1);
}

/**
 * @param {string} text of cgroup v2's `cpu.max`: `max 100000`, or `150000 100000` for one and a half cores
 * @returns {number} cores, Infinity where there is no quota
 */
export function quota(text) {
  const match = /^(\d+) (\d+)\s*$/.exec(text);
  return match === null || Number(match[2]) === 0 ? Infinity : Number(match[1]) / Number(match[2]);
}

function readQuota() {
  try {
    return readFileSync(CGROUP_QUOTA, 'utf8');
  } catch {
    // Without cgroup v2 there is no quota to be read.
    return '';
  }
}
