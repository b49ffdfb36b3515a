/** Files that are open beside the connections: modules, pipes, the event loops' own. */
const OTHER_FILES = 64;

/**
 * Node raises the soft limit on open files to the hard one when it starts, so that the hard one decides.
 *
 * @param {{ getReport: () => object, excludeNetwork?: boolean }} report of the process
 * @returns {number} files that the process may have open, Infinity where there is no limit or none is told
 */
export function openFileLimit(report) {
  // Looking up the names of all connections would take its time.
  report.excludeNetwork = true;
  const { userLimits } = /** @type {any} */ (report.getReport());
  const hard = userLimits?.open_files?.hard;
  return typeof hard === 'number' ? hard : Infinity;
}

/**
 * @param {number} threads each with a connection
 * @param {number} limit of open files
 * @returns {string | null} the problem, or null where the threads fit
 */
export function fileLimitProblem(threads, limit) {
  const needed = threads + OTHER_FILES;
  if (needed <= limit) {
    return null;
  }
  return `${threads} threads need ${needed} open files, and the hard limit is ${limit}: raise it with \`ulimit -n ${needed}\` (as root, or in /etc/security/limits.conf) in the shell that starts the run, or use fewer threads`;
}
