import { setTimeout as sleep } from 'node:timers/promises';

/**
 * @import { Operation } from './router.js'
 * @import { FaultItem } from './faults.js'
 *
 * How an item of the script holds up answers. Times are monotonic ms.
 *
 * @typedef {object} Delayer
 * @property {(now: number) => number} begin when work can begin on a request that arrives now
 * @property {() => number} pause ms that pass from then on
 * @property {(now: number, due: number, operation: Operation) => number} release when an answer is let go that is due at
 *   a time
 *
 * @callback Pace of one body, part after part
 * @param {number} now
 * @param {number} bytes of the part
 * @returns {number} when it has passed
 */

/** What a rate may save up while there is no request, in ms: so long a hiccup of a busy machine takes nothing away from it. */
export const SAVED_MS = 50;

/** @type {Delayer} */
const NO_DELAY = Object.freeze({ begin: (now) => now, pause: () => 0, release: (_now, due) => due });

/** @type {Readonly<Record<string, (item: FaultItem, random: () => number) => Partial<Delayer>>>} */
const DELAYERS = Object.freeze({
  latency: (item, random) => ({ pause: pauses(item, random) }),
  queue: ({ perSecond = 1 }) => {
    const reserve = schedule();
    return { begin: (now) => Math.max(now, reserve(now, 1000 / perSecond).from) };
  },
  stall: ({ length = 0, after = 0 }) => ({ release: stall(length, after) }),
});

/**
 * @param {FaultItem} item
 * @param {() => number} random from 0 to below 1
 * @returns {Delayer} one that holds up nothing where the item has nothing to do with delays
 */
export function delayerOf(item, random) {
  return { ...NO_DELAY, ...DELAYERS[item.name]?.(item, random) };
}

/**
 * Bodies that pass at the same time take turns with their parts, and so share the bandwidth; none is quicker than the
 * bandwidth alone would let it be.
 *
 * @param {number} bytesPerSecond
 * @returns {(startedAt: number) => Pace} of a body that begins to pass at a time
 */
export function bandwidth(bytesPerSecond) {
  const reserve = schedule();
  return (startedAt) => {
    let alone = startedAt;
    return (now, bytes) => {
      const length = (1000 * bytes) / bytesPerSecond;
      alone += length;
      return Math.max(alone, reserve(now, length).to);
    };
  };
}

/**
 * A queue is given the time of arrival, never with a later one: a request would take a slot in the future, and
 * those before it would be lost. The pauses begin with the slot; a stall holds what would be answered within it.
 *
 * @param {readonly Delayer[]} delayers
 * @param {{ now: number, operation: Operation }} request
 * @returns {number} when it is to be answered, monotonic ms
 */
export function timeOfAnswer(delayers, { now, operation }) {
  const begun = Math.max(now, ...delayers.map(({ begin }) => begin(now)));
  const due = delayers.reduce((time, { pause }) => time + pause(), begun);
  return delayers.reduce((time, { release }) => release(now, time, operation), due);
}

/**
 * A timer counts whole milliseconds from the start of the event loop's turn, and so may fire early.
 *
 * @param {number} delay ms
 * @returns {Promise<void>} once the delay has passed: never before, and about a millisecond after it at most
 */
export async function pass(delay) {
  const due = performance.now() + delay;
  for (let left = delay; left > 0; left = due - performance.now()) {
    await sleep(Math.ceil(left));
  }
}

/**
 * Hands out consecutive spans of time: a token bucket. They are planned, not measured: a timer that fires late
 * takes nothing away from the spans that follow.
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
 * @param {() => number} random
 * @returns {() => number} ms
 */
function pauses({ minimum = 0, maximum = minimum, median, sigma = 0 }, random) {
  return median === undefined
    ? () => minimum + random() * (maximum - minimum)
    : () => median * Math.exp(sigma * standardNormal(random));
}

/**
 * G. E. P. Box and M. E. Muller, A note on the generation of random normal deviates, 1958.
 *
 * @param {() => number} random from 0 to below 1
 */
function standardNormal(random) {
  const radius = Math.sqrt(-2 * Math.log(1 - random()));
  return radius * Math.cos(2 * Math.PI * random());
}

/**
 * @param {number} length ms
 * @param {number} after ms from the first request of an operation
 * @returns {Delayer['release']}
 */
function stall(length, after) {
  /** @type {Map<Operation, number>} */
  const starts = new Map();
  return (now, due, operation) => {
    const from = starts.get(operation) ?? now + after;
    starts.set(operation, from);
    return due >= from ? Math.max(due, from + length) : due;
  };
}
