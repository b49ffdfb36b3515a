import { drawLineChart } from '../chart.js';
import { REQUESTS } from '../measurement.js';
import { WAYS, WAY_NAMES, latencyByDistance } from './geographies.js';

/** @import { GeographyResult } from './report.js' */

const TICKS = [0, 50, 100, 150, 200, 250];
const [START, END] = [TICKS[0], TICKS[TICKS.length - 1]];

/**
 * @param {readonly GeographyResult[]} results
 * @returns {string} SVG
 */
export function chartOf(results) {
  return drawLineChart({
    title: `Median latency of ${REQUESTS} reads over TLS 1.3, by what the round trips alone take`,
    x: { label: 'round trips in ms', isLogarithmic: false, ticks: TICKS },
    y: { label: 'median latency in ms', isLogarithmic: false, ticks: TICKS },
    series: [
      ...WAY_NAMES.map((name) => ({
        name: WAYS[name].name,
        hasNoLine: true,
        points: results.map(
          ({ geography, ways }) =>
            /** @type {[number, number]} */ ([latencyByDistance(WAYS[name], geography), ways[name].Read.p50]),
        ),
      })),
      {
        name: 'the round trips alone',
        isDashed: true,
        points: [
          [START, START],
          [END, END],
        ],
      },
    ],
  });
}
