import { OBJECT_SIZE } from '../endpoint.js';
import { REQUESTS } from '../measurement.js';
import { formatTable } from '../table.js';
import { WAYS, WAY_NAMES, findRoundTrips, latencyByDistance, legsOf } from './geographies.js';
import { STAGES } from './measure-way.js';

/**
 * @import { Geography, Leg, Way, WayName } from './geographies.js'
 * @import { Measured, StageName } from './measure-way.js'
 *
 * @typedef {object} GeographyResult
 * @property {Geography} geography
 * @property {Readonly<Record<WayName, Measured>>} ways
 */

/** @type {readonly [Leg, string][]} */
const LEGS = [
  ['userToStore', 'user–store'],
  ['userToWorker', 'user–Worker'],
  ['workerToStore', 'Worker–store'],
];

/** Latencies that differ by at most this share count as the same. */
const SAME = 0.02;

/** Number of dependent reads. */
const CHAIN = 5;

const CONNECTIONS = /** @type {const} */ ([
  ['kept', 'workerKept', 'storeKept'],
  ['cold', 'workerCold', 'storeCold'],
]);

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
    '\nThrough the Worker ÷ S3 API, by the medians (and by the round trips alone)\n',
    factorTable(results),
    `\n${conclusion(results)}`,
  ].join('');
}

/** @param {Geography} geography */
function describeGeography({ name, userToStore, userToWorker, workerToStore }) {
  return `${name}: user – ${userToWorker} ms – Worker – ${workerToStore} ms – store, user – ${userToStore} ms – store`;
}

/** @param {GeographyResult} result */
function latencyTable({ geography, ways }) {
  const rows = STAGES.flatMap((stage) =>
    WAY_NAMES.map((name) => {
      const { minimum, mean, p50, p90, p99, maximum } = ways[name][stage];
      const expected = latencyByDistance(WAYS[name], geography);
      return [
        `${stage}, ${WAYS[name].name}`,
        ...[formulaOf(WAYS[name], geography), String(expected)],
        ...[minimum, mean, p50, p90, p99, maximum, p50 - expected].map(milliseconds),
      ];
    }),
  );
  const shape = ['fastest', 'average', 'p50', 'p90', 'p99', 'slowest'];
  return formatTable(['', 'round trips', 'expected', ...shape, 'beyond'], rows);
}

/**
 * @param {Way} way
 * @param {Geography} geography
 */
function formulaOf(way, geography) {
  return legsOf(way)
    .map(([leg, count]) => (count === 1 ? `${geography[leg]}` : `${count} × ${geography[leg]}`))
    .join(' + ');
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
        way.keepsConnections ? '' : `1 held + ${flightsOf(results, name)}`,
      ];
    }),
  );
  return formatTable(['', ...LEGS.map(([, label]) => label), 'ms left', 'counted by the relay'], rows);
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

/**
 * @param {readonly GeographyResult[]} results
 * @param {WayName} name of a way that opens a connection per request
 * @returns {string} the median flights of the user's connections; several values if geographies differ
 */
function flightsOf(results, name) {
  return [...new Set(results.map(({ ways }) => ways[name].tally.median))].join(', ');
}

/** @param {readonly GeographyResult[]} results */
function factorTable(results) {
  const columns = STAGES.flatMap((stage) => CONNECTIONS.map((connections) => ({ stage, connections })));
  const rows = results.map(({ geography, ways }) => [
    geography.name,
    ...columns.map(({ stage, connections: [, worker, store] }) => {
      const measured = ways[worker][stage].p50 / ways[store][stage].p50;
      const expected = latencyByDistance(WAYS[worker], geography) / latencyByDistance(WAYS[store], geography);
      return `${measured.toFixed(2)} (${expected.toFixed(2)})`;
    }),
  ]);
  return formatTable(['', ...columns.map(({ stage, connections: [kind] }) => `${stage}, ${kind}`)], rows);
}

/** @param {readonly GeographyResult[]} results */
function conclusion(results) {
  return [
    'Result',
    ...results.map(describeRead),
    describeAgreement(results),
    describeRest(results),
    describeChain(results),
  ]
    .join('\n')
    .concat('\n');
}

/** @param {GeographyResult} result */
function describeRead({ geography, ways }) {
  const parts = CONNECTIONS.map(([kind, worker, store]) => {
    const [through, direct] = [ways[worker].Read.p50, ways[store].Read.p50];
    return `${kind}, ${milliseconds(through)} ms through the Worker, ${milliseconds(direct)} ms over the S3 API: ${compare(through, direct)}`;
  });
  return `- ${geography.name}, the median of reads with connections ${parts.join('; ')}.`;
}

/**
 * @param {number} one
 * @param {number} other
 * @returns {string} the first compared with the second
 */
function compare(one, other) {
  const factor = one / other;
  if (Math.abs(factor - 1) <= SAME) {
    return 'about the same';
  }
  return factor > 1 ? `${factor.toFixed(2)} times as long` : `${(1 / factor).toFixed(2)} times as fast`;
}

/** @param {readonly GeographyResult[]} results */
function describeAgreement(results) {
  const differences = STAGES.flatMap((stage) =>
    WAY_NAMES.flatMap((name) => {
      const { roundTrips } = foundIn(results, name, stage);
      return legsOf(WAYS[name]).map(([leg, count]) => Math.abs(/** @type {number} */ (roundTrips[leg]) - count));
    }),
  );
  return `- The measured round trips differ from the predicted ones by at most ${Math.max(...differences).toFixed(2)}.`;
}

/** @param {readonly GeographyResult[]} results */
function describeRest(results) {
  const work = (/** @type {WayName} */ name) => milliseconds(foundIn(results, name, 'Read').work);
  return (
    `- At distance zero, the fastest read takes ${work('workerKept')} ms through this Worker with connections kept, ` +
    `of which R2 takes ${work('binding')} ms, and ${work('storeKept')} ms over the S3 API; cold, ` +
    `${work('workerCold')} and ${work('storeCold')} ms.`
  );
}

/** @param {readonly GeographyResult[]} results */
function describeChain(results) {
  const parts = results.map(({ geography: { name, userToStore, userToWorker, workerToStore } }) => {
    const inWorker = userToWorker + CHAIN * workerToStore;
    return `${name}, ${inWorker} ms instead of ${CHAIN * userToStore}`;
  });
  return (
    `- Computed from the round trips, not measured: ${CHAIN} dependent reads take, if the ` +
    `Worker makes them in one request over a kept connection: ${parts.join('; ')}.`
  );
}

/** @param {number} value */
function milliseconds(value) {
  return value.toFixed(1);
}
