import { SCHEMA } from './schema.js';

/** @import { CountName, StageCounts } from './result.js' */

// The counters are declared in result.schema.json, under `counters`. To add a counter, add an entry there, and increment
// its field of a StageMeter. Counters of several hosts are added up. Shown are those with a row in figures/catalogue.js.

export const COUNT_NAMES = /** @type {CountName[]} */ (Object.keys(SCHEMA.$defs.counters.properties));

/**
 * @param {readonly (number | null | undefined)[]} values
 * @returns {number | null} null if any is unknown
 */
export function sumOf(values) {
  return values.reduce(
    (/** @type {number | null} */ sum, value) => (sum === null || typeof value !== 'number' ? null : sum + value),
    0,
  );
}

/** Sums by name in descending order, without zeros. @param {readonly Readonly<Record<string, number>>[]} parts */
export function sumsByName(parts) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  for (const [name, value] of parts.flatMap((part) => Object.entries(part))) {
    sums.set(name, (sums.get(name) ?? 0) + value);
  }
  const sorted = [...sums].filter(([, sum]) => sum > 0).sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
  return Object.fromEntries(sorted);
}

/**
 * @typedef {Pick<StageCounts, 'attempts' | 'operations' | 'errors'> &
 *   { failedAttempts?: number | null, steps?: number | null }} SomeStage
 */

/** Error kind of attempts cut off by the end of a stage. */
export const ABANDONED = 'abandoned';

/**
 * @param {SomeStage} stage possibly from a log without a count of failed attempts
 * @returns {number} failed attempts, except those cut off by the end of the stage
 */
export function failedAttemptsOf({ attempts, operations, steps, errors, failedAttempts }) {
  return failedAttempts ?? attempts - operations - (steps ?? 0) - (errors[ABANDONED] ?? 0);
}
