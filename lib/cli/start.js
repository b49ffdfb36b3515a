import { isatty } from 'node:tty';
import { EXIT } from './exit-status.js';
import { load } from './load.js';
import { UsageError } from '../options/usage-error.js';

/**
 * Loads a program and runs it to its end.
 *
 * @param {() => Promise<{ main: (argv: string[], env: NodeJS.ProcessEnv, streams: NodeJS.Process) => Promise<number> }>} importing
 */
export async function start(importing) {
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
  // At its own end, Node takes the listeners of signals away some milliseconds too early: a signal that is repeated then would
  // replace the exit status.
  process.once('beforeExit', () => process.exit());
  // Node sets a terminal back as it found it, and aborts where the terminal has gone: then it is that which ends the
  // process, once everything is done.
  if (!terminals.every(isatty)) {
    process.removeAllListeners('SIGHUP');
    process.kill(process.pid, 'SIGHUP');
  }
}
