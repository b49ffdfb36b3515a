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

/** Files that are open in addition to the connections: modules, pipes, the event loops' own. */
const OTHER_FILES = 64;

/** What the event loop of a further thread opens, by count on Linux. */
const FILES_OF_A_THREAD = 4;

/**
 * Node raises the soft limit on open files to the hard one when it starts, so that the hard one decides.
 *
 * @param {{ getReport: () => object, excludeNetwork?: boolean }} report of the process
 * @returns {number} files that the process may have open, Infinity if there is no limit, or it is unknown
 */
export function openFileLimit(report) {
  // Looking up the names of all connections would take its time.
  report.excludeNetwork = true;
  const { userLimits } = /** @type {any} */ (report.getReport());
  const hard = userLimits?.open_files?.hard;
  return typeof hard === 'number' ? hard : Infinity;
}

/**
 * @param {{ threads: number, cores: number }} run each thread has a connection
 * @param {number} limit of open files
 * @returns {string | null} the problem, or null where the run fits
 */
export function fileLimitProblem({ threads, cores }, limit) {
  // A single core runs in the main thread.
  const ofCores = cores === 1 ? 0 : cores * FILES_OF_A_THREAD;
  const needed = threads + ofCores + OTHER_FILES;
  if (needed <= limit) {
    return null;
  }
  const onCores = cores === 1 ? '' : ` on ${cores} cores`;
  return `${threads} threads${onCores} need ${needed} open files, and the hard limit is ${limit}: raise it with \`ulimit -n ${needed}\` (as root, or in /etc/security/limits.conf) in the shell that starts the run, or use fewer threads`;
}
