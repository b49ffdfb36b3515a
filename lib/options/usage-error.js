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

/** Collects the problems that several checks find, so that the user can correct all of them at once. */
export class Checks {
  /** @type {string[]} */
  #problems = [];
  /** Where to go from here. */
  hint = '';

  /** @param {...string} problems */
  add(...problems) {
    this.#problems.push(...problems);
  }

  /**
   * @template Result
   * @param {() => Result | Promise<Result>} check that may throw a UsageError
   * @returns {Promise<Result | null>} null where it did
   * @throws what is no UsageError
   */
  async run(check) {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof UsageError)) {
        throw error;
      }
      this.#problems.push(...error.problems);
      this.hint ||= error.hint;
      return null;
    }
  }

  /** Those that were found so far. @returns {readonly string[]} */
  get problems() {
    return this.#problems;
  }

  /** @throws {UsageError} with all problems, where there are any */
  conclude() {
    if (this.#problems.length > 0) {
      throw new UsageError(this.#problems, this.hint);
    }
  }
}

/**
 * @param {string} problem as the command line has it
 * @returns {string} with the names that options have in code: `rangeSize` for `--range-size`, `objects` for `<objects>`
 */
export function inCode(problem) {
  return problem
    .replace(/--(?:no-)?([a-z][a-z-]*)/g, (_, words) =>
      words.replace(/-(.)/g, (/** @type {string} */ [, letter]) => letter.toUpperCase()),
    )
    .replace(/<(objects|threads)>/g, '$1');
}
