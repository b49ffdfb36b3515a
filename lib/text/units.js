import { quote } from './quote.js';

export const MEGABYTE = 1024 ** 2;

const BYTES_OF_UNIT = new Map([
  ['B', 1],
  ['kB', 1000],
  ['MB', 1000 ** 2],
  ['GB', 1000 ** 3],
  ['TB', 1000 ** 4],
  ['KiB', 1024],
  ['MiB', 1024 ** 2],
  ['GiB', 1024 ** 3],
  ['TiB', 1024 ** 4],
]);

const MILLISECONDS_OF_UNIT = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/** In the order in which {@link formatSize} tries them. */
const BINARY_UNITS = ['GiB', 'MiB', 'KiB'];

const SECONDS_OF_DAY = 86_400;

/** In the order in which {@link formatDuration} tries them. */
const SECONDS_OF_UNIT = Object.freeze({ d: SECONDS_OF_DAY, h: 3600, m: 60, s: 1 });

const QUANTITY_PATTERN = /^([0-9]{1,16})(?:\.([0-9]{1,16}))?([A-Za-z]{0,3})$/;
const TIME_OF_DAY_PATTERN = /^([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])$/;

/**
 * Parses a size: a number followed by `KiB`, `MiB`, `GiB`, `TiB` (powers of 1024), `kB`, `MB`, `GB`, `TB` (powers of
 * 1000), `B` or nothing. Lower case is accepted.
 *
 * @param {string} text
 * @returns {number} bytes
 * @throws {RangeError} if the text is not a size in whole bytes
 */
export function parseSize(text) {
  try {
    return parseQuantity(text, BYTES_OF_UNIT, 'B', 'a size in whole bytes, such as 16KiB, 1.5MB or 1000');
  } catch (error) {
    throw new RangeError(/** @type {Error} */ (error).message + suggestedSizes(text), { cause: error });
  }
}

/** Both sizes that the text might mean: other tools read `16K` and `64KB` either way. @param {string} text */
function suggestedSizes(text) {
  const [, number, prefix] = /^([0-9.]+) ?([KMGT])i?b?$/i.exec(text) ?? [];
  if (prefix === undefined) {
    return '';
  }
  const sizes = [
    prefix === 'k' || prefix === 'K' ? 'kB' : `${prefix.toUpperCase()}B`,
    `${prefix.toUpperCase()}iB`,
  ].flatMap((unit) => {
    const bytes = Number(number) * Number(BYTES_OF_UNIT.get(unit));
    return Number.isSafeInteger(bytes) ? [`${number}${unit} (${bytes.toLocaleString('en-US')} bytes)`] : [];
  });
  return sizes.length === 0 ? '' : `; did you mean ${sizes.join(' or ')}?`;
}

/**
 * Parses a duration: a number followed by `ms`, `s`, `m`, `h`, or nothing for seconds.
 *
 * @param {string} text
 * @returns {number} ms
 * @throws {RangeError} if the text is not a duration in whole milliseconds
 */
export function parseDuration(text) {
  return parseQuantity(
    text,
    MILLISECONDS_OF_UNIT,
    's',
    'a duration in whole milliseconds, such as 500ms, 10s, 1.5m, 2h or 10 (seconds)',
  );
}

/**
 * Uses integers because a product of floats can miss a whole number: 1.005 × 1000 is 1004.9999999999999.
 *
 * @param {string} text
 * @param {ReadonlyMap<string, number>} scales value of each unit
 * @param {string} plainUnit unit of a plain number
 * @param {string} expected
 */
function parseQuantity(text, scales, plainUnit, expected) {
  const [, whole, fraction = '', unit] = QUANTITY_PATTERN.exec(text) ?? [];
  const given = unit === '' ? plainUnit : unit;
  const [, scale] = [...scales].find(([name]) => given === name || given === name.toLowerCase()) ?? [];
  if (scale !== undefined) {
    const numerator = BigInt(whole + fraction) * BigInt(scale);
    const denominator = 10n ** BigInt(fraction.length);
    const value = Number(numerator / denominator);
    if (numerator % denominator === 0n && Number.isSafeInteger(value)) {
      return value;
    }
  }
  throw new RangeError(`expected ${expected}, got ${quote(text)}`);
}

/** In units of {@link MEGABYTE}, with one decimal. @param {number} bytes */
export function formatMegabytes(bytes) {
  return (bytes / MEGABYTE).toFixed(1);
}

/** Exactly, in the largest binary unit that divides it: `16KiB`, `1MiB`, `1000B`. @param {number} bytes */
export function formatSize(bytes) {
  const { count, unit } = inLargest(BINARY_UNITS, bytes);
  return `${count}${unit}`;
}

/** In the order in which {@link sizeRange} tries them. */
const SHOWN_UNITS = ['GiB', 'GB', 'MiB', 'MB', 'KiB', 'kB'];

/** Such as `0 B to 1 MB`, or `16 KiB` for a single size. @param {number} from bytes @param {number} to bytes */
export function sizeRange(from, to) {
  // The end of a class is a byte below a round size.
  const end = from < to && (to + 1) % 1024 === 0 ? to + 1 : to;
  const [low, high] = [from, end].map((bytes) => {
    const { count, unit } = inLargest(SHOWN_UNITS, bytes);
    return `${count.toLocaleString('en-US')} ${unit}`;
  });
  return low === high ? low : `${low} to ${high}`;
}

/**
 * @param {readonly string[]} units the largest first
 * @param {number} bytes
 */
function inLargest(units, bytes) {
  const unit = units.find((name) => bytes > 0 && bytes % Number(BYTES_OF_UNIT.get(name)) === 0) ?? 'B';
  return { count: bytes / Number(BYTES_OF_UNIT.get(unit)), unit };
}

/** In the two largest units, rounded down: `3d 4h`, `59s`. @param {number} milliseconds a negative value counts as 0 */
export function formatDuration(milliseconds) {
  let seconds = Math.max(Math.floor(milliseconds / 1000), 0);
  const parts = [];
  for (const [unit, length] of Object.entries(SECONDS_OF_UNIT)) {
    const count = Math.floor(seconds / length);
    seconds -= count * length;
    if (count > 0 || parts.length > 0) {
      parts.push(`${count}${unit}`);
    }
  }
  return parts.slice(0, 2).join(' ') || '0s';
}

/** In the form that {@link parseDuration} accepts: `10s`, `1500ms`. @param {number} milliseconds */
export function formatTime(milliseconds) {
  return milliseconds % 1000 === 0 ? `${milliseconds / 1000}s` : `${milliseconds}ms`;
}

/** The time of day in UTC, `HH:MM:SS`. @param {number} epochSecond whole seconds since 1970 */
export function formatTimeOfDay(epochSecond) {
  return new Date((epochSecond % SECONDS_OF_DAY) * 1000).toISOString().slice('1970-01-01T'.length, -'.000Z'.length);
}

/**
 * @param {string} text `HH:MM:SS`
 * @returns {number} the second of the day, 0 to 86,399
 * @throws {RangeError} if it is not a time of day
 */
export function parseTimeOfDay(text) {
  const match = TIME_OF_DAY_PATTERN.exec(text);
  if (match === null) {
    throw new RangeError(`expected a time of day from 00:00:00 to 23:59:59, got ${quote(text)}`);
  }
  return Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3]);
}
