import { SCHEMA } from './schema.js';

/** @import { CountName } from './result.js' */

// The table of the counters is in result.schema.json, under `counters`: a counter is an entry there, and the place that
// counts it. All of them are sums.

/** All counters, in the order in which they are shown. */
export const COUNT_NAMES = /** @type {CountName[]} */ (Object.keys(SCHEMA.$defs.counters.properties));

/**
 * @typedef {{ [Name in CountName]?: number | null } & { errors: Record<string, number> }} SomeCounts what is not known is
 *   missing, or null
 *
 * @param {readonly SomeCounts[]} parts
 * @returns {SomeCounts} their sums: not known where a part does not know it; errors with the most frequent kinds first
 */
export function addCounts(parts) {
  const sums = Object.fromEntries(COUNT_NAMES.map((name) => [name, sumOf(parts.map((part) => part[name]))]));
  return { ...sums, errors: sumsByName(parts.map(({ errors }) => errors)) };
}

/**
 * @param {readonly (number | null | undefined)[]} values
 * @returns {number | null} null where one of them is not known
 */
export function sumOf(values) {
  return values.reduce(
    (/** @type {number | null} */ sum, value) => (sum === null || typeof value !== 'number' ? null : sum + value),
    0,
  );
}

/**
 * @param {readonly Readonly<Record<string, number>>[]} parts
 * @returns {Record<string, number>} the largest first, without those of nothing
 */
export function sumsByName(parts) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  for (const [name, value] of parts.flatMap((part) => Object.entries(part))) {
    sums.set(name, (sums.get(name) ?? 0) + value);
  }
  const sorted = [...sums].filter(([, sum]) => sum > 0).sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
  return Object.fromEntries(sorted);
}
