import { formatTable } from './studies/table.js';

/**
 * @import { Comparison } from './scenarios.js'
 *
 * @typedef {Record<string, Record<string, number[]>>} Figures one number per round, by stage and client
 *
 * @typedef {object} ComparisonColumn
 * @property {string} of name of a client
 * @property {string} to name of another client
 * @property {string} title
 * @property {(one: number, other: number) => string} compare
 */

/**
 * @param {Figures} costs µs per operation
 * @param {readonly Comparison[]} comparisons omitted if a client was not measured
 */
export function cpuTable(costs, comparisons) {
  const names = clientsOf(costs);
  const columns = comparisons
    .filter(({ of, to }) => names.includes(of) && names.includes(to))
    .flatMap(comparisonColumns);
  const rows = Object.entries(costs).map(([stage, row]) => [
    stage,
    ...names.map((name) => (name in row ? withSpread(row[name]) : '-')),
    ...columns.map(({ of, to, compare }) => (of in row && to in row ? compare(median(row[of]), median(row[to])) : '-')),
  ]);
  return formatTable(['stage', ...names, ...columns.map(({ title }) => title)], rows);
}

/**
 * @param {Comparison} comparison
 * @returns {ComparisonColumn[]}
 */
function comparisonColumns({ of, to, hasDifference = false }) {
  const ratio = { of, to, title: `${of} ÷ ${to}`, compare: ratioOf };
  return hasDifference ? [ratio, { of, to, title: `${of} − ${to}`, compare: differenceOf }] : [ratio];
}

/**
 * @param {number} one
 * @param {number} other
 */
function ratioOf(one, other) {
  return (one / other).toFixed(2);
}

/**
 * @param {number} one
 * @param {number} other
 */
function differenceOf(one, other) {
  return (one - other).toFixed(1);
}

/**
 * @param {Figures} figures
 * @param {(median: number) => string} format
 */
export function medianTable(figures, format) {
  const names = clientsOf(figures);
  const rows = Object.entries(figures).map(([stage, row]) => [
    stage,
    ...names.map((name) => (name in row ? format(median(row[name])) : '-')),
  ]);
  return formatTable(['stage', ...names], rows);
}

/** @param {Figures} figures */
function clientsOf(figures) {
  return [...new Set(Object.values(figures).flatMap((row) => Object.keys(row)))];
}

/** @param {readonly number[]} values */
function withSpread(values) {
  const middle = median(values).toFixed(1);
  return values.length === 1
    ? middle
    : `${middle} (${Math.min(...values).toFixed(1)}–${Math.max(...values).toFixed(1)})`;
}

/** @param {readonly number[]} values */
function median(values) {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
