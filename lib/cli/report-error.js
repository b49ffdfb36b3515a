import { CommanderError } from 'commander';
import { InputError } from '../result/input-bounds.js';
import { plainText } from '../text/plain-text.js';
import { redact } from '../text/redact.js';
import { EXIT } from './exit-status.js';
import { VERSION } from '../store/object-store.js';
import { UsageError } from '../options/usage-error.js';

/** @import { Terminal } from './terminal.js' */

const MAX_MESSAGE_LENGTH = 300;

/** Codes for too many open files. An error from another thread has them only in its message. */
const TOO_MANY_FILES = /\b(EMFILE|ENFILE)\b/;

/** Matches the messages of V8 and Node when memory runs out. */
const OUT_OF_MEMORY = /\bout of memory\b|\ballocation failed\b|\bmemory limit\b/i;

/**
 * @param {unknown} error
 * @param {Pick<Terminal, 'err'>} terminal
 * @param {boolean} [withStack] whether to print the stack trace of an unexpected error
 * @returns {number} the exit status
 */
export function reportError(error, terminal, withStack = false) {
  if (error instanceof CommanderError) {
    // Commander has already printed its error.
    return error.exitCode === 0 ? EXIT.complete : EXIT.usage;
  }
  if (error instanceof UsageError) {
    error.problems.forEach((problem) => terminal.err(`error: ${problem}`));
    if (error.hint !== '') {
      terminal.err(error.hint);
    }
    return EXIT.usage;
  }
  if (error instanceof InputError) {
    terminal.err(`error: ${error.message}`);
    return EXIT.usage;
  }
  terminal.err(describeDefect(error));
  if (withStack && error instanceof Error) {
    String(error.stack)
      .split('\n')
      .forEach((line) => terminal.err(redact(line)));
  }
  return EXIT.incomplete;
}

/** Describes an unexpected error on one line. @param {unknown} error */
function describeDefect(error) {
  const { name = 'Error', message = String(error) } = /** @type {Error} */ (error ?? {});
  const text = plainText(message.replace(/\s+/g, ' '), MAX_MESSAGE_LENGTH);
  const limit = limitReached(/** @type {Error} */ (error ?? {}));
  if (limit !== null) {
    return `error: ${limit.what} (${text}): ${limit.advice}`;
  }
  const what =
    name === 'WorkerError'
      ? `${text}: the run ends early`
      : `unexpected error, a bug in r2-benchmark (${name}: ${text})`;
  return `error: ${what}; please report it with this line and the version (r2-benchmark ${VERSION}, Node ${process.versions.node})`;
}

/** The limit of this host that the process reached, or null. @param {NodeJS.ErrnoException} error */
function limitReached({ code = '', message = '' }) {
  if (TOO_MANY_FILES.test(`${code} ${message}`)) {
    return {
      what: 'this process cannot open more files',
      advice: 'raise the limit with `ulimit -n`, or use fewer threads',
    };
  }
  if (code === 'ENOMEM' || code === 'ERR_WORKER_OUT_OF_MEMORY' || OUT_OF_MEMORY.test(message)) {
    return {
      what: 'this process ran out of memory',
      advice:
        'raise the limit (`ulimit -v`, or the memory limit of the container), or use fewer threads, cores or objects',
    };
  }
  return null;
}
