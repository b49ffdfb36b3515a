import { DOLLARS_A_MILLION, dollarsOf, hasThesePrices, operationsBilledAs } from '../cost/prices.js';
import { operationsOf } from '../operations/registry.js';

/** @import { RunConfig } from '../model/run-config.js' */

const EXCLUDED = 'without retries, clean-up and requests before the stages';

/**
 * What a run costs on R2, before it begins.
 *
 * @param {Pick<RunConfig, 'objects' | 'stages' | 'mix' | 'size' | 'amounts' | 'multipart' | 'store' | 'duration' | 'findPeak' | 'rampPlan'>} config
 * @returns {string | null} one line, or null for a store that is not R2
 */
export function costLine(config) {
  const { stages, store, duration, findPeak = false, rampPlan } = config;
  if (!hasThesePrices(store.hostname)) {
    return null;
  }
  if (duration !== undefined || findPeak || rampPlan !== undefined) {
    // As many objects are written as there are at most; all else goes on as long as the stages last.
    const written = operationsOf(stages).flatMap(({ creates, name }) => (creates ? [name] : []));
    const once = { ...config, stages: written, mix: [] };
    const writes = operationsBilledAs('A', once);
    const most = dollarsOf(once).toFixed(4);
    const hasOthers = operationsBilledAs('A', config) > writes;
    const others = hasOthers ? `$${DOLLARS_A_MILLION.A} for each million others of Class A, ` : '';
    return (
      `Cost at R2's list prices: at most $${most} for ${writes} Class A operations, ${others}and $${DOLLARS_A_MILLION.B} for each million Class B, ` +
      `for as long as the stages last; ${EXCLUDED}; each month 1 million and 10 million are free`
    );
  }
  const classA = operationsBilledAs('A', config);
  const classB = operationsBilledAs('B', config);
  const dollars = dollarsOf(config).toFixed(4);
  return (
    `Cost at R2's list prices: $${dollars} for ${classA} Class A and ${classB} Class B operations, ` +
    `${EXCLUDED}; each month 1 million and 10 million are free, and so are deletes and egress`
  );
}
