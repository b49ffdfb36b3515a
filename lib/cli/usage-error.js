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
