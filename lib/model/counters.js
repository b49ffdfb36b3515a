import { SCHEMA } from './schema.js';

/** @import { CountName } from './result.js' */

// The counters are declared in result.schema.json, under `counters`. To add a counter, add an entry there and increment
// it in one place. Counters of several hosts are added up.

export const COUNT_NAMES = /** @type {CountName[]} */ (Object.keys(SCHEMA.$defs.counters.properties));

/**
 * @typedef {{ [Name in CountName]?: number | null } & { errors: Record<string, number> }} SomeCounts counts,
 *   null if unknown
 *
 * @param {readonly SomeCounts[]} parts
 * @returns {SomeCounts} their sums, unknown if any part is unknown; errors are sorted by frequency
 */
export function addCounts(parts) {
  const sums = Object.fromEntries(COUNT_NAMES.map((name) => [name, sumOf(parts.map((part) => part[name]))]));
  return { ...sums, errors: sumsByName(parts.map(({ errors }) => errors)) };
}

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
