import { mixIndex, seedOf } from '../load/workload/mix.js';
import { KINDS, operationsOf } from './faults.js';

/**
 * @import { Operation } from './router.js'
 * @import { Affected, Effect, FaultItem, FaultPlan } from './faults.js'
 *
 * @typedef {object} Fault
 * @property {string} name
 * @property {number} status for faults that respond with a status
 * @property {string} code error code in the XML body of that response
 * @property {number} milliseconds of `list-lag` and `check-then-write`
 * @property {number | null} retryAfter value of its Retry-After header in whole seconds, or null
 *
 * @typedef {{ delay: number, fault: Fault | null }} Decision `delay`: ms until the request takes effect
 *
 * @typedef {Effect & { item: FaultItem, operations: readonly Operation[] }} ActiveItem an item of the plan with its state
 */

/** @type {Decision} */
const NOTHING = Object.freeze({ delay: 0, fault: null });
const TWO_TO_THE_32 = 2 ** 32;
const THROTTLING = new Set([429, 503]);

/** @type {Effect} */
const NO_EFFECT = Object.freeze({ hits: () => false, due: (time) => time, pace: null });

/**
 * Each item of the plan draws its own sequence of random numbers, so that a case can be replayed, and adding an item does
 * not change the draws of others. Buckets share an item's state.
 */
export class FaultInjector {
  /** In the order of KINDS. @type {ActiveItem[]} */
  #items;
  #now;

  /**
   * @param {FaultPlan} plan
   * @param {readonly string[]} buckets existing buckets
   * @param {() => number} now a monotonic clock, ms
   * @throws {Error} if the plan names an unknown bucket
   */
  constructor({ seed, items }, buckets, now) {
    for (const { name, bucket } of items) {
      if (bucket !== null && !buckets.includes(bucket)) {
        throw new Error(
          `The fault script cannot be used: '${name}@${bucket}': expected one of the buckets ${buckets.join(', ')}`,
        );
      }
    }
    const names = Object.keys(KINDS);
    this.#now = now;
    this.#items = items
      .map((item, index) => activate(item, seedOf(`fault ${index} of ${seed}`), now))
      .sort((one, other) => names.indexOf(one.item.name) - names.indexOf(other.item.name));
  }

  /**
   * Determines the delay of a request, and the first fault that affects it.
   *
   * @param {Operation} operation
   * @param {Affected} request
   * @returns {Decision}
   */
  decide(operation, request) {
    const items = this.#itemsFor(operation, request.bucket);
    if (items.length === 0 || (operation === 'GET' && request.size === undefined)) {
      return NOTHING;
    }
    const now = this.#now();
    const due = items.reduce((time, item) => item.due(time), now);
    // Evaluate every item, even after a fault is found, because each draws one random number per request.
    const hit = items
      .filter(({ hits }) => hits(request.connection))
      .find(({ item }) => KINDS[item.name].affects?.(request) ?? true);
    return { delay: due - now, fault: hit === undefined ? null : faultOf(hit.item, items) };
  }

  /**
   * @param {Operation} operation
   * @param {string} bucket
   * @returns {((bytes: number) => number) | null} takes the bytes of the next part of a body, and returns the ms until the
   *   part has passed; null if no item limits the bandwidth
   */
  paceOf(operation, bucket) {
    const paces = this.#itemsFor(operation, bucket).flatMap(({ pace }) => pace ?? []);
    return paces.length === 0
      ? null
      : (bytes) => {
          const now = this.#now();
          return Math.max(...paces.map((pace) => pace(now, bytes))) - now;
        };
  }

  /**
   * @param {Operation} operation
   * @param {string} bucket
   */
  #itemsFor(operation, bucket) {
    return this.#items.filter(
      ({ item, operations }) => operations.includes(operation) && (item.bucket ?? bucket) === bucket,
    );
  }
}

/**
 * @param {FaultItem} item
 * @param {number} seed of the sequence of its random numbers
 * @param {() => number} now
 * @returns {ActiveItem}
 */
function activate(item, seed, now) {
  let drawn = 0;
  const random = () => mixIndex(drawn++, seed) / TWO_TO_THE_32;
  const { probability } = item;
  const hits = probability === undefined ? NO_EFFECT.hits : () => random() < probability;
  return { ...NO_EFFECT, hits, ...KINDS[item.name].begin?.(item, random, now), item, operations: operationsOf(item) };
}

/**
 * @param {FaultItem} item the one that hit
 * @param {ActiveItem[]} items all items of the operation
 * @returns {Fault}
 */
function faultOf({ name, status = 503, code = 'SlowDown', milliseconds = 0 }, items) {
  const pause = items.find(({ item }) => item.name === 'retry-after')?.item.milliseconds;
  const retryAfter = pause === undefined || !THROTTLING.has(status) ? null : Math.ceil(pause / 1000);
  return { name, status, code, milliseconds, retryAfter };
}
