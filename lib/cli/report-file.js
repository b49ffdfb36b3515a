import { closeSync, openSync, readdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from './usage-error.js';

/** Stands for standard output where a report's file is named. */
export const STANDARD_OUTPUT = '-';

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
 * Removes what processes left beside a report that were killed while they wrote it.
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
        // Another user's, perhaps: it is in nobody's way.
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
