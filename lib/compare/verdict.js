/**
 * @import { ComparedMetric, ComparisonVerdict } from '../model/comparison.js'
 * @import { MetricFinding } from './compare-stage.js'
 */

/** The confidence level of each interval, and of all tests together. */
export const CONFIDENCE = 0.95;

// For each metric, the verdicts if the figure increased and if it decreased.
/** @type {Readonly<Record<ComparedMetric, readonly [ComparisonVerdict, ComparisonVerdict]>>} */
const WORDS = Object.freeze({
  rate: ['faster', 'slower'],
  throughput: ['faster', 'slower'],
  p50: ['slower', 'faster'],
  p90: ['slower', 'faster'],
  p99: ['slower', 'faster'],
  p999: ['slower', 'faster'],
  errors: ['more', 'fewer'],
  cpu: ['more', 'fewer'],
});

const NO_INTERVAL = 'the figure varies too much from second to second to compute an interval: use longer runs';

/**
 * Checks the margin first: if the whole interval is within it, even a proven difference is too small to matter.
 *
 * @param {MetricFinding} finding
 * @param {{ margin: number, p: number, tests: number }} context `p` is adjusted for the number of tests
 * @returns {{ verdict: ComparisonVerdict, reason: string | null }}
 */
export function verdictOf({ metric, before, after, test, reason }, { margin, p, tests }) {
  if (test === null) {
    const isNever = metric === 'errors' && before === 0 && after === 0;
    return isNever ? { verdict: 'the same', reason: null } : { verdict: 'cannot tell', reason };
  }
  const { low, high } = test;
  if (low >= 1 / (1 + margin) && high <= 1 + margin) {
    return { verdict: 'the same', reason: null };
  }
  if (p < 1 - CONFIDENCE) {
    const [more, less] = WORDS[metric];
    return { verdict: Number(after) > Number(before) ? more : less, reason: null };
  }
  if (low === 0 && high === Infinity) {
    return { verdict: 'cannot tell', reason: NO_INTERVAL };
  }
  const isAlone = test.p < 1 - CONFIDENCE;
  return {
    verdict: 'cannot tell',
    reason: isAlone
      ? `with ${tests} figures, chance alone can make one differ this much`
      : `it may not have changed, or may have changed by more than ${Number((100 * margin).toFixed(2))}%`,
  };
}
