import { plainLine } from '../log/plain-text.js';

/** Something that the user can put right before the run: all of it at once, a line each. */
export class UsageError extends Error {
  /**
   * @param {readonly string[]} problems
   * @param {string} [hint] where to go from here
   */
  constructor(problems, hint = '') {
    super(problems.join('\n'));
    this.name = 'UsageError';
    this.problems = problems;
    this.hint = hint;
  }
}

/**
 * Commander repeats the arguments that it does not like as they are.
 *
 * @param {string} text
 * @param {(text: string) => void} write
 */
export function writeCommanderError(text, write) {
  write(`${plainLine(text.trimEnd())}\n`);
}
