import { mixIndex } from '../../lib/load/workload/mix.js';

/**
 * @typedef {object} OpenLoop an open loop at a store with a fixed latency and one stall
 * @property {number} rate per second, evenly spaced
 * @property {number} operations
 * @property {number} threads
 * @property {number} serviceTime ms
 * @property {{ from: number, to: number }} stall responses due in this time come at its end; ms
 */

/**
 * Computes what such a load must show. Latencies and start delays count from the arrival. An arrival during the stall waits for
 * its end, and also for a thread if there are too few.
 *
 * @param {OpenLoop} load
 * @returns {{ latencies: number[], startDelays: number[] }} ms in ascending order
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
 * @returns {Float64Array} reproducible intervals between random arrivals, with a mean of 1
 */
export function exponentialIntervals(count) {
  return Float64Array.from({ length: count }, (_, place) => -Math.log((mixIndex(place, SEED) + 0.5) / 2 ** 32));
}

const SEED = 7;

/** @param {readonly number[]} values */
function ascending(values) {
  return values.toSorted((one, other) => one - other);
}
