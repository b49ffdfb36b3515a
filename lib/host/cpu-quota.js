import { availableParallelism } from 'node:os';
import path from 'node:path';
import { readCgroups, readQuota, readThrottling } from './proc-files.js';
import { readSystemFile } from './system-file.js';

/**
 * @import { Throttling } from './proc-files.js'
 * @import { ReadSystemFile } from './system-file.js'
 */

/** Where the trees of control groups are: of version 2, by itself or beside version 1, and of version 1 for CPU. */
const UNIFIED_ROOTS = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'];
const CPU_ROOTS = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup/cpu,cpuacct'];

/**
 * @typedef {object} CpuQuota
 * @property {number} cores parts of one included
 * @property {string} statistics the file that tells for how long the group was held back
 */

/**
 * The smallest quota of the control groups that the process is in: each group is within all those above it.
 *
 * @param {ReadSystemFile} [read]
 * @returns {CpuQuota | null} null where there is none
 */
export function findCpuQuota(read = readSystemFile) {
  const { unified, cpu } = readCgroups(read('/proc/self/cgroup') ?? '');
  const quotas = [
    ...foldersOf(UNIFIED_ROOTS, unified).map((folder) => ({
      cores: readQuota(read(`${folder}/cpu.max`) ?? ''),
      statistics: `${folder}/cpu.stat`,
    })),
    ...foldersOf(CPU_ROOTS, cpu).map((folder) => ({
      cores: readQuota(`${read(`${folder}/cpu.cfs_quota_us`)} ${read(`${folder}/cpu.cfs_period_us`)}`),
      statistics: `${folder}/cpu.stat`,
    })),
  ].filter(({ cores }) => cores < Infinity);
  return quotas.length === 0 ? null : quotas.reduce((least, quota) => (quota.cores < least.cores ? quota : least));
}

/**
 * A container may see the path that its group has on the host, and its own group at the root.
 *
 * @param {readonly string[]} roots
 * @param {string | null} group
 * @returns {string[]} of the group and of all those above it
 */
function foldersOf(roots, group) {
  if (group === null) {
    return [];
  }
  const groups = [group];
  while (groups[0] !== '/') {
    groups.unshift(path.posix.dirname(groups[0]));
  }
  return roots.flatMap((root) => groups.map((each) => (each === '/' ? root : `${root}${each}`)));
}

/**
 * @param {CpuQuota} quota
 * @param {ReadSystemFile} [read]
 * @returns {Throttling | null} what it has done so far
 */
export function throttlingOf({ statistics }, read = readSystemFile) {
  return readThrottling(read(statistics) ?? '');
}

/**
 * How much CPU time the process may use: the cores of the host that it may run on, or less where a quota gives less.
 *
 * @returns {number} cores, parts of one included
 */
export function availableCores() {
  return Math.min(availableParallelism(), findCpuQuota()?.cores ?? Infinity);
}

/** @returns {number} how many event loops there are cores for, at least 1 */
export function usableCores() {
  return Math.max(Math.floor(availableCores()), 1);
}
