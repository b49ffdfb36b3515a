import { isatty } from 'node:tty';
import { EXIT } from './exit-status.js';
import { load } from './load.js';
import { UsageError } from '../options/usage-error.js';

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
