import { checkCount } from '../model/input-bounds.js';

/** @import { LogLine } from './lines.js' */

/** Counts the contents of a log, so that an oversized one is refused before it fills the memory. */
export class LogBounds {
  #file;
  #held = { runs: 0, stages: 0, seconds: 0, 'machine lines': 0 };
  /** Stage names of the current run. @type {Set<unknown>} */
  #stages = new Set();

  /** @param {string} file */
  constructor(file) {
    this.#file = file;
  }

  /**
   * @param {number} line
   * @param {LogLine} entry
   * @throws {InputError} if the log contains too much
   */
  add(line, entry) {
    const isMachine = entry.kind === 'machine';
    const { stage, kind } = /** @type {Record<string, unknown>} */ (isMachine ? entry.data : entry);
    const restarts = kind === 'schedule' && this.#stages.has(stage);
    if (restarts || (isMachine && kind === 'run')) {
      this.#stages.clear();
      this.#count('runs', line);
    }
    if (stage !== undefined && !this.#stages.has(stage)) {
      this.#stages.add(stage);
      this.#count('stages', line);
    }
    if (isMachine) {
      this.#count('machine lines', line);
    } else if (kind === 'second') {
      this.#count('seconds', line);
    }
  }

  /**
   * @param {'runs' | 'stages' | 'seconds' | 'machine lines'} what
   * @param {number} line
   */
  #count(what, line) {
    this.#held[what] += 1;
    checkCount(what, this.#held[what], this.#file, line);
  }
}
