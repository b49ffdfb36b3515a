import { report } from 'node:process';
import { isatty } from 'node:tty';
import { openFileLimit } from '../measure/host/limits.js';
import { UsageError } from '../options/usage-error.js';
import { EXIT } from './exit-status.js';

/**
 * @param {() => Promise<{ main: (argv: string[], env: NodeJS.ProcessEnv, streams: NodeJS.Process) =>
 *   Promise<number> }>} importing
 */
export async function start(importing) {
  // By default, Node opens its inspector on SIGUSR1, through which anyone on this host could read the secrets. Removing
  // a listener restores the system's default: the signal ends the process.
  process.on('SIGUSR1', () => {}).removeAllListeners('SIGUSR1');
  const terminals = [0, 1, 2].filter(isatty);
  try {
    const { main } = await load(importing);
    process.exitCode = await main(process.argv.slice(2), process.env, process);
  } catch (error) {
    if (!(error instanceof UsageError)) {
      throw error;
    }
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = EXIT.usage;
  }
  // Node removes signal listeners some milliseconds before the process ends, when a repeated signal could still replace
  // the exit status. An explicit exit closes this gap.
  process.once('beforeExit', () => process.exit());
  // At exit, Node restores the terminal's settings, and aborts if the terminal is gone. All work is done by now, so end
  // the process with SIGHUP instead.
  if (!terminals.every(isatty)) {
    process.removeAllListeners('SIGHUP');
    process.kill(process.pid, 'SIGHUP');
  }
}

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
