/** @import { Result } from '../model/result.js' */

/** Thrown if a run cannot begin or an error ends it early. Its objects have been removed as far as possible. */
export class RunError extends Error {
  /**
   * @param {readonly string[]} problems one line each
   * @param {Result} result results up to the error
   * @param {unknown} [cause] an unexpected error
   */
  constructor(problems, result, cause) {
    super(problems.join('\n'), cause === undefined ? {} : { cause });
    this.name = 'RunError';
    this.problems = problems;
    this.result = result;
  }
}
