import { randomBytes } from 'node:crypto';
import { closeSync, openSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { UsageError } from './usage-error.js';

/** Stands for standard output where a report's file is named. */
export const STANDARD_OUTPUT = '-';

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
    this.#temporary = '';
    try {
      const there = statSync(path, { throwIfNoEntry: false });
      if (there?.isDirectory()) {
        throw new Error('it is a directory');
      }
      if (there === undefined || there.isFile()) {
        // A link stays a link to the file.
        this.#path = there === undefined ? path : realpathSync(path);
        this.#temporary = `${this.#path}.${randomBytes(4).toString('hex')}.tmp`;
      }
      // What is no file, such as a pipe or /dev/stdout, is written to as it is.
      this.#descriptor = this.#temporary === '' ? openSync(path, 'w') : openSync(this.#temporary, 'wx');
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
      if (this.#temporary !== '') {
        renameSync(this.#temporary, this.#path);
      }
      return null;
    } catch (error) {
      this.#removeTemporary();
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
    this.#removeTemporary();
  }

  #removeTemporary() {
    if (this.#temporary !== '') {
      rmSync(this.#temporary, { force: true });
    }
  }
}
