import { requestsToWrite } from '../operations/multipart.js';
import { operationNamed, operationsOf } from '../operations/registry.js';
import { operationsFor, stageOf } from '../operations/stage.js';
import { isR2 } from '../s3/cloudflare.js';
import { meanOver } from '../workload/size-distribution.js';

/**
 * @import { RunConfig } from '../model/run-config.js'
 * @import { Operation } from '../operations/operation.js'
 *
 * @typedef {Pick<RunConfig, 'objects' | 'stages' | 'size' | 'sizes' | 'amounts' | 'multipart' | 'store'>} PricedConfig
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
 * @returns {number} requests billed so, which R2 calls operations, where each stage is done once with each object
 */
export function operationsBilledAs(billed, config) {
  const stages = operationsOf(config.stages).filter(({ billingClass }) => billingClass === billed);
  return stages.reduce((sum, operation) => sum + requestsIn(operation, config), 0);
}

/**
 * @param {PricedConfig} config
 * @returns {number} what it costs to do each stage once with each object, in dollars
 */
export function dollarsOf(config) {
  const stages = operationsOf(config.stages);
  return stages.reduce((sum, operation) => sum + requestsIn(operation, config) * priceOf(operation.name), 0);
}

/**
 * @param {Operation} operation
 * @param {PricedConfig} config
 */
function requestsIn(operation, config) {
  const each = operation.canTakeParts ? requestsForEach(config) : 1;
  return Math.ceil(each * operationsFor(stageOf(operation), config.objects, config));
}

/**
 * @param {PricedConfig} config
 * @returns {number} requests that an object takes to be written; their mean where objects are of several sizes
 */
function requestsForEach({ size, sizes, multipart }) {
  const requests = (/** @type {number} */ bytes) => requestsToWrite(bytes, multipart);
  return sizes === undefined ? requests(size) : meanOver(sizes, requests);
}
