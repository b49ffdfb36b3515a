/** @import { Result } from '../model/result.js' */

/** A run that could not begin, or that an error ended early. Its objects are removed as far as possible. */
export class RunError extends Error {
  /**
   * @param {readonly string[]} problems one line each
   * @param {Result} result what was measured so far
   * @param {unknown} [cause] an unexpected error
   */
  constructor(problems, result, cause) {
    super(problems.join('\n'), cause === undefined ? {} : { cause });
    this.name = 'RunError';
    this.problems = problems;
    this.result = result;
  }
}
