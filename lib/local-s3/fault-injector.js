import { mixIndex, seedOf } from '../load/workload/mix.js';
import { timeOfAnswer } from './fault-effects.js';
import { EACH_BUCKET, KINDS, operationsOf } from './faults.js';

/**
 * @import { Operation } from './router.js'
 * @import { Delayer, Effects } from './fault-effects.js'
 * @import { Affected, FaultItem, FaultPlan } from './faults.js'
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
 * @typedef {Effects & Delayer & { item: FaultItem }} ActiveItem an item of the plan with its state
 */

/** @type {Decision} */
const NOTHING = Object.freeze({ delay: 0, fault: null });
const TWO_TO_THE_32 = 2 ** 32;
const THROTTLING = new Set([429, 503]);

/** @type {Effects & Delayer} */
const NO_EFFECT = Object.freeze({
  hits: () => false,
  paced: null,
  closes: () => false,
  begin: (now) => now,
  pause: () => 0,
  release: (_now, due) => due,
});

/**
 * Sets up the faults of each bucket. Each item of the plan draws its own sequence of random numbers, so that a case can
 * be replayed, and adding an item does not change the draws of others. Buckets share an item's state (rate, queue,
 * draws), except with EACH_BUCKET, which gives each bucket its own state.
 *
 * @param {FaultPlan} plan
 * @param {readonly string[]} buckets existing buckets
 * @param {() => number} now a monotonic clock, ms
 * @returns {Map<string, FaultInjector>} by bucket
 * @throws {Error} if the plan names an unknown bucket
 */
export function faultInjectors({ seed, items }, buckets, now) {
  const injectors = new Map(buckets.map((bucket) => [bucket, new FaultInjector(now)]));
  items.forEach((item, index) => {
    const series = `fault ${index} of ${seed}`;
    const isOfEach = item.bucket === EACH_BUCKET;
    const shared = activate(item, series, now);
    for (const bucket of item.bucket === null || isOfEach ? buckets : [item.bucket]) {
      const injector = injectors.get(bucket);
      if (injector === undefined) {
        const expected = [...buckets, EACH_BUCKET].join(', ');
        throw new Error(
          `The fault script cannot be used: '${item.name}@${bucket}': expected one of the buckets ${expected}`,
        );
      }
      injector.add(isOfEach ? activate(item, `${series} in ${bucket}`, now) : shared);
    }
  });
  return injectors;
}

export class FaultInjector {
  /** @type {Map<Operation, ActiveItem[]>} */
  #itemsOf = new Map();
  #now;

  /** @param {() => number} now a monotonic clock, ms */
  constructor(now) {
    this.#now = now;
  }

  /** @param {ActiveItem} active applied after the bucket's other items */
  add(active) {
    for (const operation of operationsOf(active.item)) {
      this.#itemsOf.set(operation, [...(this.#itemsOf.get(operation) ?? []), active]);
    }
  }

  /**
   * Determines the delay of a request, and the first fault of the script that affects it.
   *
   * @param {Operation} operation
   * @param {number} [size] bytes of the object; undefined if it does not exist, in which case a GET has no faults
   * @param {Omit<Affected, 'size'>} [request]
   * @returns {Decision}
   */
  decide(operation, size, request = {}) {
    const items = this.#itemsOf.get(operation);
    if (items === undefined || (operation === 'GET' && size === undefined)) {
      return NOTHING;
    }
    const now = this.#now();
    const delay = timeOfAnswer(items, { now, operation }) - now;
    // Evaluate every item, even after a fault is found, because each draws one random number per request.
    const hit = items
      .filter(({ hits }) => hits())
      .find(({ item }) => KINDS[item.name].affects?.({ ...request, size }) ?? true);
    return { delay, fault: hit === undefined ? null : faultOf(hit.item, items) };
  }

  /**
   * @param {Operation} operation
   * @returns {((bytes: number) => number) | null} takes the bytes of the next part of a body that starts now, and
   *   returns the ms until the part has passed; null if no item limits the bandwidth
   */
  pace(operation) {
    const startedAt = this.#now();
    const paces = (this.#itemsOf.get(operation) ?? []).flatMap(({ paced }) => paced?.(startedAt) ?? []);
    return paces.length === 0
      ? null
      : (bytes) => {
          const now = this.#now();
          return Math.max(...paces.map((pace) => pace(now, bytes))) - now;
        };
  }

  /**
   * @param {Operation} operation
   * @param {object} connection the same object for each of a connection's requests
   * @returns {boolean} whether to close the connection after the response to this request
   */
  closesAfter(operation, connection) {
    const items = this.#itemsOf.get(operation) ?? [];
    return items.filter(({ closes }) => closes(connection)).length > 0;
  }
}

/**
 * @param {FaultItem} item
 * @param {string} series names the sequence of its random numbers
 * @param {() => number} now
 * @returns {ActiveItem}
 */
function activate(item, series, now) {
  const seed = seedOf(series);
  let drawn = 0;
  const random = () => mixIndex(drawn++, seed) / TWO_TO_THE_32;
  const { probability } = item;
  const hits = probability === undefined ? NO_EFFECT.hits : () => random() < probability;
  return { ...NO_EFFECT, hits, ...KINDS[item.name].begin?.(item, random, now), item };
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
