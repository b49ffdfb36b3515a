import { CommanderError } from 'commander';
import { EXIT } from './exit-status.js';
import { UsageError } from './usage-error.js';

/**
 * Says what went wrong, for the user to read.
 *
 * @param {unknown} error
 * @param {Pick<import('./terminal.js').Terminal, 'err'>} terminal
 * @returns {number} the exit status
 */
export function reportError(error, terminal) {
  if (error instanceof CommanderError) {
    // Commander has said what there is to say.
    return error.exitCode === 0 ? EXIT.complete : EXIT.usage;
  }
  if (error instanceof UsageError) {
    error.problems.forEach((problem) => terminal.err(`error: ${problem}`));
    if (error.hint !== '') {
      terminal.err(error.hint);
    }
    return EXIT.usage;
  }
  const { name = 'Error', message = String(error) } = /** @type {Error} */ (error ?? {});
  terminal.err(
    `error: something unexpected happened (${name}: ${message}); please report it with the command that led to it`,
  );
  return EXIT.incomplete;
}
