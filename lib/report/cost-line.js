import { DOLLARS_PER_MILLION, dollarsOf, hasThesePrices, operationsBilledAs } from '../cost/prices.js';
import { operationsOf } from '../operations/registry.js';

/**
 * @import { Config } from '../model/config.js'
 *
 * @typedef {Pick<Config, 'objects' | 'load' | 'store' | 'schedule' | 'search'>} RunToPrice
 */

const EXCLUDED = 'without retries, clean-up and requests before the stages';

/**
 * What runs cost on R2, before they begin.
 *
 * @param {readonly [RunToPrice, ...RunToPrice[]]} runs of the same stages, each for as long as the others
 * @returns {string | null} one line, or null if the store of any is not R2
 */
export function costLine(...runs) {
  const [{ schedule, search }] = runs;
  if (!runs.every(({ store }) => hasThesePrices(store.hostname))) {
    return null;
  }
  const [classA, classB] = /** @type {const} */ (['A', 'B']).map((billed) =>
    sumOf(runs, (run) => operationsBilledAs(billed, run)),
  );
  if (schedule.duration !== undefined || search !== null || schedule.ramp !== undefined) {
    // As many objects are written as there are at most; all else goes on as long as the stages last.
    const once = runs.map((run) => ({ ...run, load: { ...run.load, stages: namesOf(run.load.stages), mix: [] } }));
    const writes = sumOf(once, (run) => operationsBilledAs('A', run));
    const most = sumOf(once, dollarsOf).toFixed(4);
    const others = classA > writes ? `$${DOLLARS_PER_MILLION.A} for each million others of Class A, ` : '';
    return (
      `Cost at R2's list prices: at most $${most} for ${writes} Class A operations, ${others}and $${DOLLARS_PER_MILLION.B} for each million Class B, ` +
      `for as long as the stages last; ${EXCLUDED}; each month 1 million and 10 million are free`
    );
  }
  return (
    `Cost at R2's list prices: $${sumOf(runs, dollarsOf).toFixed(4)} for ${classA} Class A and ${classB} Class B operations, ` +
    `${EXCLUDED}; each month 1 million and 10 million are free, and so are deletes and egress`
  );
}

/**
 * @param {readonly string[]} stages
 * @returns {string[]} those that take each object once
 */
function namesOf(stages) {
  return operationsOf(stages).flatMap(({ creates, removes, name }) => (creates || removes ? [name] : []));
}

/**
 * @template Run
 * @param {readonly Run[]} runs
 * @param {(run: Run) => number} figureOf
 */
function sumOf(runs, figureOf) {
  return runs.reduce((sum, run) => sum + figureOf(run), 0);
}
