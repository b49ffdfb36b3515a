/** @import { Result } from '../model/result.js' */

/** A run that could not begin, or that ended before its time because of an error. What it wrote is removed as far as that is possible. */
export class RunError extends Error {
  /**
   * @param {readonly string[]} problems a line each
   * @param {Result} result what was measured until then
   * @param {unknown} [cause] an unexpected error
   */
  constructor(problems, result, cause) {
    super(problems.join('\n'), cause === undefined ? {} : { cause });
    this.name = 'RunError';
    this.problems = problems;
    this.result = result;
  }
}
