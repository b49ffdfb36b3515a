import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { UsageError } from '../options/usage-error.js';

/**
 * A file that the result of a run is going to be written to. That something can be written there is tried before the run,
 * and leaves nothing; the result goes to a temporary file, which takes its place when it is whole.
 */
export class ReportFile {
  #path;
  /** Of what is no file, such as a pipe or /dev/stdout, and is written to as it is. @type {number | null} */
  #descriptor = null;

  /**
   * @param {string} place
   * @param {string} option the option that names the place
   * @throws {UsageError} where nothing can be written there
   */
  constructor(place, option) {
    this.#path = place;
    try {
      const there = statSync(place, { throwIfNoEntry: false });
      if (there?.isDirectory()) {
        throw new Error('it is a directory');
      }
      if (there === undefined || there.isFile()) {
        // A link stays a link to the file.
        this.#path = there === undefined ? place : realpathSync(place);
        removeLeftovers(this.#path);
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
    return temporaryOf(this.#path, process.pid);
  }

  /**
   * @param {string | Iterable<string>} text the whole, or what it consists of
   * @returns {string | null} why it could not be written, because the disk is full for example, and nothing is left
   *   behind; null where all is well
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

  /** Closes what was opened, where the run came to no result. */
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
 * @param {string} file
 * @param {number | string} pid of the process that writes it: runs at the same time do not share a temporary file
 * @returns {string}
 */
function temporaryOf(file, pid) {
  return `${file}.r2-benchmark-${pid}.tmp`;
}

/**
 * Removes the temporary files of processes that were killed while they wrote a report.
 *
 * @param {string} file
 */
function removeLeftovers(file) {
  const folder = path.dirname(file);
  for (const name of namesIn(folder)) {
    const pid = /-(\d+)\.tmp$/.exec(name)?.[1];
    if (pid !== undefined && name === path.basename(temporaryOf(file, pid)) && !isAnotherProcess(Number(pid))) {
      try {
        rmSync(path.join(folder, name), { force: true });
      } catch {
        // Another user's, perhaps: it does no harm.
      }
    }
  }
}

/** @param {string} folder */
function namesIn(folder) {
  try {
    return readdirSync(folder);
  } catch {
    // A folder that cannot be listed may be written to all the same.
    return [];
  }
}

/**
 * @param {number} pid
 * @returns {boolean} whether it is a process that lives, and not this one
 */
function isAnotherProcess(pid) {
  if (pid === process.pid) {
    return false;
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // One that may not be signalled is there.
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

const LINE_FEED = 0x0a;

/**
 * The file of `--log`: the record of a run, line by line. Each line is written before the run goes on, so that even a
 * process that is killed leaves a complete record. A log has a few lines a second.
 */
export class LogFile {
  #path;
  #descriptor;
  #isNew;
  #isOpen = true;
  /** Written before the next line: an earlier log may end within a line. */
  #before = '';
  /** Whether a line could not be written. The log ends before it. */
  hasFailed = false;
  /** @type {(problem: string) => void} */
  onFailure = () => {};

  /**
   * @param {string} place
   * @param {{ append: boolean }} options whether a file that is there is added to
   * @throws {UsageError} where nothing can be written there, or nothing is to be
   */
  constructor(place, { append }) {
    this.#path = place;
    try {
      const there = statSync(place, { throwIfNoEntry: false });
      if (there?.isDirectory()) {
        throw new Error('it is a directory');
      }
      this.#isNew = there === undefined;
      // What is no file, such as a pipe or /dev/null, has nothing that could be lost.
      const mayExist = append || (there !== undefined && !there.isFile());
      this.#descriptor = openSync(place, mayExist ? 'a' : 'ax');
      if (there?.isFile() && endsWithinLine(place)) {
        this.#before = '\n';
      }
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

/** @param {string} file */
function endsWithinLine(file) {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const last = Buffer.alloc(1, LINE_FEED);
    readSync(descriptor, last, 0, 1, Math.max(size - 1, 0));
    return last[0] !== LINE_FEED;
  } finally {
    closeSync(descriptor);
  }
}
