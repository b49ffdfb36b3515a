import { decimal, rounded } from '../../text/figures.js';
import { MEGABYTE } from '../../text/units.js';

/**
 * @typedef {readonly [times: number, dividedBy: number]} Scale converts a value to the unit in results. It
 *   divides, because multiplying by a fraction is inexact: 7 × 0.01 is more than 0.07
 *
 * @typedef {object} Quantity
 * @property {string} example of a limit, for messages
 * @property {Readonly<Record<string, Scale>>} units most common first; the empty unit is for a plain number
 * @property {Readonly<Record<string, string>>} spellings alternative spellings of the units
 *
 * @typedef {'time' | 'duration' | 'rate' | 'throughput' | 'size' | 'share' | 'count'} QuantityName
 */

/** @type {Scale} */
const ONE = [1, 1];
const KIB = 1024;

/** As in the log, MB is 1024 × 1024 bytes. @type {Readonly<Record<string, Scale>>} */
const SIZES = { MB: [KIB ** 2, 1], B: ONE, KiB: [KIB, 1], MiB: [KIB ** 2, 1], GiB: [KIB ** 3, 1] };

/** @type {Quantity} */
const TIME = { example: '50ms', units: { ms: ONE, us: [1, 1000], s: [1000, 1] }, spellings: { µs: 'us', μs: 'us' } };

/** @type {Readonly<Record<QuantityName, Quantity>>} */
export const QUANTITIES = Object.freeze({
  time: TIME,
  duration: TIME,
  rate: { example: '800', units: { '': ONE }, spellings: { 'ops/s': '', '/s': '' } },
  throughput: {
    example: '100MB/s',
    units: Object.fromEntries(Object.entries(SIZES).map(([unit, scale]) => [`${unit}/s`, scale])),
    spellings: {},
  },
  size: { example: '10GiB', units: SIZES, spellings: {} },
  share: { example: '0.1%', units: { '%': [1, 100] }, spellings: {} },
  count: { example: '0', units: { '': ONE }, spellings: {} },
});

/** Suffixes for quantities whose unit is empty. @type {Readonly<Record<string, string>>} */
const SHOWN_UNITS = { rate: '/s' };

/** Significant digits of a value below 1,000, unless all are needed to show on which side of the limit it is. */
const DIGITS = 4;

/**
 * @param {QuantityName} quantity
 * @param {string} written by the user
 * @returns {string | null} the unit's name in `units`; null if the quantity has no such unit
 */
export function unitNamed(quantity, written) {
  const { units, spellings } = QUANTITIES[quantity];
  const unit = Object.hasOwn(spellings, written) ? spellings[written] : written;
  return Object.hasOwn(units, unit) ? unit : null;
}

/**
 * @param {QuantityName} quantity
 * @param {number} value in the unit
 * @param {string} unit of the quantity
 * @returns {number} in the unit of results
 */
export function toBase(quantity, value, unit) {
  const [times, dividedBy] = QUANTITIES[quantity].units[unit];
  return (value * times) / dividedBy;
}

/** The quantity's units for a message: `ms, us or s`. @param {QuantityName} quantity */
export function describeUnits(quantity) {
  const units = Object.keys(QUANTITIES[quantity].units);
  if (units[0] === '') {
    return 'a plain number';
  }
  return units.length === 1 ? units[0] : `${units.slice(0, -1).join(', ')} or ${units.at(-1)}`;
}

/**
 * Formats a value with enough digits to show on which side of its limit it is.
 *
 * @param {QuantityName} quantity
 * @param {number} value in the unit of results
 * @param {number} limit in the unit of results
 * @param {string} [unit] of the quantity; the most common one by default
 * @returns {string} such as `61.3ms`
 */
export function showValue(quantity, value, limit, unit = Object.keys(QUANTITIES[quantity].units)[0]) {
  const [times, dividedBy] = QUANTITIES[quantity].units[unit];
  const [exact, edge] = [value, limit].map((each) => (each * dividedBy) / times);
  const short = Math.abs(exact) < 1000 ? Number(exact.toPrecision(DIGITS)) : Math.round(exact);
  const isMisleading = Math.sign(short - edge) !== Math.sign(exact - edge);
  return `${isMisleading ? exact : short}${unit || (SHOWN_UNITS[quantity] ?? '')}`;
}

/**
 * How tables and sentences show a quantity. A value's text has no unit, except for a share.
 *
 * @type {Readonly<Record<QuantityName | 'ratio', { unit: string, textOf: (value: number) => string }>>}
 */
export const SHOWN = Object.freeze({
  time: { unit: 'ms', textOf: (ms) => decimal(ms, ms < 1 ? 3 : ms < 10 ? 2 : 1) },
  duration: { unit: 's', textOf: (ms) => decimal(ms / 1000) },
  rate: { unit: 'ops/s', textOf: (rate) => decimal(rate, rate < 1000 ? 1 : 0) },
  throughput: { unit: 'MiB/s', textOf: (bytes) => decimal(bytes / MEGABYTE) },
  size: { unit: 'bytes', textOf: rounded },
  share: { unit: '', textOf: (part) => `${decimal(100 * part, part > 0 && part < 0.1 ? 2 : 0)}%` },
  count: { unit: '', textOf: (value) => decimal(value, Number.isInteger(value) ? 0 : 1) },
  ratio: { unit: '', textOf: (value) => (value < 1000 ? decimal(value, 3) : value.toExponential(1)) },
});

/** Such as `15.5 ms`. @type {(quantity: QuantityName, value: number | null) => string} */
export function quantityText(quantity, value) {
  return value === null ? 'unknown' : `${SHOWN[quantity].textOf(value)} ${SHOWN[quantity].unit}`.trimEnd();
}
