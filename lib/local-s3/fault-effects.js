import { setTimeout as sleep } from 'node:timers/promises';

/**
 * @import { Operation } from './router.js'
 * @import { FaultItem } from './faults.js'
 *
 * @typedef {object} Delayer how an item of the script delays responses; times are monotonic ms
 * @property {(now: number) => number} begin when work can start on a request that arrives now
 * @property {() => number} pause ms from the start of the work until the response is due
 * @property {(now: number, due: number, operation: Operation) => number} release when a response due at `due` is sent
 *
 * @typedef {object} Effects what else an item does besides its answer
 * @property {() => boolean} hits whether the fault affects this request
 * @property {((startedAt: number) => Pace) | null} paced the pace of a body that starts then; null if the item sets none
 * @property {(connection: object) => boolean} closes whether this was the connection's last request
 *
 * @callback Pace of one body, part by part
 * @param {number} now
 * @param {number} bytes of the part
 * @returns {number} when the part has passed
 */

/** Unused capacity that a rate can carry over, in ms, so that brief stalls of a busy machine do not reduce the rate. */
export const SAVED_MS = 50;

/**
 * @param {FaultItem} item
 * @param {() => number} random uniform in [0, 1)
 * @returns {Pick<Delayer, 'pause'>}
 */
export function latency({ minimum = 0, maximum = minimum, median, sigma = 0 }, random) {
  return median === undefined
    ? { pause: () => minimum + random() * (maximum - minimum) }
    : { pause: () => median * Math.exp(sigma * standardNormal(random)) };
}

/** Box and Muller, A note on the generation of random normal deviates, 1958. @param {() => number} random */
function standardNormal(random) {
  const radius = Math.sqrt(-2 * Math.log(1 - random()));
  return radius * Math.cos(2 * Math.PI * random());
}

/**
 * @param {FaultItem} item
 * @returns {Pick<Delayer, 'begin'>}
 */
export function queue({ perSecond = 1 }) {
  const reserve = schedule();
  return { begin: (now) => Math.max(now, reserve(now, 1000 / perSecond).from) };
}

/**
 * @param {FaultItem} item
 * @returns {Pick<Delayer, 'release'>}
 */
export function stall({ length = 0, after = 0 }) {
  /** @type {Map<Operation, number>} */
  const starts = new Map();
  return {
    release(now, due, operation) {
      const from = starts.get(operation) ?? now + after;
      starts.set(operation, from);
      return due >= from ? Math.max(due, from + length) : due;
    },
  };
}

/**
 * Concurrent bodies share the bandwidth, one part at a time. No body is faster than it would be alone.
 *
 * @param {FaultItem} item
 * @returns {Pick<Effects, 'paced'>}
 */
export function bandwidth({ bytesPerSecond = 1 }) {
  const reserve = schedule();
  return {
    paced(startedAt) {
      let alone = startedAt;
      return (now, bytes) => {
        const length = (1000 * bytes) / bytesPerSecond;
        alone += length;
        return Math.max(alone, reserve(now, length).to);
      };
    },
  };
}

/**
 * Hands out consecutive time slots, like a token bucket. Each slot starts at the calculated end of the previous one, so
 * a timer that fires late does not delay later slots.
 *
 * @returns {(now: number, length: number) => { from: number, to: number }}
 */
function schedule() {
  let free = -Infinity;
  return (now, length) => {
    const from = Math.max(now - SAVED_MS, free);
    free = from + length;
    return { from, to: free };
  };
}

/**
 * @param {FaultItem} item
 * @param {() => number} _random
 * @param {() => number} now ms
 * @returns {Pick<Effects, 'hits'>} hits the requests above the rate
 */
export function rate({ perSecond = 1 }, _random, now) {
  const capacity = Math.max(1, (perSecond * SAVED_MS) / 1000);
  let tokens = capacity;
  let filledAt = now();
  return {
    hits() {
      const time = now();
      tokens = Math.min(capacity, tokens + ((time - filledAt) / 1000) * perSecond);
      filledAt = time;
      if (tokens < 1) {
        return true;
      }
      tokens--;
      return false;
    },
  };
}

/**
 * @param {FaultItem} item
 * @returns {Pick<Effects, 'closes'>}
 */
export function close({ requests = 1 }) {
  /** @type {WeakMap<object, number>} */
  const served = new WeakMap();
  return {
    closes(connection) {
      const count = (served.get(connection) ?? 0) + 1;
      served.set(connection, count);
      return count === requests;
    },
  };
}

/**
 * Each queue receives the arrival time, because a later time would reserve a future slot and waste the slots before it.
 * Pauses start when the last queue lets the request in. A stall holds back responses that are due during it.
 *
 * @param {readonly Delayer[]} delayers
 * @param {{ now: number, operation: Operation }} request
 * @returns {number} when to respond, monotonic ms
 */
export function timeOfAnswer(delayers, { now, operation }) {
  const begun = Math.max(now, ...delayers.map(({ begin }) => begin(now)));
  const due = delayers.reduce((time, { pause }) => time + pause(), begun);
  return delayers.reduce((time, { release }) => release(now, time, operation), due);
}

/**
 * Waits at least this long. A plain timer can fire early, because it counts whole ms from the start of the event loop
 * iteration.
 *
 * @param {number} delay ms
 */
export async function pass(delay) {
  const due = performance.now() + delay;
  for (let left = delay; left > 0; left = due - performance.now()) {
    await sleep(Math.ceil(left));
  }
}
