import { availableParallelism } from 'node:os';
import path from 'node:path';
import { readGroup, readQuota, readSystemFile } from './proc-files.js';

/** @import { ReadSystemFile } from './proc-files.js' */

/**
 * @typedef {{ cores: number, statistics: string }} CpuQuota `cores` can be fractional; `statistics`: the file that
 *   reports throttling
 */

/** Where control groups are mounted: version 2, alone or alongside version 1. */
const ROOTS = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'];

/**
 * The smallest quota of the process's control groups. A group is also subject to the quotas of its ancestors. In a
 * container, the group's path may be the one on the host, although the group itself is mounted at the root.
 *
 * @param {ReadSystemFile} [read]
 * @returns {CpuQuota | null} null if there is no quota
 */
export function findCpuQuota(read = readSystemFile) {
  const group = readGroup(read('/proc/self/cgroup') ?? '');
  if (group === null) {
    return null;
  }
  const groups = [group];
  while (groups[0] !== '/') {
    groups.unshift(path.posix.dirname(groups[0]));
  }
  return ROOTS.flatMap((root) => groups.map((each) => (each === '/' ? root : `${root}${each}`)))
    .map((folder) => ({ cores: readQuota(read(`${folder}/cpu.max`) ?? ''), statistics: `${folder}/cpu.stat` }))
    .filter(({ cores }) => cores < Infinity)
    .reduce(
      (/** @type {CpuQuota | null} */ least, quota) => (quota.cores < (least?.cores ?? Infinity) ? quota : least),
      null,
    );
}

/** The cores of the host that the process can use, or a smaller quota; can be fractional. */
export function availableCores() {
  return Math.min(availableParallelism(), findCpuQuota()?.cores ?? Infinity);
}

/**
 * Node raises the soft limit on open files to the hard limit at startup, so the hard limit applies.
 *
 * @param {{ getReport: () => object, excludeNetwork?: boolean }} report of the process
 * @returns {number} files that the process can have open; Infinity if unlimited or unknown
 */
export function openFileLimit(report) {
  const { excludeNetwork } = report;
  // Resolving the names of all connections would take too long.
  report.excludeNetwork = true;
  const { userLimits } = /** @type {any} */ (report.getReport());
  report.excludeNetwork = excludeNetwork;
  const hard = userLimits?.open_files?.hard;
  return typeof hard === 'number' ? hard : Infinity;
}
