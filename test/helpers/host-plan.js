import { mixIndex } from '../../lib/load/workload/mix.js';

/**
 * What one host did: the truth behind its log. Times are by the store's clock, in epoch ms.
 *
 * @typedef {object} HostPlan
 * @property {string} host
 * @property {string} run
 * @property {string} shard
 * @property {'own' | 'old'} shape of the log: this tool's, with machine-readable lines and counts, or the old tool's, with rates
 * @property {{ offset: number, uncertainty: number } | null} clock
 * @property {number} start when the run line is written
 * @property {number} size bytes of an object
 * @property {StagePlan[]} stages
 *
 * @typedef {object} StagePlan
 * @property {string} stage
 * @property {number} start
 * @property {number} stop
 * @property {(second: number) => SecondPlan} at returns what the host did in an epoch second of the stage
 *
 * @typedef {object} SecondPlan
 * @property {number} operations
 * @property {number} latency of each operation, in µs
 * @property {number} retries
 *
 * @typedef {object} LogOptions
 * @property {number} seed
 * @property {number} hosts
 * @property {number} old number of hosts with logs of the old tool's shape
 * @property {number} seconds duration of a stage
 * @property {number} start epoch ms at which the first host begins
 * @property {number} shift ms by which each host begins after the previous one
 * @property {number} skew ms by which the clocks differ from host to host
 * @property {number} rate maximum ops/s of a host
 * @property {number} size bytes of an object
 * @property {readonly string[]} stages
 */

/** @type {LogOptions} */
export const DEFAULTS = {
  seed: 1,
  hosts: 3,
  old: 0,
  seconds: 20,
  start: Date.UTC(2026, 0, 31, 23, 59, 30),
  shift: 0,
  skew: 0,
  rate: 1000,
  size: 16_384,
  stages: ['Write', 'Read', 'Stat', 'Remove'],
};

/** Pause between two stages, in ms. */
const PAUSE = 300;

const MAX_RETRIES = 3;
const MAX_LATENCY = 200_000;

/**
 * The plans of all hosts. They depend only on the options, so that no second needs to be stored.
 *
 * @param {LogOptions} options
 * @returns {HostPlan[]}
 */
export function planHosts(options) {
  return Array.from({ length: options.hosts }, (_, number) => planHost(number, options));
}

/**
 * @param {number} number
 * @param {LogOptions} options
 * @returns {HostPlan}
 */
function planHost(number, { seed, hosts, old, seconds, start, shift, skew, rate, size, stages: names }) {
  const chance = (/** @type {number} */ place, /** @type {number} */ below) =>
    mixIndex(place, mixIndex(number, seed)) % below;
  const begin = start + number * shift + chance(0, 200);
  const stages = names.map((stage, place) => {
    const stageStart = begin + place * (seconds * 1000 + PAUSE) + chance(place + 1, 100);
    const first = Math.floor(stageStart / 1000);
    return {
      stage,
      start: stageStart,
      stop: stageStart + seconds * 1000 - 100,
      at: (/** @type {number} */ second) => ({
        operations: chance(8 * (second - first) + place + 1000, rate + 1),
        latency: 1 + chance(8 * (second - first) + place + 1004, MAX_LATENCY),
        retries: chance(8 * (second - first) + place + 2000, MAX_RETRIES + 1),
      }),
    };
  });
  return {
    host: `host-${number + 1}`,
    run: '20260131-235930-test',
    shard: `${number}/${hosts}`,
    shape: number >= hosts - old ? 'old' : 'own',
    clock: skew === 0 ? null : { offset: (number - hosts / 2) * skew, uncertainty: 5 + number },
    start: begin - 1000,
    size,
    stages,
  };
}

/**
 * @param {StagePlan} stage
 * @returns {Generator<SecondPlan & { second: number }, void, undefined>} every second that the stage overlaps
 */
export function* secondsOfPlan({ start, stop, at }) {
  for (let second = Math.floor(start / 1000); second * 1000 < stop; second += 1) {
    yield { second, ...at(second) };
  }
}
