import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { UsageError } from '../options/usage-error.js';
import { STANDARD_OUTPUT } from '../options/values.js';
import { RESULT_REPORTERS } from '../report/reporters.js';

/**
 * @import { Stats } from 'node:fs'
 * @import { Checks } from '../options/usage-error.js'
 * @import { ResultReporter } from '../report/reporter.js'
 * @import { Terminal } from './terminal.js'
 */

/** A program that is started together with this one soon opens the pipe to read from it. */
const PIPE_TRY_MS = 100;
const MAX_PIPE_TRIES = 30;

/**
 * A result file. The constructor checks before the run that the file can be written, without changing it. The result
 * goes to a temporary file, which replaces the target once it is complete. Where it cannot, as for a file that is mounted
 * into a container, the target is overwritten.
 */
export class ReportFile {
  #path;
  /** So that concurrent runs do not share a temporary file. */
  #id = randomBytes(6).toString('hex');
  /** An open file that is written directly, such as a pipe or /dev/stdout. @type {number | null} */
  #descriptor = null;
  /** Whether `write` replaces the file, so that it can be called again. */
  isReplaceable = false;

  /**
   * @param {string} place
   * @param {string} option that names the file
   * @param {{ append?: boolean }} [options] whether to add to a file to which other programs add too
   * @throws {UsageError} if it cannot be written
   */
  constructor(place, option, { append = false } = {}) {
    this.#path = place;
    try {
      const existing = findFile(place);
      // A file to which stdout is redirected must not be replaced while the log is written to it.
      const isOpen = [1, 2].map((descriptor) => fstatSync(descriptor)).some((open) => isSameFile(open, existing));
      if (append || isOpen) {
        this.#descriptor = openSync(place, 'a');
      } else if (existing === undefined || existing.isFile()) {
        this.#path = targetOf(place);
        writeAndClose(openSync(this.#temporary, 'wx'), []);
        this.#removeTemporary();
        this.isReplaceable = true;
      } else {
        this.#descriptor = openSpecial(place);
      }
    } catch (error) {
      throw new UsageError([`${option}: ${place} ${problemOf(error)}`]);
    }
  }

  get #temporary() {
    return `${this.#path}.r2-benchmark-${this.#id}.tmp`;
  }

  /**
   * @param {string | Iterable<string>} text
   * @returns {string | null} why the file could not be written, such as a full disk; null on success
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
    } catch (error) {
      this.#removeTemporary();
      throw error;
    }
    try {
      renameSync(this.#temporary, this.#path);
    } catch {
      // If this fails, the temporary file, which the error names, keeps the result.
      copyFileSync(this.#temporary, this.#path);
      this.#removeTemporary();
    }
  }

  #removeTemporary() {
    rmSync(this.#temporary, { force: true });
  }
}

/**
 * Follows a symbolic link, also one to a file that does not exist yet, so that it is not replaced.
 *
 * @param {string} place
 * @returns {string}
 */
function targetOf(place) {
  return lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink()
    ? targetOf(path.resolve(realpathSync(path.dirname(place)), readlinkSync(place)))
    : place;
}

/**
 * @param {Pick<Stats, 'dev' | 'ino'>} one
 * @param {Pick<Stats, 'dev' | 'ino'>} [other]
 */
function isSameFile(one, other) {
  return one.dev === other?.dev && one.ino === other.ino;
}

/** @param {string} place */
function findFile(place) {
  const existing = statSync(place, { throwIfNoEntry: false });
  if (existing?.isDirectory()) {
    throw new Error('it is a directory');
  }
  return existing;
}

/** Why a file could not be opened. @param {any} error */
function problemOf({ code, message }) {
  return code === 'EEXIST'
    ? 'exists: expected a new name'
    : `cannot be written: ${code === 'ENXIO' ? 'no program reads from it: start its reader first' : message}`;
}

/**
 * Opens a pipe or a device. A pipe without a reader is refused after a few seconds: opening it would wait for ever.
 *
 * @param {string} place
 * @param {number} [triesLeft]
 * @returns {number} a descriptor
 */
function openSpecial(place, triesLeft = MAX_PIPE_TRIES) {
  try {
    const probe = openSync(place, constants.O_WRONLY | constants.O_NONBLOCK);
    const descriptor = openSync(place, 'w');
    closeSync(probe);
    return descriptor;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENXIO' || triesLeft === 0) {
      throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PIPE_TRY_MS);
    return openSpecial(place, triesLeft - 1);
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
   * @throws {UsageError} if the file cannot be written, or exists
   */
  constructor(place) {
    this.#path = place;
    try {
      const existing = findFile(place);
      this.#isNew = existing === undefined;
      this.#descriptor = existing?.isFile() === false ? openSpecial(place) : openSync(place, 'ax');
    } catch (error) {
      throw new UsageError([`--log: ${place} ${problemOf(error)}`]);
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

/**
 * @typedef {object} ResultOutput
 * @property {ResultReporter} reporter
 * @property {ReportFile | null} file null for stdout
 */

/**
 * Opens the result files before the run, so that an unwritable path is reported early.
 *
 * @param {Readonly<Record<string, string | undefined>>} files paths by the option of their reporter
 * @param {Checks} checks
 * @returns {Promise<ResultOutput[]>} without unwritable files: `checks` records their problems
 */
export async function openResults(files, checks) {
  /** @type {ResultOutput[]} */
  const results = [];
  for (const reporter of RESULT_REPORTERS) {
    const { option: name } = reporter;
    const place = files[name];
    if (place === STANDARD_OUTPUT) {
      results.push({ reporter, file: null });
    } else if (place !== undefined) {
      // All steps of a job on GitHub add to this file.
      const append = name === 'summary' && place === process.env.GITHUB_STEP_SUMMARY;
      const file = await checks.run(() => new ReportFile(place, `--${name}`, { append }));
      results.push(...(file instanceof ReportFile ? [{ reporter, file }] : []));
    }
  }
  return results;
}

/**
 * @param {readonly ResultOutput[]} outputs
 * @param {(reporter: ResultReporter) => Iterable<string> | Promise<Iterable<string>>} format
 * @param {Pick<Terminal, 'report' | 'err'>} terminal
 * @param {() => Iterable<string>} [text] to print on stdout if no result goes there
 * @returns {Promise<boolean>} whether every file could be written
 */
export async function writeResults(outputs, format, terminal, text = () => []) {
  let isWritten = true;
  for (const part of outputs.some(({ file }) => file === null) ? [] : text()) {
    await terminal.report(part);
  }
  for (const { reporter, file } of outputs) {
    const parts = await format(reporter);
    for (const part of file === null ? parts : []) {
      await terminal.report(part);
    }
    const failure = file?.write(parts) ?? null;
    if (failure !== null) {
      isWritten = false;
      terminal.err(`error: ${failure}`);
    }
  }
  return isWritten;
}
