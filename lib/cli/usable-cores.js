import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const CGROUP_QUOTA = '/sys/fs/cgroup/cpu.max';

/**
 * How much CPU time the process may use: the cores of the host that it may run on, or less where a container's quota
 * gives less.
 *
 * @returns {number} cores, parts of one included
 */
export function availableCores() {
  return Math.min(availableParallelism(), quota(readQuota()));
}

/** @returns {number} how many event loops there are cores for, at least 1 */
export function usableCores() {
  return Math.max(Math.floor(availableCores()), 1);
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
