import { UsageError } from './usage-error.js';

/** Collects what several checks have to say, so that the user can put all of it right at once. */
export class Checks {
  /** @type {string[]} */
  #problems = [];
  #hint = '';

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
      this.#hint ||= error.hint;
      return null;
    }
  }

  /** @throws {UsageError} with all problems, where there are any */
  conclude() {
    if (this.#problems.length > 0) {
      throw new UsageError(this.#problems, this.#hint);
    }
  }
}
