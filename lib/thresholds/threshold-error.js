/** @import { ThresholdResult } from '../model/result.js' */

/** Thresholds that were missed or are inconclusive. */
export class ThresholdError extends Error {
  /** @param {readonly ThresholdResult[]} thresholds including those that passed */
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
