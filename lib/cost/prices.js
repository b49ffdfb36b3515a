import { operationNamed, operationsOf } from '../operations/registry.js';
import { isR2 } from '../s3/cloudflare.js';

/** @import { RunConfig } from '../model/run-config.js' */

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
 * @returns {number} dollars for one operation
 */
export function priceOf(stage) {
  return DOLLARS_A_MILLION[operationNamed(stage).billingClass] / 1e6;
}

/**
 * @param {'A' | 'B'} billed
 * @param {readonly string[]} stages in lower case
 * @returns {number} how many of the stages are billed so
 */
export function stagesBilledAs(billed, stages) {
  return operationsOf(stages).filter(({ billingClass }) => billingClass === billed).length;
}

/**
 * @param {Pick<RunConfig, 'objects' | 'stages'>} config
 * @returns {number} what it costs to do each stage once with each object, in dollars
 */
export function dollarsOf({ objects, stages }) {
  return stages.reduce((sum, stage) => sum + objects * priceOf(stage), 0);
}
