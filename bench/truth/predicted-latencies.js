import { mixIndex } from '../../lib/workload/mix.js';

/**
 * An open loop at a store that answers after a fixed time, and for a while not at all.
 *
 * @typedef {object} OpenLoop
 * @property {number} rate arrivals a second, at equal intervals
 * @property {number} operations
 * @property {number} threads that carry them out
 * @property {number} serviceTime ms
 * @property {{ from: number, to: number }} stall what would be answered in between is answered at its end; ms
 */

/**
 * What such a load must show. Latencies run from the arrival, and so does the wait for the start: what arrives in the
 * stall waits for its end, and where the threads are too few, for one of them, too.
 *
 * @param {OpenLoop} load
 * @returns {{ latencies: number[], startDelays: number[] }} ms, each in ascending order
 */
export function predictOpenLoop({ rate, operations, threads, serviceTime, stall }) {
  const freeAt = Array.from({ length: threads }, () => 0);
  const times = Array.from({ length: operations }, (_, number) => {
    const arrival = (1000 * number) / rate;
    const thread = freeAt.indexOf(Math.min(...freeAt));
    const start = Math.max(arrival, freeAt[thread]);
    const due = start + serviceTime;
    freeAt[thread] = due >= stall.from && due < stall.to ? stall.to : due;
    return { latency: freeAt[thread] - arrival, startDelay: start - arrival };
  });
  return {
    latencies: ascending(times.map(({ latency }) => latency)),
    startDelays: ascending(times.map(({ startDelay }) => startDelay)),
  };
}

/**
 * @param {readonly number[]} sorted in ascending order
 * @param {number} share 0 to 1
 * @returns {number} the value at the nearest rank
 */
export function percentileOf(sorted, share) {
  return sorted[Math.max(Math.round(share * sorted.length), 1) - 1];
}

/**
 * @param {number} count
 * @returns {Float64Array} intervals between random arrivals, the same each time, with a mean of 1
 */
export function exponentialIntervals(count) {
  return Float64Array.from({ length: count }, (_, place) => -Math.log((mixIndex(place, SEED) + 0.5) / 2 ** 32));
}

const SEED = 7;

/** @param {readonly number[]} values */
function ascending(values) {
  return values.toSorted((one, other) => one - other);
}
