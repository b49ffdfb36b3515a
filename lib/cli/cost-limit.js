import { dollarsOf } from '../report/cost-line.js';
import { UsageError } from './usage-error.js';

/** @import { RunConfig } from '../run/run-config.js' */

/**
 * @param {RunConfig} config
 * @throws {UsageError} where the run would cost more than it may; a search for the peak sees to that itself
 */
export function checkCost({ objects, stages, duration, findPeak, maxCost }) {
  if (maxCost === undefined || findPeak) {
    return;
  }
  if (duration !== undefined) {
    throw new UsageError(['--max-cost: what a run with --duration costs is not known before, expected no --duration']);
  }
  const dollars = dollarsOf({ objects, stages });
  if (dollars > maxCost) {
    throw new UsageError([
      `--max-cost: the run costs $${dollars.toFixed(4)} at R2's list prices, expected fewer <objects> or at least that much, got $${maxCost}`,
    ]);
  }
}
