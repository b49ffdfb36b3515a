import { parseFaults } from '../local-s3/faults.js';
import { quote } from '../log/quote.js';
import { parseDuration, parseSize } from '../log/units.js';
import { parseStartTime } from '../clock/start-time.js';
import { STAGES } from '../operations/registry.js';
import { isPrefix, isRunId } from '../workload/keyspace.js';
import { STANDARD_OUTPUT } from './report-file.js';
import { listOf, wholeNumber } from './values.js';

/** @import { StartTime } from '../clock/start-time.js' */

// How the values of options are read.

/** S3 takes no more in a single PUT. */
const LARGEST_OBJECT = 5 * 1024 ** 3;

const LARGEST_COUNT = 1e9;
const LARGEST_CORE_COUNT = 1024;
const LARGEST_THREAD_COUNT = 100_000;
const LEAST_DURATION_MS = 1000;
const LEAST_RATE = 0.1;
const LARGEST_RATE = 1_000_000;

/** Well below what a timer takes. */
const LARGEST_DURATION_MS = 7 * 24 * 3_600_000;

const LARGEST_TIMEOUT_MS = 3_600_000;
const STAGE_NAMES = STAGES.map(({ name }) => name.toLowerCase());

export const objectCount = wholeNumber(1, LARGEST_COUNT);
export const threadCount = wholeNumber(1, LARGEST_THREAD_COUNT);
export const retryCount = wholeNumber(0, 1000);

/**
 * @param {string} given
 * @returns {number} a second
 */
export function rate(given) {
  const value = /^[0-9]{1,7}(\.[0-9]{1,3})?$/.test(given) ? Number(given) : NaN;
  if (!(value >= LEAST_RATE && value <= LARGEST_RATE)) {
    throw new RangeError(`expected operations a second from ${LEAST_RATE} to ${LARGEST_RATE}, got ${quote(given)}`);
  }
  return value;
}

/**
 * @param {string} given
 * @returns {number | 'auto'}
 */
export function coreCount(given) {
  return given === 'auto' ? given : wholeNumber(1, LARGEST_CORE_COUNT)(given);
}

/**
 * @param {string} given
 * @returns {number} bytes
 */
export function objectSize(given) {
  const size = parseSize(given);
  if (size > LARGEST_OBJECT) {
    throw new RangeError(`expected at most 5GiB, which is all that a single PUT takes, got ${quote(given)}`);
  }
  return size;
}

/**
 * @param {string} given
 * @returns {number} ms
 */
export function timeout(given) {
  const duration = parseDuration(given);
  if (duration < 1 || duration > LARGEST_TIMEOUT_MS) {
    throw new RangeError(`expected a time from 1ms to 1h, got ${quote(given)}`);
  }
  return duration;
}

/**
 * @param {string} given
 * @returns {string} the same
 */
export function faultScript(given) {
  try {
    parseFaults(given);
  } catch (error) {
    throw new RangeError(/** @type {Error} */ (error).message, { cause: error });
  }
  return given;
}

/**
 * @param {number} least ms
 * @param {string} description of the range
 * @returns {(given: string) => number} ms
 */
function durationFrom(least, description) {
  return (given) => {
    const duration = parseDuration(given);
    if (duration < least || duration > LARGEST_DURATION_MS) {
      throw new RangeError(`expected ${description}, got ${quote(given)}`);
    }
    return duration;
  };
}

export const stageDuration = durationFrom(LEAST_DURATION_MS, 'a time from 1s to 168h');
export const gap = durationFrom(0, 'a time up to 168h');
export const warmup = durationFrom(0, 'a time up to 168h');

/**
 * @param {string} given such as `0.5` or `2`
 * @returns {number} dollars
 */
export function dollars(given) {
  const value = /^[0-9]{1,9}(?:\.[0-9]{1,6})?$/.test(given) ? Number(given) : NaN;
  if (!(value > 0)) {
    throw new RangeError(`expected dollars above 0, such as 0.5 or 2, got ${quote(given)}`);
  }
  return value;
}

/**
 * @param {string} given
 * @returns {StartTime}
 */
export function startTime(given) {
  return parseStartTime(given);
}

/**
 * @param {string} given `i/N`, `auto` or `auto/N`
 * @returns {{ index: number | null, count: number | null }} null for what the environment tells
 */
export function shard(given) {
  const match = /^(auto|[0-9]{1,6})(?:\/([1-9][0-9]{0,5}))?$/.exec(given);
  const index = match === null || match[1] === 'auto' ? null : Number(match[1]);
  const count = match?.[2] === undefined ? null : Number(match[2]);
  if (match === null || (index !== null && (count === null || index >= count))) {
    throw new RangeError(`expected i/N with i from 0 to N-1, or auto, or auto/N, got ${quote(given)}`);
  }
  return { index, count };
}

/**
 * @param {string} given comma-separated
 * @returns {string[]} in the order in which the stages run
 */
export function stageNames(given) {
  const names = listOf(given);
  const strange = names.filter((name) => !STAGE_NAMES.includes(name));
  if (names.length === 0 || strange.length > 0) {
    throw new RangeError(`expected some of ${STAGE_NAMES.join(',')}, got ${quote(strange[0] ?? given)}`);
  }
  return STAGE_NAMES.filter((name) => names.includes(name));
}

/**
 * @param {string} given
 * @returns {string} a path
 */
export function logFile(given) {
  if (given === '' || given === STANDARD_OUTPUT) {
    throw new RangeError(`expected a file, got ${quote(given)}; stdout has the log without this option`);
  }
  return given;
}

/**
 * @param {string} given for a run that is going to be
 * @returns {string}
 */
export function runId(given) {
  if (given.startsWith('-')) {
    throw new RangeError(`expected a name that does not begin with - and so looks like an option, got ${quote(given)}`);
  }
  return anyRunId(given);
}

/**
 * Earlier versions took names that begin with a hyphen.
 *
 * @param {string} given for a run that may have been
 * @returns {string}
 */
export function anyRunId(given) {
  if (!isRunId(given)) {
    throw new RangeError(`expected 1 to 64 of A-Z a-z 0-9 . _ - and not dots alone, got ${quote(given)}`);
  }
  return given;
}

/**
 * @param {string} given
 * @returns {string}
 */
export function prefix(given) {
  if (!isPrefix(given)) {
    throw new RangeError(`expected names of A-Z a-z 0-9 . _ - with / between them, got ${quote(given)}`);
  }
  return given;
}
