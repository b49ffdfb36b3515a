import { figureNamed } from '../figures/catalogue.js';

/**
 * @import { ComparisonVerdict } from '../comparison.js'
 * @import { MetricFinding } from './compare-stage.js'
 * @import { RatioTest } from './log-ratio.js'
 */

/** The confidence level of each interval, and of all tests together. */
export const CONFIDENCE = 0.95;

/**
 * @param {string} metric
 * @param {boolean} isMore whether the figure increased
 * @returns {ComparisonVerdict}
 */
function wordFor(metric, isMore) {
  const { isLatency = false, quantity } = figureNamed(metric) ?? {};
  if (isLatency) {
    return isMore ? 'slower' : 'faster';
  }
  return quantity === 'rate' ? (isMore ? 'faster' : 'slower') : isMore ? 'more' : 'fewer';
}

const NO_INTERVAL = 'the figure varies too much from second to second to compute an interval: use longer runs';

/**
 * Checks the margin first: if the whole interval is within it, even a proven difference is too small to matter.
 *
 * @param {MetricFinding} finding
 * @param {number} margin
 * @param {ReadonlyMap<RatioTest | null, number>} adjusted values of p for the number of tests
 * @returns {{ verdict: ComparisonVerdict, reason: string | null }}
 */
export function verdictOf({ metric, before, after, test, reason }, margin, adjusted) {
  if (test === null) {
    const isNever = metric === 'errorShare' && before === 0 && after === 0;
    return isNever ? { verdict: 'the same', reason: null } : { verdict: 'cannot tell', reason };
  }
  const { low, high } = test;
  if (low >= 1 / (1 + margin) && high <= 1 + margin) {
    return { verdict: 'the same', reason: null };
  }
  if (Number(adjusted.get(test)) < 1 - CONFIDENCE) {
    return { verdict: wordFor(metric, Number(after) > Number(before)), reason: null };
  }
  if (low === 0 && high === Infinity) {
    return { verdict: 'cannot tell', reason: NO_INTERVAL };
  }
  const isAlone = test.p < 1 - CONFIDENCE;
  return {
    verdict: 'cannot tell',
    reason: isAlone
      ? `with ${adjusted.size} figures, chance alone can make one differ this much: longer runs would tell`
      : `it may not have changed, or may have changed by more than ${Number((100 * margin).toFixed(2))}%: longer runs would tell`,
  };
}
