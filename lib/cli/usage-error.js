/** Something that the user can put right before the run: all of it at once, a line each. */
export class UsageError extends Error {
  /** @param {readonly string[]} problems */
  constructor(problems) {
    super(problems.join('\n'));
    this.name = 'UsageError';
    this.problems = problems;
  }
}
