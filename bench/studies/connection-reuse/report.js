import {
  NEW_CONNECTION,
  PREDICTED_FACTOR,
  REUSED_CONNECTION,
  ROUND_TRIPS,
  countRoundTrips,
  fitRoundTrips,
} from '../distance/round-trips.js';
import { REQUESTS } from '../measurement.js';
import { formatTable } from '../table.js';
import { KINDS, KIND_NAMES } from './distances.js';

/**
 * @import { Latencies } from '../measurement.js'
 * @import { Distance, Kind } from './distances.js'
 */

/** oha's mean agrees if it is within this share of ours. */
const AGREEMENT = 0.05;

/**
 * @param {readonly Distance[]} distances
 * @param {{ protocol: string, hasOha: boolean }} context
 */
export function describeResult(distances, { protocol, hasOha }) {
  return [
    `\nLatency of ${REQUESTS} requests of one client over ${protocol}, in ms\n`,
    latencyTable(distances),
    '\nCost by phase, in ms (p50; the relay simulates the TCP handshake by holding the first bytes of the TLS handshake)\n',
    phaseTable(distances),
    '\nA connection for each request ÷ keep-alive, by the means\n',
    factorTable(distances),
    "\nThe tool's own report, in every run\n",
    ...distances.map(
      ({ roundTrip, opened }) => `${String(roundTrip).padStart(2)} ms  ${opened.tool.connectionsLine}\n`,
    ),
    hasOha ? '\nThe same with oha, in ms\n' : '\noha is not on PATH, so there are no figures to compare with.\n',
    hasOha ? ohaTable(distances) : '',
    `\n${conclusion(distances)}`,
  ].join('');
}

/** @param {readonly Distance[]} distances */
function latencyTable(distances) {
  const rows = distances.flatMap(({ roundTrip, ...kinds }) =>
    KIND_NAMES.flatMap((kind) => {
      const { tool, oha } = kinds[kind];
      const label = `${roundTrip} ms, ${KINDS[kind]}`;
      return [latencyRow(label, 'r2-benchmark', tool), ...(oha === null ? [] : [latencyRow(label, 'oha', oha)])];
    }),
  );
  return formatTable(['Round trip', 'client', 'fastest', 'average', 'p50', 'p90', 'p99', 'slowest'], rows);
}

/**
 * @param {string} label
 * @param {string} client
 * @param {Latencies} latencies
 */
function latencyRow(label, client, { minimum, mean, p50, p90, p99, maximum }) {
  return [label, client, ...[minimum, mean, p50, p90, p99, maximum].map(milliseconds)];
}

/** @param {readonly Distance[]} distances */
function phaseTable(distances) {
  const { reused, opened } = distances[distances.length - 1];
  const counted = countRoundTrips(reused.tally, opened.tally, REQUESTS);
  const { tcp, tls, request } = ROUND_TRIPS;
  const opening = distances.map((distance) => openingOf(distance));
  return formatTable(
    ['Phase', 'predicted', 'counted by the relay', ...distances.map(({ roundTrip }) => `at ${roundTrip} ms`)],
    [
      [
        'TCP and TLS',
        `${tcp} + ${tls}`,
        `1 held + ${counted.handshake.toFixed(2)}`,
        ...opening.map((time) => milliseconds(time)),
      ],
      [
        'request',
        String(request),
        counted.request.toFixed(2),
        ...distances.map((distance, place) => milliseconds(distance.opened.tool.p50 - opening[place])),
      ],
      [
        'together',
        String(NEW_CONNECTION),
        `1 held + ${(counted.handshake + counted.request).toFixed(2)}`,
        ...distances.map((distance) => milliseconds(distance.opened.tool.p50)),
      ],
      [
        'request, connection reused',
        String(REUSED_CONNECTION),
        counted.request.toFixed(2),
        ...distances.map((distance) => milliseconds(distance.reused.tool.p50)),
      ],
    ],
  );
}

/** @param {Distance} distance */
function openingOf({ opened }) {
  const { tcp, tls } = opened.tool.connections;
  return tcp.p50 + tls.p50;
}

/** @param {readonly Distance[]} distances */
function factorTable(distances) {
  const rows = distances.map(({ roundTrip, reused, opened }) => [
    `${roundTrip} ms`,
    milliseconds(reused.tool.mean),
    milliseconds(opened.tool.mean),
    factorOf({ reused, opened }).toFixed(2),
    PREDICTED_FACTOR.toFixed(2),
    milliseconds(reused.tool.mean - REUSED_CONNECTION * roundTrip),
    milliseconds(opened.tool.mean - NEW_CONNECTION * roundTrip),
  ]);
  const header = ['Round trip', 'keep-alive', 'each', 'factor', 'predicted', 'beyond the distance', 'each'];
  return formatTable(header, rows);
}

/** @param {Pick<Distance, 'reused' | 'opened'>} distance */
function factorOf({ reused, opened }) {
  return opened.tool.mean / reused.tool.mean;
}

/** @param {readonly Distance[]} distances */
function ohaTable(distances) {
  const rows = distances.flatMap(({ roundTrip, ...kinds }) =>
    KIND_NAMES.flatMap((kind) => {
      const { tool, oha } = kinds[kind];
      return oha === null ? [] : [[`${roundTrip} ms, ${KINDS[kind]}`, ...agreementCells(tool, oha)]];
    }),
  );
  const header = ['Round trip', 'mean', 'oha', 'difference', `within ${100 * AGREEMENT}%`, 'p50', 'oha', 'difference'];
  return formatTable(header, rows);
}

/**
 * @param {Latencies} tool
 * @param {Latencies} oha
 */
function agreementCells(tool, oha) {
  const bottleneck = Math.abs(oha.mean / tool.mean - 1) <= AGREEMENT ? 'agrees' : 'differs';
  const compare = (/** @type {number} */ ours, /** @type {number} */ theirs) => {
    const difference = 100 * (theirs / ours - 1);
    return [milliseconds(ours), milliseconds(theirs), `${difference < 0 ? '' : '+'}${difference.toFixed(1)}%`];
  };
  return [...compare(tool.mean, oha.mean), bottleneck, ...compare(tool.p50, oha.p50)];
}

/** @param {readonly Distance[]} distances */
function conclusion(distances) {
  const far = distances[distances.length - 1];
  const { reused, opened } = fitAll(distances);
  const factors = distances
    .map((distance) => `${factorOf(distance).toFixed(2)} at ${distance.roundTrip} ms`)
    .join(', ');
  return [
    `Conclusion: the mean grows by ${reused.roundTrips.toFixed(2)} round trips with keep-alive (predicted ` +
      `${REUSED_CONNECTION}) and by ${opened.roundTrips.toFixed(2)} with a connection for each request (predicted ` +
      `${NEW_CONNECTION}). Opening makes a request ${factors} times as long (the round trips alone: ` +
      `${PREDICTED_FACTOR.toFixed(2)});`,
    `at ${far.roundTrip} ms keep-alive saves ${milliseconds(far.opened.tool.mean - far.reused.tool.mean)} ms of each ` +
      'request. So every thread keeps its connection, and all are opened before the clock of the first stage starts.\n',
  ].join('\n');
}

/** @param {readonly Distance[]} distances */
function fitAll(distances) {
  const fitOf = (/** @type {Kind} */ kind) =>
    fitRoundTrips(distances.map((distance) => [distance.roundTrip, distance[kind].tool.mean]));
  return { reused: fitOf('reused'), opened: fitOf('opened') };
}

/** @param {number} value */
function milliseconds(value) {
  return value.toFixed(2);
}
