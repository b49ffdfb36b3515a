import { OPERATIONS } from '../operations/registry.js';
import { parseSizes, smallestSize } from '../workload/size-distribution.js';
import { MEMBER_VALUES, meanRateOf } from '../workload/trace.js';

/** @import { Trace } from '../../result/config.js' */

/** Objects with fewer reads say little about the exponent: their order is mostly chance. */
const MIN_READS = 20;
const MIN_RANKS = 10;
const MAX_EXPONENT = 5;
const HALVINGS = 40;

/** Standard errors by which the reads of objects must vary more than by chance. */
const SIGNIFICANT = 4;

const CLASSES = 10;
const KILOBYTE = 1000;
const PERCENT = 100;

/**
 * @param {Trace} trace
 * @returns {{ mix: Map<string, number>, size: string, access: string, rangeSize: number, rate: number }} options of
 *   a run that resembles it; `mix` in per cent; `access` is '' without reads
 */
export function fitOf(trace) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  const reads = new Uint32Array(trace.objects);
  let rangeBytes = 0;
  let removed = 0;
  for (let request = 0; request < trace.requests; request++) {
    const { name, followsAccess, part, removes, grouping } = OPERATIONS[trace.codes[request]];
    counts.set(name, (counts.get(name) ?? 0) + 1);
    reads[trace.targets[request]] += Number(followsAccess);
    // A mix has no batches: their keys are removed one by one.
    let member = removes && grouping !== undefined ? trace.amounts[request] : 0;
    for (; member !== 0; member = trace.members[MEMBER_VALUES * member + 2]) {
      removed += 1;
    }
    rangeBytes += part === undefined ? 0 : trace.amounts[request];
  }
  const [writes, ranges] = [counts.get('write') ?? 0, counts.get('range') ?? 0];
  counts.set('remove', Math.min((counts.get('remove') ?? 0) + removed, writes));
  const mixed = OPERATIONS.filter(({ name, refuses }) => refuses?.mix === undefined && (counts.get(name) ?? 0) > 0);
  const mix = percentages(mixed.map(({ name }) => [name, Number(counts.get(name))]));
  const size = sizesOf(trace.sizes);
  const sizes = parseSizes(size);
  const smallest = typeof sizes === 'number' ? sizes : smallestSize(sizes);
  return {
    mix,
    size,
    access: mixed.some(({ name, followsAccess }) => followsAccess && mix.has(name)) ? accessOf(reads) : '',
    rangeSize: mix.has('range') ? Math.min(Math.round(rangeBytes / ranges), smallest) : 0,
    rate: meanRateOf(trace),
  };
}

/**
 * Whole percentages that add up to 100. Each is off by less than 1: it is the difference of two rounded sums.
 *
 * @param {[name: string, count: number][]} counts
 */
function percentages(counts) {
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  let before = 0;
  const shares = counts.map(([name, count]) => {
    const [from, to] = [before, (before += count)].map((sum) => Math.round((PERCENT * sum) / total));
    return /** @type {const} */ ([name, to - from]);
  });
  return new Map(shares.filter(([, share]) => share > 0));
}

/** One size for each tenth of the objects, which keeps their mean. @param {Float64Array} sizes */
function sizesOf(sizes) {
  const sorted = Float64Array.from(sizes).sort();
  const weights = new Map();
  for (let index = 0; index < CLASSES; index++) {
    const bounds = [index, index + 1].map((bound) => Math.floor((bound * sorted.length) / CLASSES));
    const part = sorted.subarray(...bounds);
    const mean = Number((part.reduce((sum, size) => sum + size, 0) / part.length).toPrecision(4));
    // Every object has a byte for a range.
    const text = mean < 10 * KILOBYTE ? `${Math.max(Math.round(mean), 1)}B` : `${mean / KILOBYTE}kB`;
    if (part.length > 0) {
      weights.set(text, (weights.get(text) ?? 0) + 1);
    }
  }
  const [[only]] = weights;
  return weights.size === 1 ? only : Array.from(weights, ([size, weight]) => `${size}=${weight}`).join(',');
}

/**
 * The most likely exponent of a Zipf distribution, given the objects that were read often enough.
 *
 * @param {Uint32Array} reads of each object
 * @returns {string} as --access takes it
 */
function accessOf(reads) {
  const sorted = Float64Array.from(reads).sort().reverse();
  const mean = sorted.reduce((sum, count) => sum + count, 0) / sorted.length;
  const variance = sorted.reduce((sum, count) => sum + (count - mean) ** 2, 0) / sorted.length;
  const known = sorted.filter((count) => count >= MIN_READS);
  if (known.length < MIN_RANKS || variance / mean < 1 + SIGNIFICANT * Math.sqrt(2 / sorted.length)) {
    return 'uniform';
  }
  const logs = Float64Array.from(known, (_, index) => Math.log(index + 1));
  const meanLog = (/** @type {Float64Array} */ weights) =>
    weights.reduce((sum, weight, index) => sum + weight * logs[index], 0) /
    weights.reduce((sum, weight) => sum + weight, 0);
  const observed = meanLog(known);
  let [low, high] = [0, MAX_EXPONENT];
  for (let halving = 0; halving < HALVINGS; halving++) {
    const exponent = (low + high) / 2;
    [low, high] = meanLog(logs.map((log) => Math.exp(-exponent * log))) > observed ? [exponent, high] : [low, exponent];
  }
  return low < 0.01 ? 'uniform' : `zipf:${low.toFixed(2)}`;
}
