import { parseSize } from '../text/units.js';

// Each function parses a value of a fault script, and returns null for an invalid one.

/** Error codes by status; other statuses use the code for 400 or 500. */
const CODES = /** @type {Record<number, string>} */ ({
  400: 'InvalidRequest',
  401: 'Unauthorized',
  403: 'AccessDenied',
  404: 'NoSuchKey',
  408: 'RequestTimeout',
  412: 'PreconditionFailed',
  429: 'TooManyRequests',
  500: 'InternalError',
  501: 'NotImplemented',
  503: 'SlowDown',
});

const LOGNORMAL = 'lognormal:';

/** @param {string} value */
export function readProbability(value) {
  const parts = /^([0-9]{1,3}(?:\.[0-9]{1,9})?)%$/.exec(value);
  const percentage = Number(parts?.[1]);
  return percentage <= 100 ? { probability: percentage / 100 } : null;
}

/** @param {string} value a range, or median and sigma such as lognormal:20ms:0.5 */
export function readLatency(value) {
  if (!value.startsWith(LOGNORMAL)) {
    return readRange(value);
  }
  const parts = /^(.+):([0-9](?:\.[0-9]{1,3})?)$/.exec(value.slice(LOGNORMAL.length));
  const median = parts && readDuration(parts[1]);
  return parts === null || median === null ? null : { median, sigma: Number(parts[2]) };
}

/** @param {string} value */
function readRange(value) {
  const [from, to = from, ...more] = value.split('..');
  const minimum = readDuration(from);
  const maximum = readDuration(to);
  const isRange = minimum !== null && maximum !== null && minimum <= maximum && more.length === 0;
  return isRange ? { minimum, maximum } : null;
}

/** @param {string} value */
export function readStatus(value) {
  const parts = /^([45][0-9]{2})(?:\/([A-Za-z]+))?:(.*)$/.exec(value);
  const probability = parts && readProbability(parts[3]);
  if (!parts || probability === null) {
    return null;
  }
  const status = Number(parts[1]);
  const code = parts[2] ?? CODES[status] ?? CODES[status < 500 ? 400 : 500];
  return { status, code, ...probability };
}

/** @param {string} value a duration with an optional sign */
export function readSkew(value) {
  const milliseconds = readDuration(value.replace(/^[+-]/, ''));
  return milliseconds === null ? null : { skew: value.startsWith('-') ? -milliseconds : milliseconds };
}

/** Parses a number with a unit, such as 20ms, 1.5s or 20m, into ms. @param {string} value */
function readDuration(value) {
  const parts = /^([0-9]{1,6}(?:\.[0-9]{1,3})?)(ms|s|m)$/.exec(value);
  const unit = { ms: 1, s: 1000, m: 60_000 }[parts?.[2] ?? ''];
  return parts === null || unit === undefined ? null : Number(parts[1]) * unit;
}

/**
 * @param {string} field
 * @param {number} least
 * @returns {(value: string) => Record<string, number> | null} reads a whole number
 */
export function wholeNumber(field, least) {
  return (value) => (/^[0-9]{1,9}$/.test(value) && Number(value) >= least ? { [field]: Number(value) } : null);
}

/** @param {string} value */
export function readBandwidth(value) {
  try {
    const bytesPerSecond = parseSize(value);
    return bytesPerSecond > 0 ? { bytesPerSecond } : null;
  } catch (error) {
    if (error instanceof RangeError) {
      return null;
    }
    throw error;
  }
}

/** @param {string} value such as 2s@3s */
export function readStall(value) {
  const [length, after, ...more] = value.split('@').map(readDuration);
  return length === null || after === undefined || after === null || more.length > 0 ? null : { length, after };
}

/** @param {string} value */
export function readDelay(value) {
  const milliseconds = readDuration(value);
  return milliseconds === null ? null : { milliseconds };
}
