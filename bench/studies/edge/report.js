import { OBJECT_SIZE } from '../endpoint.js';
import { REQUESTS } from '../measurement.js';
import { formatTable } from '../table.js';
import { WAYS, WAY_NAMES, findRoundTrips, latencyByDistance, legsOf } from './geographies.js';
import { STAGES } from './measure-ways.js';

/**
 * @import { Geography, Leg, Way, WayName } from './geographies.js'
 * @import { Measured, StageName } from './measure-ways.js'
 *
 * @typedef {object} GeographyResult
 * @property {Geography} geography
 * @property {Readonly<Measured>} ways
 */

/** @type {readonly [Leg, string][]} */
const LEGS = [
  ['userToWorker', 'user–Worker'],
  ['workerToStore', 'Worker–store'],
];

/**
 * @param {readonly GeographyResult[]} results
 * @param {string} protocol
 */
export function describeResult(results, protocol) {
  return [
    `\nLatency of ${REQUESTS} reads and ${REQUESTS} writes of ${OBJECT_SIZE} bytes, one after the other, over ${protocol}, in ms\n`,
    ...results.map((result) => `\n${describeGeography(result.geography)}\n${latencyTable(result)}`),
    '\nRound trips: growth of the fastest with each distance (and as predicted), and the rest at distance zero\n',
    roundTripTable(results),
    `\n${describeAgreement(results)}\n`,
  ].join('');
}

/** @param {Geography} geography */
function describeGeography({ name, userToWorker, workerToStore }) {
  return `${name}: user – ${userToWorker} ms – Worker – ${workerToStore} ms – store`;
}

/** @param {GeographyResult} result */
function latencyTable({ geography, ways }) {
  const rows = STAGES.flatMap((stage) =>
    WAY_NAMES.map((name) => {
      const { minimum, mean, p50, p90, p99, maximum } = ways[name][stage];
      const expected = latencyByDistance(WAYS[name], geography);
      return [
        `${stage}, ${WAYS[name].name}`,
        String(expected),
        ...[minimum, mean, p50, p90, p99, maximum, p50 - expected].map(milliseconds),
      ];
    }),
  );
  const shape = ['fastest', 'average', 'p50', 'p90', 'p99', 'slowest'];
  return formatTable(['', 'expected', ...shape, 'beyond'], rows);
}

/** @param {readonly GeographyResult[]} results */
function roundTripTable(results) {
  const rows = STAGES.flatMap((stage) =>
    WAY_NAMES.map((name) => {
      /** @type {Way} */
      const way = WAYS[name];
      const found = foundIn(results, name, stage);
      return [
        `${stage}, ${way.name}`,
        ...LEGS.map(([leg]) =>
          way.roundTrips[leg] === undefined ? '' : `${found.roundTrips[leg]?.toFixed(2)} (${way.roundTrips[leg]})`,
        ),
        milliseconds(found.work),
      ];
    }),
  );
  return formatTable(['', ...LEGS.map(([, label]) => label), 'ms left'], rows);
}

/**
 * Uses the fastest request: interference makes requests slower, never faster.
 *
 * @param {readonly GeographyResult[]} results
 * @param {WayName} name
 * @param {StageName} stage
 */
function foundIn(results, name, stage) {
  return findRoundTrips(
    WAYS[name],
    results.map(({ geography, ways }) => ({ geography, latency: ways[name][stage].minimum })),
  );
}

/** @param {readonly GeographyResult[]} results */
function describeAgreement(results) {
  const differences = STAGES.flatMap((stage) =>
    WAY_NAMES.flatMap((name) => {
      const { roundTrips } = foundIn(results, name, stage);
      return legsOf(WAYS[name]).map(([leg, count]) => Math.abs(/** @type {number} */ (roundTrips[leg]) - count));
    }),
  );
  return `The measured round trips differ from the predicted ones by at most ${Math.max(...differences).toFixed(2)}.`;
}

/** @param {number} value */
function milliseconds(value) {
  return value.toFixed(1);
}
