import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { UsageError } from '../options/usage-error.js';

/**
 * A result file. The constructor checks before the run that the file can be written, without changing it. The result
 * goes to a temporary file, which replaces the target once it is complete.
 */
export class ReportFile {
  #path;
  /** So that concurrent runs do not share a temporary file. */
  #id = randomBytes(6).toString('hex');
  /** An open special file, such as a pipe or /dev/stdout, which is written directly. @type {number | null} */
  #descriptor = null;

  /**
   * @param {string} place
   * @param {string} option that names the file
   * @throws {UsageError} if it cannot be written
   */
  constructor(place, option) {
    this.#path = place;
    try {
      const existing = statSync(place, { throwIfNoEntry: false });
      if (existing?.isDirectory()) {
        throw new Error('it is a directory');
      }
      if (existing === undefined || existing.isFile()) {
        // Write through a symbolic link instead of replacing it.
        this.#path = existing === undefined ? place : realpathSync(place);
        writeAndClose(openSync(this.#temporary, 'wx'), []);
        this.#removeTemporary();
      } else {
        this.#descriptor = openSync(place, 'w');
      }
    } catch (error) {
      throw new UsageError([`${option}: ${place} cannot be written: ${/** @type {Error} */ (error).message}`]);
    }
  }

  get #temporary() {
    return `${this.#path}.r2-benchmark-${this.#id}.tmp`;
  }

  /**
   * @param {string | Iterable<string>} text
   * @returns {string | null} why the file could not be written, such as a full disk (no partial file remains);
   *   null on success
   */
  write(text) {
    const parts = typeof text === 'string' ? [text] : text;
    const descriptor = this.#descriptor;
    this.#descriptor = null;
    try {
      if (descriptor === null) {
        this.#replace(parts);
      } else {
        writeAndClose(descriptor, parts);
      }
      return null;
    } catch (error) {
      return `${this.#path} could not be written: ${/** @type {Error} */ (error).message}`;
    }
  }

  /** Closes the file if the run produced no result. */
  discard() {
    if (this.#descriptor !== null) {
      closeSync(this.#descriptor);
      this.#descriptor = null;
    }
  }

  /** @param {Iterable<string>} parts */
  #replace(parts) {
    const descriptor = openSync(this.#temporary, 'wx');
    try {
      writeAndClose(descriptor, parts);
      renameSync(this.#temporary, this.#path);
    } catch (error) {
      this.#removeTemporary();
      throw error;
    }
  }

  #removeTemporary() {
    rmSync(this.#temporary, { force: true });
  }
}

/**
 * @param {number} descriptor
 * @param {Iterable<string>} parts
 */
function writeAndClose(descriptor, parts) {
  try {
    for (const part of parts) {
      writeFileSync(descriptor, part);
    }
  } finally {
    closeSync(descriptor);
  }
}

/**
 * The file of `--log`: the line-by-line record of a run. Writes are synchronous, so that even a killed process leaves a
 * complete record. This is affordable because a log has only a few lines per second.
 */
export class LogFile {
  #path;
  #descriptor;
  #isNew;
  #isOpen = true;
  /** Whether a write failed. The log ends there. */
  hasFailed = false;
  /** @type {(problem: string) => void} */
  onFailure = () => {};

  /**
   * @param {string} place
   * @param {{ append: boolean }} options whether to add to an existing file
   * @throws {UsageError} if the file cannot be written, or exists and must not be appended to
   */
  constructor(place, { append }) {
    this.#path = place;
    try {
      const existing = statSync(place, { throwIfNoEntry: false });
      if (existing?.isDirectory()) {
        throw new Error('it is a directory');
      }
      this.#isNew = existing === undefined;
      // A pipe or a device such as /dev/null has no content to lose.
      const mayExist = append || (existing !== undefined && !existing.isFile());
      this.#descriptor = openSync(place, mayExist ? 'a' : 'ax');
    } catch (error) {
      const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
      const problem =
        code === 'EEXIST'
          ? 'exists: expected a new name, or --log-append to add to it'
          : `cannot be written: ${message}`;
      throw new UsageError([`--log: ${place} ${problem}`]);
    }
  }

  /** @param {string} line */
  write(line) {
    if (this.hasFailed || !this.#isOpen) {
      return;
    }
    try {
      writeFileSync(this.#descriptor, `${line}\n`);
    } catch (error) {
      this.hasFailed = true;
      this.onFailure(`${this.#path} could not be written: ${/** @type {Error} */ (error).message}`);
    }
  }

  /** Closes the log, and removes it if this run created it and left it empty. */
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
