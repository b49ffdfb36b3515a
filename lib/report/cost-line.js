import { DOLLARS_PER_MILLION, dollarsOf, hasThesePrices, requestsOfRun } from '../run/prices.js';
import { operationsOf } from '../load/operations/registry.js';
import { rounded } from '../text/figures.js';

/**
 * @import { Config } from '../result/config.js'
 *
 * @typedef {Pick<Config, 'objects' | 'load' | 'store' | 'schedule' | 'search'>} RunToPrice
 */

const EXCLUDED = 'with the lists of clean-up, without retries and requests before the stages';

/**
 * @param {readonly RunToPrice[]} all with the same stages and durations; runs on other stores than R2 cost nothing
 * @returns {string | null} one line; null if no store is R2
 */
export function costLine(...all) {
  const runs = all.filter(({ store }) => hasThesePrices(store.hostname));
  if (runs.length === 0) {
    return null;
  }
  const [{ schedule, search }] = runs;
  const [classA, classB] = /** @type {const} */ (['A', 'B']).map((billed) =>
    sumOf(runs, (run) => requestsOfRun(run)[billed]),
  );
  if (schedule.duration !== undefined || schedule.minDuration > 0 || search !== null || schedule.ramp !== undefined) {
    // Each object is written at most once; all other operations continue as long as the stages last.
    const once = runs.map((run) => ({ ...run, load: { ...run.load, stages: namesOf(run.load.stages), mix: [] } }));
    const writes = sumOf(once, (run) => requestsOfRun(run).A);
    const most = sumOf(once, dollarsOf).toFixed(4);
    const others = classA > writes ? `$${DOLLARS_PER_MILLION.A} per million further Class A operations, ` : '';
    return (
      `Cost at R2's list prices: at most $${most} for ${rounded(writes)} Class A operations, ${others}and $${DOLLARS_PER_MILLION.B} per million Class B operations, ` +
      `for as long as the stages run; ${EXCLUDED}; the first 1 million Class A and 10 million Class B operations per month are free`
    );
  }
  return (
    `Cost at R2's list prices: $${sumOf(runs, dollarsOf).toFixed(4)} for ${rounded(classA)} Class A and ${rounded(classB)} Class B operations, ` +
    `${EXCLUDED}; the first 1 million Class A and 10 million Class B operations per month are free, as are deletes and egress`
  );
}

/** Keeps the stages that use each object only once. @param {readonly string[]} stages */
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
