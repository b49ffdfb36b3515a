import { availableParallelism } from 'node:os';
import path from 'node:path';
import { readCgroups, readQuota, readThrottling } from './proc-files.js';
import { readSystemFile } from './system-file.js';

/**
 * @import { Throttling } from './proc-files.js'
 * @import { ReadSystemFile } from './system-file.js'
 *
 * @typedef {{ cores: number, statistics: string }} CpuQuota `cores` can be fractional; `statistics`: the file that
 *   reports throttling
 */

/** Roots of control group hierarchies: version 2, alone or alongside version 1, and version 1 for CPU. */
const UNIFIED_ROOTS = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'];
const CPU_ROOTS = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup/cpu,cpuacct'];

/**
 * The smallest quota of the process's control groups. A group is also subject to the quotas of its ancestors.
 *
 * @param {ReadSystemFile} [read]
 * @returns {CpuQuota | null} null if there is no quota
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
 * In a container, the group's path may be the one on the host, although the group itself is mounted at the root.
 *
 * @param {readonly string[]} roots
 * @param {string | null} group
 * @returns {string[]} folders of the group and its ancestors
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
 * @returns {Throttling | null} since the group was created
 */
export function throttlingOf({ statistics }, read = readSystemFile) {
  return readThrottling(read(statistics) ?? '');
}

/** The cores of the host that the process can use, or a smaller quota; can be fractional. */
export function availableCores() {
  return Math.min(availableParallelism(), findCpuQuota()?.cores ?? Infinity);
}
