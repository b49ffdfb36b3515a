import { isatty } from 'node:tty';
import { EXIT } from './exit-status.js';

/** Node opens a program's files side by side: so many are more than enough. */
const ENOUGH_FILES = 1024;

/**
 * Loads a program and runs it to its end.
 *
 * @param {() => Promise<{ main: (argv: string[], env: NodeJS.ProcessEnv, streams: NodeJS.Process) => Promise<number> }>} load
 */
export async function start(load) {
  const terminals = [0, 1, 2].filter(isatty);
  const program = await load().catch(explainLoading);
  if (program !== null) {
    process.exitCode = await program.main(process.argv.slice(2), process.env, process);
  }
  // Node sets a terminal back as it found it, and aborts where the terminal has gone: then it is that which ends the
  // process, once everything is done.
  if (!terminals.every(isatty)) {
    process.kill(process.pid, 'SIGHUP');
  }
}

/**
 * @param {NodeJS.ErrnoException} error
 * @returns {null}
 * @throws where there is no more to say than the error does
 */
function explainLoading(error) {
  if (error.code !== 'EMFILE' && error.code !== 'ENFILE') {
    throw error;
  }
  process.stderr.write(
    `error: the program may not open as many files as it consists of (${error.code}): raise the limit with \`ulimit -n ${ENOUGH_FILES}\` (as root, or in /etc/security/limits.conf) in the shell that starts it\n`,
  );
  process.exitCode = EXIT.usage;
  return null;
}
