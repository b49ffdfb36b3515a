import { CommanderError } from 'commander';
import { plainText } from '../log/plain-text.js';
import { EXIT } from './exit-status.js';
import { VERSION } from './package-version.js';
import { UsageError } from './usage-error.js';

const LONGEST_MESSAGE = 300;

/**
 * Says what went wrong, for the user to read.
 *
 * @param {unknown} error
 * @param {Pick<import('./terminal.js').Terminal, 'err'>} terminal
 * @param {boolean} [withStack] whether to show where an error that nobody expected comes from
 * @returns {number} the exit status
 */
export function reportError(error, terminal, withStack = false) {
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
  terminal.err(describeDefect(error));
  if (withStack && error instanceof Error) {
    String(error.stack)
      .split('\n')
      .forEach((line) => terminal.err(line));
  }
  return EXIT.incomplete;
}

/**
 * @param {unknown} error that nobody expected
 * @returns {string} one line
 */
function describeDefect(error) {
  const { name = 'Error', message = String(error) } = /** @type {Error} */ (error ?? {});
  const said = plainText(message.replace(/\s+/g, ' '), LONGEST_MESSAGE);
  const what =
    name === 'CoreError'
      ? `${said}: the run ends early`
      : `something unexpected happened, which is a defect of this tool (${name}: ${said})`;
  return `error: ${what}; please report it with this line and the version (r2-benchmark ${VERSION}, Node ${process.versions.node})`;
}
