import { UsageError } from './usage-error.js';

/** Node opens the files of a program at the same time: this is more than enough. */
const ENOUGH_FILES = 1024;

/**
 * Loads a module of the program.
 *
 * @template Module
 * @param {() => Promise<Module>} importing
 * @returns {Promise<Module>}
 * @throws {UsageError} where the process may not open the files of the module
 */
export async function load(importing) {
  try {
    return await importing();
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code !== 'EMFILE' && code !== 'ENFILE') {
      throw error;
    }
    throw new UsageError([
      `this process may not open enough files to load the program (${code}): raise the limit with \`ulimit -n ${ENOUGH_FILES}\` (as root, or in /etc/security/limits.conf) in the shell that starts it`,
    ]);
  }
}
