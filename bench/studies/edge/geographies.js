import { NEW_CONNECTION, REUSED_CONNECTION } from '../distance/round-trips.js';

/**
 * @typedef {object} Geography round-trip times in ms between a user, a Worker and a store
 * @property {string} name
 * @property {number} userToWorker
 * @property {number} workerToStore
 *
 * @typedef {Exclude<keyof Geography, 'name'>} Leg
 *
 * @typedef {object} Way of a request
 * @property {string} name
 * @property {Partial<Record<Leg, number>>} roundTrips the round trips in its latency, by leg
 *
 * @typedef {keyof typeof WAYS} WayName
 */

/** @type {readonly Geography[]} */
export const GEOGRAPHIES = [
  { name: 'Worker near the user', userToWorker: 5, workerToStore: 60 },
  { name: 'Worker near the store', userToWorker: 60, workerToStore: 5 },
  { name: 'all near', userToWorker: 5, workerToStore: 5 },
];

/** Round trips of a binding's call, which opens no connection. */
const BINDING_CALL = 1;

export const WAYS = Object.freeze(
  /** @satisfies {Record<string, Way>} */ ({
    kept: {
      name: 'through the Worker, kept',
      roundTrips: { userToWorker: REUSED_CONNECTION, workerToStore: BINDING_CALL },
    },
    cold: {
      name: 'through the Worker, cold',
      roundTrips: { userToWorker: NEW_CONNECTION, workerToStore: BINDING_CALL },
    },
    binding: { name: 'the binding alone', roundTrips: { workerToStore: BINDING_CALL } },
  }),
);

export const WAY_NAMES = /** @type {WayName[]} */ (Object.keys(WAYS));

/**
 * @param {Way} way
 * @returns {[Leg, number][]} the legs in its latency, with the round trips over each
 */
export function legsOf({ roundTrips }) {
  return /** @type {[Leg, number][]} */ (Object.entries(roundTrips));
}

/**
 * @param {Way} way
 * @param {Geography} geography
 * @returns {number} ms of its round trips
 */
export function latencyByDistance(way, geography) {
  return legsOf(way).reduce((sum, [leg, count]) => sum + count * geography[leg], 0);
}

/**
 * Finds how a way's latency grows with each of its legs, from two geographies that differ only in that leg.
 *
 * @param {Way} way
 * @param {readonly { geography: Geography, latency: number }[]} measured ms
 * @returns {{ roundTrips: Partial<Record<Leg, number>>, work: number }} `work` is the average latency at distance zero, in ms
 * @throws {Error} if no two geographies differ in a single leg
 */
export function findRoundTrips(way, measured) {
  const legs = legsOf(way).map(([leg]) => leg);
  const roundTrips = Object.fromEntries(legs.map((leg) => [leg, growthWith(leg, legs, measured)]));
  const left = measured.map(({ geography, latency }) => latency - latencyByDistance({ ...way, roundTrips }, geography));
  return { roundTrips, work: left.reduce((sum, time) => sum + time, 0) / left.length };
}

/**
 * @param {Leg} leg
 * @param {readonly Leg[]} legs of the way
 * @param {readonly { geography: Geography, latency: number }[]} measured
 */
function growthWith(leg, legs, measured) {
  for (const near of measured) {
    const far = measured.find(
      ({ geography }) =>
        geography[leg] > near.geography[leg] &&
        legs.every((other) => other === leg || geography[other] === near.geography[other]),
    );
    if (far !== undefined) {
      return (far.latency - near.latency) / (far.geography[leg] - near.geography[leg]);
    }
  }
  throw new Error(`no two geographies differ in ${leg} alone`);
}
