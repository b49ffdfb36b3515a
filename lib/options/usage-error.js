import { andMore } from '../text/figures.js';

/** Problems that the user can fix before the run, one line each. */
export class UsageError extends Error {
  /**
   * @param {readonly string[]} problems
   * @param {string} [hint] what to try next
   */
  constructor(problems, hint = '') {
    super(problems.join('\n'));
    this.name = 'UsageError';
    this.problems = problems;
    this.hint = hint;
  }
}

/**
 * @param {readonly string[]} problems
 * @param {string} [hint] what to try next
 * @throws {UsageError} if there are problems
 */
export function refuseIfAny(problems, hint) {
  if (problems.length > 0) {
    throw new UsageError(problems, hint);
  }
}

/** Collects the problems of several checks, so that the user can fix all of them at once. */
export class Checks {
  /** @type {string[]} */
  #problems = [];
  hint = '';

  /** @param {...string} problems */
  add(...problems) {
    this.#problems.push(...problems);
  }

  /**
   * @template Result
   * @param {() => Result | Promise<Result>} check that may throw a UsageError
   * @returns {Promise<Result | null>} null if it threw one
   * @throws any error other than a UsageError
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

  /** The problems found so far. @returns {readonly string[]} */
  get problems() {
    return this.#problems;
  }

  /** @throws {UsageError} with all problems, if there are any */
  conclude() {
    refuseIfAny(this.#problems, this.hint);
  }
}

/**
 * The problems of several runs.
 *
 * @param {readonly { label: string, problems: readonly string[] }[]} runs
 * @returns {string[]} each problem once, with the label of the first run that has it unless all do
 */
export function problemsOfAll(runs) {
  /** @type {Map<string, string[]>} */
  const found = new Map();
  for (const { label, problems } of runs) {
    problems.forEach((problem) => found.set(problem, [...(found.get(problem) ?? []), label]));
  }
  return [...found].map(([problem, labels]) =>
    labels.length === runs.length ? problem : `${labels[0]}: ${problem}${andMore(labels.length)}`,
  );
}

/** For library users: writes `rangeSize` for `--range-size`, `objects` for `<objects>`. @param {string} problem */
export function inCode(problem) {
  return problem
    .replace(/--(?:no-)?([a-z][a-z-]*)/g, (_, words) =>
      words.replace(/-(.)/g, (/** @type {string} */ [, letter]) => letter.toUpperCase()),
    )
    .replace(/<(objects|threads)>/g, '$1');
}
