import { connectionsFor } from '../operations/multipart.js';

/** @import { MultipartConfig } from '../model/config.js' */

/** Open files other than connections: modules, pipes and files of the event loops. */
const OTHER_FILES = 64;

/** Files opened by the event loop of each worker thread, counted on Linux: four by Node 20, five by Node 26. */
const FILES_PER_WORKER = 5;

/**
 * @param {{ threads: number, cores: number, multipart?: MultipartConfig }} run each thread has one connection, or
 *   several with multipart
 * @param {number} limit of open files
 * @returns {string | null} the problem, or null if the limit is high enough
 */
export function fileLimitProblem({ threads, cores, multipart }, limit) {
  // With one core, the only worker runs in the main thread.
  const ofCores = cores === 1 ? 0 : cores * FILES_PER_WORKER;
  const needed = connectionsFor({ threads, multipart }) + ofCores + OTHER_FILES;
  if (needed <= limit) {
    return null;
  }
  const onCores = cores === 1 ? '' : ` on ${cores} cores`;
  const ofParts = multipart === undefined ? '' : ` with ${multipart.partThreads} part threads each`;
  return `${threads} threads${ofParts}${onCores} need ${needed} open files, but the hard limit is ${limit}: raise it with \`ulimit -n ${needed}\` (as root, or in /etc/security/limits.conf) in the shell that starts the run, or use fewer threads`;
}
