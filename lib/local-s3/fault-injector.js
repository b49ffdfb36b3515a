import { mixIndex, seedOf } from '../workload/mix.js';
import { SAVED_MS, bandwidth, delayerOf, timeOfAnswer } from './fault-delays.js';
import { EACH_BUCKET, operationsOf } from './faults.js';

/**
 * @import { Operation } from './router.js'
 * @import { Delayer, Pace } from './fault-delays.js'
 * @import { FaultItem, FaultPlan } from './faults.js'
 *
 * @typedef {object} Fault
 * @property {string} name
 * @property {number} status for faults that respond with a status
 * @property {string} code error code in the XML body of that response
 * @property {number | null} retryAfter value of its Retry-After header in whole seconds, or null
 *
 * @typedef {{ delay: number, fault: Fault | null }} Decision `delay`: ms until the request takes effect
 *
 * @typedef {object} ActiveItem an item of the plan with its state
 * @property {FaultItem} item
 * @property {() => boolean} hits whether the fault affects this request
 * @property {Delayer} delayer
 * @property {((startedAt: number) => Pace) | null} begins starts the pace of a body; null if the item sets none
 * @property {(connection: object) => boolean} closes whether this was the connection's last request
 */

/** @type {Decision} */
const NOTHING = Object.freeze({ delay: 0, fault: null });
const TWO_TO_THE_32 = 2 ** 32;

const NEEDS_BYTES = new Set(['truncate', 'corrupt', 'drip']);
const NEEDS_OBJECT = new Set(['wrong-etag', 'wrong-size']);
const NEEDS_BEFORE = new Set(['stale']);
const THROTTLING = new Set([429, 503]);

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
    if (item.bucket === EACH_BUCKET) {
      for (const [bucket, injector] of injectors) {
        injector.add(activate(item, randomNumbers(seedOf(`${series} in ${bucket}`)), now));
      }
      return;
    }
    const active = activate(item, randomNumbers(seedOf(series)), now);
    for (const bucket of item.bucket === null ? buckets : [item.bucket]) {
      existing(injectors, item.name, bucket).add(active);
    }
  });
  return injectors;
}

/**
 * @param {Map<string, FaultInjector>} injectors
 * @param {string} name of the fault
 * @param {string} bucket
 */
function existing(injectors, name, bucket) {
  const injector = injectors.get(bucket);
  if (injector === undefined) {
    const expected = [...injectors.keys(), EACH_BUCKET].join(', ');
    throw new Error(`The fault script cannot be used: '${name}@${bucket}': expected one of the buckets ${expected}`);
  }
  return injector;
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
   * @param {boolean} [hasBefore] whether the object's previous state can be served
   * @returns {Decision}
   */
  decide(operation, size, hasBefore = false) {
    const items = this.#itemsOf.get(operation);
    if (items === undefined || (operation === 'GET' && size === undefined)) {
      return NOTHING;
    }
    const now = this.#now();
    const delayers = items.map(({ delayer }) => delayer);
    const delay = timeOfAnswer(delayers, { now, operation }) - now;
    // Evaluate every item, even after a fault is found, because each draws one random number per request.
    const hit = items.filter((item) => item.hits()).find(({ item }) => isPossible(item.name, size, hasBefore));
    return { delay, fault: hit === undefined ? null : faultOf(hit.item, items) };
  }

  /**
   * @param {Operation} operation
   * @returns {((bytes: number) => number) | null} takes the bytes of the next part of a body that starts now, and
   *   returns the ms until the part has passed; null if no item limits the bandwidth
   */
  pace(operation) {
    const startedAt = this.#now();
    const paces = (this.#itemsOf.get(operation) ?? []).flatMap(({ begins }) => begins?.(startedAt) ?? []);
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
    return items.filter((item) => item.closes(connection)).length > 0;
  }
}

/**
 * @param {FaultItem} item
 * @param {() => number} random uniform in [0, 1)
 * @param {() => number} now
 * @returns {ActiveItem}
 */
function activate(item, random, now) {
  const { name, probability, perSecond, bytesPerSecond, requests } = item;
  const begins = bytesPerSecond === undefined ? null : bandwidth(bytesPerSecond);
  const active = { item, hits: () => false, delayer: delayerOf(item, random), begins, closes: () => false };
  if (probability !== undefined) {
    return { ...active, hits: () => random() < probability };
  }
  if (name === 'rate' && perSecond !== undefined) {
    return { ...active, hits: tokenBucket(perSecond, now) };
  }
  return requests === undefined ? active : { ...active, closes: everyNth(requests) };
}

/** Returns a function that draws numbers, uniform in [0, 1). @param {number} seed */
function randomNumbers(seed) {
  let drawn = 0;
  return () => mixIndex(drawn++, seed) / TWO_TO_THE_32;
}

/**
 * @param {number} perSecond
 * @param {() => number} now ms
 * @returns {() => boolean} whether another request exceeds the rate
 */
function tokenBucket(perSecond, now) {
  const capacity = Math.max(1, (perSecond * SAVED_MS) / 1000);
  let tokens = capacity;
  let filledAt = now();
  return () => {
    const time = now();
    tokens = Math.min(capacity, tokens + ((time - filledAt) / 1000) * perSecond);
    filledAt = time;
    if (tokens < 1) {
      return true;
    }
    tokens--;
    return false;
  };
}

/**
 * @param {number} requests
 * @returns {(connection: object) => boolean}
 */
function everyNth(requests) {
  /** @type {WeakMap<object, number>} */
  const served = new WeakMap();
  return (connection) => {
    const count = (served.get(connection) ?? 0) + 1;
    served.set(connection, count);
    return count === requests;
  };
}

/**
 * @param {string} name
 * @param {number | undefined} size bytes of the object, if it exists
 * @param {boolean} hasBefore
 */
function isPossible(name, size, hasBefore) {
  if (NEEDS_BEFORE.has(name)) {
    return hasBefore;
  }
  if (NEEDS_BYTES.has(name)) {
    return size !== undefined && size > 0;
  }
  return !NEEDS_OBJECT.has(name) || size !== undefined;
}

/**
 * @param {FaultItem} item the one that hit
 * @param {ActiveItem[]} items all items of the operation
 * @returns {Fault}
 */
function faultOf({ name, status = 503, code = 'SlowDown' }, items) {
  const milliseconds = items.find(({ item }) => item.name === 'retry-after')?.item.milliseconds;
  const retryAfter = milliseconds === undefined || !THROTTLING.has(status) ? null : Math.ceil(milliseconds / 1000);
  return { name, status, code, retryAfter };
}
