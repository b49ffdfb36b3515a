import { report } from 'node:process';
import { openFileLimit } from '../host/open-file-limit.js';
import { UsageError } from '../options/usage-error.js';

/** Node opens the files of a program at the same time: this is more than enough. */
const ENOUGH_FILES = 1024;

/**
 * Loads a module of the program.
 *
 * @template Module
 * @param {() => Promise<Module>} importing
 * @returns {Promise<Module>}
 * @throws {UsageError} where the process may not open the files of the module, or a package is not installed
 */
export async function load(importing) {
  try {
    return await importing();
  } catch (error) {
    const problem = loadingProblem(/** @type {NodeJS.ErrnoException} */ (error), openFileLimit(report));
    throw problem === null ? error : new UsageError([problem]);
  }
}

/**
 * @param {NodeJS.ErrnoException} error with which an import ended
 * @param {number} limit of open files
 * @returns {string | null} what the user can put right, null where it is a defect
 */
export function loadingProblem({ code, message }, limit) {
  // Node takes the file of a package that it may not open for one that is not there.
  const isMissing = code === 'ERR_MODULE_NOT_FOUND';
  if (code === 'EMFILE' || code === 'ENFILE' || (isMissing && limit < ENOUGH_FILES)) {
    return `this process may not open enough files to load the program (${isMissing ? 'EMFILE' : code}): raise the limit with \`ulimit -n ${ENOUGH_FILES}\` (as root, or in /etc/security/limits.conf) in the shell that starts it`;
  }
  const missing = isMissing ? /Cannot find package '([^']+)'/.exec(message)?.[1] : undefined;
  return missing === undefined
    ? null
    : `the package ${missing} that this program needs is not installed: run \`npm ci\` in the folder of r2-benchmark.js`;
}
