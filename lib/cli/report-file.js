import { closeSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { UsageError } from './usage-error.js';

/**
 * A file that the result of a run is going to be written to. It is opened beside its place before the run, so that a
 * path which cannot be written is known at once, and takes its place when it is whole.
 */
export class ReportFile {
  #path;
  #temporary;
  #descriptor;
  #isOpen = true;

  /**
   * @param {string} path
   * @param {string} option the option that names the path
   * @throws {UsageError} where nothing can be written there
   */
  constructor(path, option) {
    this.#path = path;
    this.#temporary = `${path}.${process.pid}.tmp`;
    try {
      if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
        throw new Error('it is a directory');
      }
      this.#descriptor = openSync(this.#temporary, 'wx');
    } catch (error) {
      throw new UsageError([`${option}: ${path} cannot be written: ${/** @type {Error} */ (error).message}`]);
    }
  }

  /**
   * @param {string | Iterable<string>} text the whole, or what it consists of
   * @returns {string | null} why it could not be written, because the disk is full for example, and nothing is left
   *   behind; null where all is well
   */
  write(text) {
    this.#isOpen = false;
    try {
      for (const part of typeof text === 'string' ? [text] : text) {
        writeFileSync(this.#descriptor, part);
      }
      closeSync(this.#descriptor);
      renameSync(this.#temporary, this.#path);
      return null;
    } catch (error) {
      rmSync(this.#temporary, { force: true });
      return `${this.#path} could not be written: ${/** @type {Error} */ (error).message}`;
    }
  }

  /** Takes the file away again where the run came to no result. */
  discard() {
    if (!this.#isOpen) {
      return;
    }
    this.#isOpen = false;
    closeSync(this.#descriptor);
    rmSync(this.#temporary, { force: true });
  }
}
