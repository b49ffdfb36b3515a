/** @import { ThresholdResult } from '../model/result.js' */

/** Limits that a result does not keep, or that it cannot be held against. */
export class ThresholdError extends Error {
  /** @param {readonly ThresholdResult[]} thresholds all that were judged */
  constructor(thresholds) {
    super(
      thresholds
        .filter(({ outcome }) => outcome !== 'passed')
        .map(({ outcome, expression, message }) => `threshold ${outcome}: ${expression}: ${message}`)
        .join('\n'),
    );
    this.name = 'ThresholdError';
    this.thresholds = thresholds;
  }
}
