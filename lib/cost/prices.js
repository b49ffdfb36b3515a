import { requestsToWrite } from '../operations/multipart.js';
import { OPERATIONS, operationNamed, operationsOf, writesObjects } from '../operations/registry.js';
import { operationsFor, stageOf } from '../operations/stage.js';
import { isR2 } from '../s3/cloudflare.js';
import { meanOver } from '../workload/size-distribution.js';

/**
 * @import { KindSum, StageSum } from '../model/result.js'
 * @import { Config } from '../model/config.js'
 * @import { Operation } from '../operations/operation.js'
 *
 * @typedef {Pick<Config, 'store' | 'objects' | 'load'> & { schedule: Pick<Config['schedule'], 'passes'> }} PricedConfig
 */

/** What a million operations cost in dollars, by R2's list prices: https://developers.cloudflare.com/r2/pricing/ */
export const DOLLARS_A_MILLION = Object.freeze({ A: 4.5, B: 0.36, free: 0 });

/**
 * @param {string} hostname of a store
 * @returns {boolean} whether these are its prices
 */
export function hasThesePrices(hostname) {
  return isR2(hostname);
}

/**
 * @param {string} stage its name in lower case
 * @returns {number} dollars for one request of its operations
 */
export function priceOf(stage) {
  return DOLLARS_A_MILLION[operationNamed(stage).billingClass] / 1e6;
}

/**
 * @param {'A' | 'B'} billed
 * @param {PricedConfig} config
 * @returns {number} requests billed so, which R2 calls operations, if each stage is done once with each object
 */
export function operationsBilledAs(billed, config) {
  const stages = pricedOperations(config).filter(({ operation }) => operation.billingClass === billed);
  return stages.reduce((sum, { count }) => sum + count, 0);
}

/**
 * @param {PricedConfig} config
 * @returns {number} what it costs to do each stage once with each object, in dollars
 */
export function dollarsOf(config) {
  return pricedOperations(config).reduce((sum, { operation, count }) => sum + count * priceOf(operation.name), 0);
}

/**
 * To abort an upload is free. What mixes operations has the price of each kind; operations that only a later version knows
 * have none here.
 *
 * @param {readonly Pick<StageSum, 'stage' | 'attempts' | 'aborts' | 'kinds'>[]} stages that were run
 * @returns {number} what their attempts cost, in dollars
 */
export function dollarsSpentOn(stages) {
  /** @type {readonly Pick<KindSum, 'operation' | 'attempts' | 'aborts'>[]} */
  const made = stages.flatMap(({ stage, kinds, ...counts }) => [
    ...(kinds ?? [{ operation: stage.toLowerCase(), ...counts }]),
  ]);
  const known = made.filter(({ operation }) => OPERATIONS.some(({ name }) => name === operation));
  return known.reduce(
    (sum, { operation, attempts, aborts }) => sum + ((attempts ?? 0) - (aborts ?? 0)) * priceOf(operation),
    0,
  );
}

/**
 * @param {PricedConfig} config
 * @returns {number} lists that prove at the end of a run that nothing of it is left: a page of each bucket
 */
export function finalListsOf({ objects: { keep }, load: { stages }, store }) {
  const leavesNothing = !keep && (writesObjects(stages) || operationsOf(stages).some(({ removes }) => removes));
  return leavesNothing && !store.isEmbedded ? store.buckets.length : 0;
}

/**
 * A mixed stage does as many operations as there are objects, in their shares.
 *
 * @param {PricedConfig} config
 * @returns {{ operation: Operation, count: number }[]}
 */
function pricedOperations(config) {
  const { stages, mix = [] } = config.load;
  const objects = config.objects.count * (config.schedule.passes ?? 1);
  return [
    ...operationsOf(stages).map((operation) => ({
      operation,
      count: Math.ceil(
        (operation.canTakeParts ? requestsForEach(config) : 1) * operationsFor(stageOf(operation), objects, config),
      ),
    })),
    ...mix.map(({ operation, share }) => ({
      operation: operationNamed(operation),
      count: Math.ceil((objects * share) / 100),
    })),
    { operation: operationNamed('list'), count: finalListsOf(config) },
  ];
}

/**
 * @param {PricedConfig} config
 * @returns {number} requests that an object takes to be written; their mean where objects are of several sizes
 */
function requestsForEach({ objects: { size, sizes }, load: { multipart } }) {
  const requests = (/** @type {number} */ bytes) => requestsToWrite(bytes, multipart);
  return sizes === undefined ? requests(size) : meanOver(sizes, requests);
}
