import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { STAGE_NAMES } from '../operations/registry.js';

/** @import { Calibration } from './calibration.js' */

const FORMAT = 1;

/** A larger file is not ours. */
const MAX_FILE_BYTES = 1024 ** 2;

/** Hosts may share a home directory; the oldest calibrations are dropped first. */
const MAX_CALIBRATIONS = 100;

/**
 * The calibrations are in the user's cache directory: that of the XDG Base Directory Specification (which ignores
 * relative paths), or that of macOS.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {NodeJS.Platform} platform
 * @returns {string | null} null if the user has no home directory
 */
export function calibrationPath(env, platform) {
  const { XDG_CACHE_HOME: given = '', HOME: home = '' } = env;
  const ofPlatform = platform === 'darwin' ? 'Library/Caches' : '.cache';
  const ofHome = path.isAbsolute(home) ? path.join(home, ofPlatform) : null;
  const directory = path.isAbsolute(given) ? given : ofHome;
  return directory === null ? null : path.join(directory, 'r2-benchmark', 'calibration.json');
}

/**
 * Returns no calibrations if the file is missing or unusable.
 *
 * @param {string | null} file
 * @returns {{ calibrations: Calibration[], problem: string | null }} newest first, and why an existing file is unusable
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
  // A pipe would block until its writer sends something.
  if (!status.isFile() || status.size > MAX_FILE_BYTES) {
    throw new RangeError(`expected a file of at most ${MAX_FILE_BYTES} bytes`);
  }
  return readFileSync(file, 'utf8');
}

/** @param {readonly Calibration[]} calibrations */
export function formatCalibrations(calibrations) {
  return `${JSON.stringify({ format: FORMAT, calibrations }, null, 2)}\n`;
}

/**
 * @param {string} text
 * @returns {Calibration[]} newest first
 * @throws {RangeError} if the text does not contain calibrations
 */
export function parseCalibrations(text) {
  const content = parseJson(text);
  if (content?.format !== FORMAT || !Array.isArray(content.calibrations)) {
    throw new RangeError(`expected calibrations in format ${FORMAT}`);
  }
  const strange = content.calibrations.findIndex((/** @type {unknown} */ each) => !isCalibration(each));
  if (strange >= 0) {
    throw new RangeError(`expected a calibration at position ${strange + 1}`);
  }
  return content.calibrations;
}

/**
 * @param {readonly Calibration[]} calibrations
 * @param {Calibration} added replaces calibrations of the same host and settings
 * @returns {Calibration[]} newest first
 */
export function withCalibration(calibrations, added) {
  const others = calibrations.filter((each) => !replaces(added, each));
  return [added, ...others].slice(0, MAX_CALIBRATIONS);
}

/**
 * @param {Calibration} added
 * @param {Calibration} other
 */
function replaces(added, other) {
  return (
    added.host === other.host &&
    added.client === other.client &&
    added.useTls === other.useTls &&
    added.keepAlive === other.keepAlive &&
    added.size === other.size
  );
}

/** @param {string} text */
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new RangeError('expected JSON');
  }
}

/** @param {any} value from JSON */
function isCalibration(value) {
  return (
    isObject(value) &&
    typeof value.date === 'string' &&
    !Number.isNaN(Date.parse(value.date)) &&
    typeof value.host === 'string' &&
    isObject(value.versions) &&
    Object.values(value.versions).every((version) => typeof version === 'string') &&
    ['direct', 'sdk'].includes(value.client) &&
    typeof value.useTls === 'boolean' &&
    typeof value.keepAlive === 'boolean' &&
    isCount(value.size) &&
    isCount(value.threads) &&
    isCount(value.usableCores) &&
    Array.isArray(value.stages) &&
    value.stages.every(isStageCapacity)
  );
}

/** @param {any} value from JSON */
function isStageCapacity(value) {
  return (
    isObject(value) &&
    STAGE_NAMES.includes(value.stage) &&
    (value.operationsPerSecond === null
      ? typeof value.unproven === 'string'
      : value.unproven === null && Number.isFinite(value.operationsPerSecond) && value.operationsPerSecond > 0)
  );
}

/**
 * @param {unknown} value
 * @returns {boolean}
 */
function isObject(value) {
  return typeof value === 'object' && value !== null;
}

/** @param {unknown} value */
function isCount(value) {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
