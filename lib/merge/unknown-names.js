import { quote } from '../log/quote.js';
import { andMore } from './wording.js';

/**
 * @import { HostRun } from './host-run.js'
 * @import { LogWarning } from './read-logs.js'
 */

/** Names that a warning lists. */
const MOST_LISTED = 8;

/** Names in machine lines that only a later version knows: where they come up, and the first of them. */
export class UnknownNames {
  /** @type {Set<string>} */
  #names = new Set();
  /** The first line that has any. @type {number | null} */
  line = null;
  /** How often any has come up. */
  count = 0;

  /**
   * @param {number} line
   * @param {string} name
   */
  at(line, name) {
    this.line ??= line;
    this.count += 1;
    if (this.#names.size < MOST_LISTED) {
      this.#names.add(name);
    }
  }

  get names() {
    return [...this.#names];
  }
}

/**
 * What a later version wrote into machine lines: nobody here can tell how to add it up.
 *
 * @param {readonly HostRun[]} runs
 * @returns {LogWarning[]} at most one for kinds of lines and one for fields: the logs of a hundred hosts all say the same
 */
export function unknownNames(runs) {
  return [
    ...warningOf(runs, 'kinds', 'machine lines of kinds that this version does not know'),
    ...warningOf(runs, 'fields', 'totals of a stage hold what this version does not know'),
  ];
}

/**
 * @param {readonly HostRun[]} runs
 * @param {'kinds' | 'fields'} of
 * @param {string} what
 * @returns {LogWarning[]}
 */
function warningOf(runs, of, what) {
  const affected = runs.filter(({ unknown }) => unknown[of].count > 0);
  if (affected.length === 0) {
    return [];
  }
  const names = new Set(affected.flatMap(({ unknown }) => unknown[of].names));
  const listed = [...names].slice(0, MOST_LISTED).map(quote).join(', ');
  const count = affected.reduce((sum, { unknown }) => sum + unknown[of].count, 0);
  const [{ file, unknown }] = affected;
  // What is not known is not shown either: all that is shown is complete.
  const message = `${what}, and does not add up: ${listed}${andMore(count)}`;
  return [{ file, line: unknown[of].line, message, incomplete: false }];
}
