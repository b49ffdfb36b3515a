import { requestsToWrite } from '../load/operations/multipart.js';
import { OPERATIONS, operationNamed, operationsOf, writesObjects } from '../load/operations/registry.js';
import { PREPARE_STAGE, operationsFor, stageOf } from '../load/operations/stage.js';
import { isR2 } from '../store/address.js';
import { KEY_DIGITS } from './cleanup/bucket-access.js';
import { meanOver } from '../load/workload/size-distribution.js';
import { sumOf } from '../measure/statistics/moments.js';

/**
 * @import { Config } from '../result/config.js'
 * @import { KindSum, StageSum } from '../result/result.js'
 * @import { Operation } from '../load/operations/operation.js'
 */

/**
 * @typedef {{ A: number, B: number, free: number }} Requests by R2's billing classes
 *
 * @typedef {Pick<Config, 'store' | 'objects' | 'load'> & { schedule: Pick<Config['schedule'], 'warmupObjects'> }} PricedConfig
 */

/** R2 list prices in dollars per million operations: https://developers.cloudflare.com/r2/pricing/ */
export const DOLLARS_PER_MILLION = Object.freeze({ A: 4.5, B: 0.36, free: 0 });

/** R2's list price of storage in dollars per GB and month. */
export const DOLLARS_PER_GB_MONTH = 0.015;

/** What R2 includes in each month. */
export const FREE_PER_MONTH = Object.freeze({ A: 1e6, B: 1e7 });

/** S3's limit on keys per page of a list. */
const KEYS_PER_LIST = 1000;

/** Whether R2's prices apply to a store. @param {string} hostname */
export function hasThesePrices(hostname) {
  return isR2(hostname);
}

/** Pages of a list. @param {number} keys */
export function pagesFor(keys) {
  return Math.ceil(keys / KEYS_PER_LIST);
}

/**
 * Pages of a walk over the keys of a run, at most: beyond the first page of a bucket, each range may end with a partial page.
 *
 * @param {number} keys
 * @param {number} buckets
 */
function pagesOfWalk(keys, buckets) {
  const pages = pagesFor(keys / buckets);
  return buckets * (pages + (pages > 1 ? KEY_DIGITS.length : 0));
}

/** Dollars per request of a stage's operation. @param {string} stage name in lower case */
export function priceOf(stage) {
  return DOLLARS_PER_MILLION[operationNamed(stage).billingClass] / 1e6;
}

const CLASS_B_PRICE = DOLLARS_PER_MILLION.B / 1e6;

/** Dollars at R2's list prices. @param {Pick<Requests, 'A' | 'B'>} requests */
export function dollarsFor({ A, B }) {
  return (A * DOLLARS_PER_MILLION.A + B * DOLLARS_PER_MILLION.B) / 1e6;
}

/** Dollars if each stage processes each object once. @param {PricedConfig} config */
export function dollarsOf(config) {
  return dollarsFor(requestsOfRun(config));
}

/** @typedef {Pick<StageSum, 'stage' | 'operations' | 'attempts' | 'aborts' | 'contenders' | 'kinds' | 'search'>} SpentStage */

/**
 * Dollars for the attempts of stages. Aborting an upload is free. The writes of a race have the price of its stage, and
 * all its other requests are reads. In a mixed stage, each kind of operation has its own price. A search has the attempts
 * of one step, and its other steps cost as much per operation; reads that fill a cache before it are left out.
 * Operations that only later versions know count as free.
 *
 * @param {readonly SpentStage[]} stages that were run
 */
export function dollarsSpentOn(stages) {
  return sumOf(
    stages.map((stage) => {
      const { operations, search } = stage;
      const all = search === undefined ? operations : sumOf(search.steps.map((step) => step.operations));
      return dollarsOfStage(stage) * (operations > 0 ? all / operations : 1);
    }),
  );
}

/** @param {SpentStage} stage */
function dollarsOfStage({ stage, kinds, ...counts }) {
  /** @type {readonly (Pick<KindSum, 'operation' | 'attempts' | 'aborts'> & Pick<StageSum, 'contenders'>)[]} */
  const made = [...(kinds ?? [{ operation: stage === PREPARE_STAGE ? 'write' : stage.toLowerCase(), ...counts }])];
  const known = made.filter(({ operation }) => OPERATIONS.some(({ name }) => name === operation));
  return known.reduce((sum, { operation, attempts, aborts, contenders }) => {
    const billed = (attempts ?? 0) - (aborts ?? 0);
    const writes = contenders?.length ? sumOf(contenders.map(({ operations }) => operations)) : billed;
    return sum + writes * priceOf(operation) + (billed - writes) * CLASS_B_PRICE;
  }, 0);
}

/**
 * List requests that prove that the store has what it confirmed, and that nothing is left: see docs/use/cleanup.md.
 *
 * @param {PricedConfig} config
 */
export function proofListsOf(config) {
  const { objects, load, store } = config;
  const operations = operationsOf(load.stages);
  const removes = operations.some((operation) => operation.removes);
  const writes = writesObjects(load.stages);
  if (store.isEmbedded || !(writes || removes)) {
    return 0;
  }
  const isReadBefore = load.mix === undefined && operations.some(({ effect }) => effect === 'reads');
  // Each shard walks through the keys of all.
  const count = objects.count * objects.shard.count;
  const unproven = writes && removes && !isReadBefore ? count * (1 + copiesOf(operations)) : 0;
  return store.buckets.length + pagesOfWalk(unproven, store.buckets.length) + pagesLeft(config, count);
}

/**
 * Pages of the objects that are there after the stages, to look through or to remove.
 *
 * @param {PricedConfig} config
 * @param {number} [count] objects, by default of this shard
 */
export function pagesLeft({ objects, load: { stages }, store }, count = objects.count) {
  const operations = operationsOf(stages);
  const isLeft = writesObjects(stages) && !operations.some(({ removes }) => removes);
  return pagesOfWalk(count * (Number(isLeft) + copiesOf(operations)), store.buckets.length);
}

/** Copies of each object. @param {readonly Operation[]} operations */
function copiesOf(operations) {
  return operations.filter(({ copies }) => copies).length;
}

/**
 * The requests of the stages and of the lists that prove them, if each stage processes each object once. A mixed stage
 * performs one operation per object in total, and a replay one per recorded request, divided among the kinds by their
 * shares.
 *
 * @param {PricedConfig} config
 */
export function requestsOfRun(config) {
  const { stages, mix = [], replay } = config.load;
  const objects = config.objects.count + config.schedule.warmupObjects;
  const { count: prepared = objects } = replay?.prepare ?? {};
  const requests = replay && !stages.includes('replay') ? 0 : (replay?.trace.requests ?? objects);
  const ofStages = operationsOf(stages).map((operation) => {
    const operations = operationsFor(stageOf(operation), operation.creates ? prepared : objects, config);
    return requestsFor(operation, operations, config);
  });
  const ofMix = mix.map(({ operation, share }) => {
    const operations = (requests * share) / 100;
    return requestsFor(operationNamed(operation), replay ? Math.round(operations) : Math.ceil(operations), config);
  });
  return [...ofStages, ...ofMix].reduce(addRequests, { A: proofListsOf(config), B: 0, free: 0 });
}

/**
 * @param {Operation} operation
 * @param {number} operations
 * @param {PricedConfig} config
 * @returns {Requests} for these operations; of a race, all but the writes are reads
 */
export function requestsFor({ billingClass, canTakeParts, race, replaces }, operations, config) {
  const each = canTakeParts ? requestsForEach(config) : race ? config.load.amounts.contenders : 1;
  const reads = race ? operations * (1 + Number(replaces)) : 0;
  const requests = { A: 0, B: 0, free: 0, [billingClass]: Math.ceil(each * operations) };
  return { ...requests, B: requests.B + reads };
}

/**
 * @param {Requests} one
 * @param {Requests} other
 * @returns {Requests}
 */
export function addRequests(one, other) {
  return { A: one.A + other.A, B: one.B + other.B, free: one.free + other.free };
}

/** Requests to write one object; the mean if sizes differ. @param {PricedConfig} config */
function requestsForEach({ objects: { size, sizes }, load: { multipart } }) {
  const requests = (/** @type {number} */ bytes) => requestsToWrite(bytes, multipart);
  return sizes === undefined ? requests(size) : meanOver(sizes, requests);
}

const LIST_PRICE = DOLLARS_PER_MILLION.A / 1e6;

/** Dollars that a run may still spend. */
export class CostBudget {
  #left;

  /**
   * @param {number} [most] dollars; default: no limit
   * @param {number} [finalLists] list requests after the stages
   */
  constructor(most = Infinity, finalLists = 0) {
    this.#left = most;
    this.spendRequests(finalLists);
  }

  /** @param {number} requests outside the stages, each counted at the class A price */
  spendRequests(requests) {
    this.#left -= requests * LIST_PRICE;
  }

  /**
   * @param {string} operation
   * @param {number} attempts at it, including those of its parts
   * @returns {number} dollars that they cost
   */
  spend(operation, attempts) {
    const dollars = attempts * priceOf(operation);
    this.#left -= dollars;
    return dollars;
  }

  /**
   * @param {number} dollars
   * @param {number} objects that clean-up will have to find with lists
   */
  affords(dollars, objects) {
    return dollars === 0 || dollars + (objects / KEYS_PER_LIST) * LIST_PRICE <= this.#left;
  }

  /**
   * Divides the remaining dollars equally among the paid stages. What a stage does not spend goes to later stages.
   *
   * @param {readonly string[]} stages remaining stages in order, in lower case
   * @returns {number} attempts that the first stage may make
   */
  attemptsFor(stages) {
    const price = priceOf(stages[0]);
    return price === 0
      ? Infinity
      : Math.max(this.#left / stages.filter((stage) => priceOf(stage) > 0).length / price, 0);
  }
}
