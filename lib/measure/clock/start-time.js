import { quote } from '../../text/quote.js';
import { parseDuration } from '../../text/units.js';

/** @import { StartTime } from '../../result/config.js' */

/** Includes the time zone, so that it means the same time on every host. */
const ISO_TIME = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;
const EPOCH_SECONDS = /^\d{9,11}(\.\d{1,3})?$/;

/**
 * `next:` leaves at least this time between the start of the process and the run: enough to prepare for a store with a
 * round trip of 300 ms. Documented in docs/measure/many-hosts.md.
 */
export const NEXT_MARGIN_MS = 10_000;

/** One week: a longer wait must be a typo. */
export const MAX_WAIT_MS = 7 * 24 * 3_600_000;

const EXPECTED =
  'expected an ISO time with time zone (2026-01-31T12:00:00Z), epoch seconds, next:60s (the next full minute) or +30s';

/**
 * @param {string} text
 * @returns {StartTime}
 * @throws {RangeError} that states what was expected
 */
export function parseStartTime(text) {
  if (text.startsWith('next:')) {
    const step = readDuration(text, 'next:');
    return { after: (launchedAt) => Math.ceil((launchedAt + NEXT_MARGIN_MS) / step) * step, isCommon: true };
  }
  if (text.startsWith('+')) {
    const delay = readDuration(text, '+');
    return { after: (launchedAt) => launchedAt + delay, isCommon: false };
  }
  const moment = EPOCH_SECONDS.test(text) ? Number(text) * 1000 : parseIsoTime(text);
  if (Number.isNaN(moment)) {
    throw new RangeError(`${EXPECTED}, got ${quote(text)}`);
  }
  return { after: () => moment, isCommon: true };
}

/** Epoch ms; NaN if invalid. @param {string} text */
function parseIsoTime(text) {
  const [, year, month, day] = ISO_TIME.exec(text)?.map(Number) ?? [];
  // Date.parse reads 30 February as 2 March.
  const daysOfMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return day <= daysOfMonth ? Date.parse(text) : NaN;
}

/**
 * @param {string} text
 * @param {string} before prefix of the duration
 */
function readDuration(text, before) {
  const duration = parseDuration(text.slice(before.length));
  if (duration < 1 || duration > MAX_WAIT_MS) {
    throw new RangeError(`${EXPECTED}, got ${quote(text)}`);
  }
  return duration;
}
