import { mkdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { formatCalibrations, parseCalibrations, withCalibration } from '../calibration/calibration-file.js';
import { ReportFile } from './report-file.js';
import { UsageError } from './usage-error.js';

/**
 * @import { Calibration } from '../calibration/calibration.js'
 */

/** A file of so many bytes is none of ours. */
const LARGEST_FILE = 1024 ** 2;

/**
 * Where calibrations are kept: in the user's cache directory, by the XDG Base Directory Specification (which wants a
 * relative path to be ignored), or where macOS has it.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {NodeJS.Platform} platform
 * @returns {string | null} null where the user has no home
 */
export function calibrationPath(env, platform) {
  const { XDG_CACHE_HOME: given = '', HOME: home = '' } = env;
  const ofPlatform = platform === 'darwin' ? 'Library/Caches' : '.cache';
  const ofHome = path.isAbsolute(home) ? path.join(home, ofPlatform) : null;
  const directory = path.isAbsolute(given) ? given : ofHome;
  return directory === null ? null : path.join(directory, 'r2-benchmark', 'calibration.json');
}

/**
 * The file is never required: without it, or with one that is not ours, there is no calibration.
 *
 * @param {string | null} file
 * @returns {{ calibrations: Calibration[], problem: string | null }} the newest first; why a file that is there tells none
 */
export function readCalibrations(file) {
  try {
    return { calibrations: file === null ? [] : parseCalibrations(readSmallFile(file)), problem: null };
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    return { calibrations: [], problem: code === 'ENOENT' || code === 'ENOTDIR' ? null : `${file}: ${message}` };
  }
}

/** @param {string} file */
function readSmallFile(file) {
  const status = statSync(file);
  // To read from a pipe would mean to wait for whoever writes to it.
  if (!status.isFile() || status.size > LARGEST_FILE) {
    throw new RangeError(`expected a file of at most ${LARGEST_FILE} bytes`);
  }
  return readFileSync(file, 'utf8');
}

/**
 * Keeps a calibration beside those that are kept already. What stands in the file and cannot be read is lost.
 *
 * @param {string | null} file
 * @param {Calibration} calibration
 * @returns {string | null} why it could not be kept; null where all is well
 */
export function keepCalibration(file, calibration) {
  if (file === null) {
    return 'there is no cache directory: neither XDG_CACHE_HOME nor HOME names one';
  }
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    const { calibrations } = readCalibrations(file);
    return new ReportFile(file, '--calibrate').write(formatCalibrations(withCalibration(calibrations, calibration)));
  } catch (error) {
    return error instanceof UsageError ? error.problems[0] : /** @type {Error} */ (error).message;
  }
}
