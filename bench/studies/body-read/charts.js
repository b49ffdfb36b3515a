import { drawLineChart } from '../chart.js';
import { CHUNK_COUNTS, CHUNK_SIZE } from './drain-speed.js';

/**
 * @import { Series } from '../chart.js'
 * @import { EchoRuns } from './compare-interfaces.js'
 * @import { WayResult } from './drain-speed.js'
 */

const MICROSECONDS = 1000;

/**
 * @param {string} title
 * @param {readonly WayResult[]} results
 * @returns {string} SVG
 */
export function chartOfDrains(title, results) {
  return drawLineChart({
    title,
    x: { label: `chunks of ${CHUNK_SIZE} bytes`, isLogarithmic: true, ticks: CHUNK_COUNTS },
    y: { label: 'µs for a whole drain, median', isLogarithmic: true, ticks: [0.1, 1, 10, 100, 1000] },
    series: results.map(({ way, speeds }) => ({
      name: way,
      points: speeds.map(({ chunks, time }) => [chunks, time * MICROSECONDS]),
    })),
  });
}

/**
 * @param {EchoRuns} runs
 * @returns {string} SVG
 */
export function chartOfEcho(runs) {
  /** @type {Series[]} */
  const series = Object.entries(runs).map(([name, results]) => ({
    name,
    points: results.map(({ rate }, place) => [place + 1, rate / 1000]),
  }));
  const count = runs.synchronous.length;
  const highest = Math.max(...series.flatMap(({ points }) => points.map(([, rate]) => rate)));
  return drawLineChart({
    title: 'Timestamps read and sent back, by run and by the interface they were read with',
    x: { label: 'run', isLogarithmic: false, ticks: [1, ...fifths(count)] },
    y: { label: 'thousands of timestamps per second', isLogarithmic: false, ticks: [0, ...fifths(roundUp(highest))] },
    series,
  });
}

/** @param {number} greatest */
function fifths(greatest) {
  return [1, 2, 3, 4, 5].map((part) => (part * greatest) / 5);
}

/** @param {number} value in thousands per second */
function roundUp(value) {
  return Math.ceil(value / 50) * 50;
}
