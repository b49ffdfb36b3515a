import { drawLineChart } from '../chart.js';
import { NEW_CONNECTION, REUSED_CONNECTION } from '../distance/round-trips.js';
import { REQUESTS } from '../measurement.js';
import { KINDS, KIND_NAMES } from './distances.js';

/** @import { Distance } from './distances.js' */

const PREDICTED = { reused: REUSED_CONNECTION, opened: NEW_CONNECTION };
const MAX_ROUND_TRIP_MS = 50;

/**
 * @param {readonly Distance[]} distances
 * @returns {string} SVG
 */
export function chartOf(distances) {
  return drawLineChart({
    title: `Mean latency of ${REQUESTS} requests over TLS 1.3: a connection for each, or one for all`,
    x: { label: 'round-trip time in ms', isLogarithmic: false, ticks: [0, 10, 20, 30, 40, MAX_ROUND_TRIP_MS] },
    y: { label: 'mean latency in ms', isLogarithmic: false, ticks: [0, 25, 50, 75, 100, 125, 150, 175] },
    series: [
      ...KIND_NAMES.map((kind) => ({
        name: `r2-benchmark, ${KINDS[kind]}`,
        points: distances.map((distance) => point(distance.roundTrip, distance[kind].tool.mean)),
      })),
      ...KIND_NAMES.map((kind) => ({
        name: `oha, ${KINDS[kind]}`,
        hasNoLine: true,
        points: distances.flatMap(({ roundTrip, [kind]: { oha } }) =>
          oha === null ? [] : [point(roundTrip, oha.mean)],
        ),
      })),
      ...KIND_NAMES.map((kind) => ({
        name: `predicted: ${PREDICTED[kind]} × round trip`,
        isDashed: true,
        points: [point(0, 0), point(MAX_ROUND_TRIP_MS, MAX_ROUND_TRIP_MS * PREDICTED[kind])],
      })),
    ],
  });
}

/**
 * @param {number} x
 * @param {number} y
 * @returns {[number, number]}
 */
function point(x, y) {
  return [x, y];
}
