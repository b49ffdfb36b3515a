import { connectionsFor } from '../operations/multipart.js';

/** @import { MultipartConfig } from '../model/run-config.js' */

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
 * @param {{ threads: number, cores: number, multipart?: MultipartConfig }} run each thread has a connection, or several
 * @param {number} limit of open files
 * @returns {string | null} the problem, or null where the run fits
 */
export function fileLimitProblem({ threads, cores, multipart }, limit) {
  // A single core runs in the main thread.
  const ofCores = cores === 1 ? 0 : cores * FILES_OF_A_THREAD;
  const needed = connectionsFor({ threads, multipart }) + ofCores + OTHER_FILES;
  if (needed <= limit) {
    return null;
  }
  const onCores = cores === 1 ? '' : ` on ${cores} cores`;
  const ofParts = multipart === undefined ? '' : ` with ${multipart.partThreads} part threads each`;
  return `${threads} threads${ofParts}${onCores} need ${needed} open files, and the hard limit is ${limit}: raise it with \`ulimit -n ${needed}\` (as root, or in /etc/security/limits.conf) in the shell that starts the run, or use fewer threads`;
}
