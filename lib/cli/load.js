import { report } from 'node:process';
import { openFileLimit } from '../host/open-file-limit.js';
import { UsageError } from '../options/usage-error.js';

/** A limit of open files that is ample for Node, which opens all files of a program at once. */
const ENOUGH_FILES = 1024;

/**
 * @template Module
 * @param {() => Promise<Module>} importing
 * @returns {Promise<Module>}
 * @throws {UsageError} if the process reaches its limit of open files, or a package is not installed
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
 * @param {NodeJS.ErrnoException} error from the import
 * @param {number} limit of open files
 * @returns {string | null} what the user can do about it; null if the cause is a bug
 */
export function loadingProblem({ code, message }, limit) {
  // At the limit of open files, Node may report a package as missing.
  const isMissing = code === 'ERR_MODULE_NOT_FOUND';
  if (code === 'EMFILE' || code === 'ENFILE' || (isMissing && limit < ENOUGH_FILES)) {
    return `this process cannot open enough files to load the program (${isMissing ? 'EMFILE' : code}): raise the limit with \`ulimit -n ${ENOUGH_FILES}\` (as root, or in /etc/security/limits.conf) in the shell that starts it`;
  }
  const missing = isMissing ? /Cannot find package '([^']+)'/.exec(message)?.[1] : undefined;
  return missing === undefined
    ? null
    : `the required package ${missing} is not installed: run \`npm ci\` in the folder of r2-benchmark.js`;
}
