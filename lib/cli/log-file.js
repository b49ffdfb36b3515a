import { closeSync, fstatSync, openSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { UsageError } from './usage-error.js';

const LINE_FEED = 0x0a;

/**
 * The file of `--log`: the record of a run, line by line. Each line is handed to the system before the run goes on, so that
 * even a process that is killed leaves all that it had to say. A log has a few lines a second.
 */
export class LogFile {
  #path;
  #descriptor;
  #isNew;
  #isOpen = true;
  /** What the next line is written behind: an earlier log may end within a line. */
  #before = '';
  /** Whether a line could not be written. The log ends before it. */
  hasFailed = false;
  /** @type {(problem: string) => void} */
  onFailure = () => {};

  /**
   * @param {string} path
   * @param {{ append: boolean }} options whether a file that is there is added to
   * @throws {UsageError} where nothing can be written there, or nothing is to be
   */
  constructor(path, { append }) {
    this.#path = path;
    try {
      const there = statSync(path, { throwIfNoEntry: false });
      if (there?.isDirectory()) {
        throw new Error('it is a directory');
      }
      this.#isNew = there === undefined;
      // What is no file, such as a pipe or /dev/null, has nothing that could be lost.
      const mayExist = append || (there !== undefined && !there.isFile());
      this.#descriptor = openSync(path, mayExist ? 'a' : 'ax');
      if (there?.isFile() && endsWithinLine(path)) {
        this.#before = '\n';
      }
    } catch (error) {
      const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
      const problem =
        code === 'EEXIST'
          ? 'exists: expected a new name, or --log-append to add to it'
          : `cannot be written: ${message}`;
      throw new UsageError([`--log: ${path} ${problem}`]);
    }
  }

  /** @param {string} line */
  write(line) {
    if (this.hasFailed || !this.#isOpen) {
      return;
    }
    try {
      writeFileSync(this.#descriptor, `${this.#before}${line}\n`);
      this.#before = '';
    } catch (error) {
      this.hasFailed = true;
      this.onFailure(`${this.#path} could not be written: ${/** @type {Error} */ (error).message}`);
    }
  }

  /** A run that had nothing to record leaves no file of its own. */
  close() {
    if (!this.#isOpen) {
      return;
    }
    this.#isOpen = false;
    const isEmpty = this.#isNew && fstatSync(this.#descriptor).size === 0;
    closeSync(this.#descriptor);
    if (isEmpty) {
      rmSync(this.#path, { force: true });
    }
  }
}

/** @param {string} path */
function endsWithinLine(path) {
  const descriptor = openSync(path, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const last = Buffer.alloc(1, LINE_FEED);
    readSync(descriptor, last, 0, 1, Math.max(size - 1, 0));
    return last[0] !== LINE_FEED;
  } finally {
    closeSync(descriptor);
  }
}
