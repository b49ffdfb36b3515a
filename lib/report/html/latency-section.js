import { Histogram } from '../../model/histogram.js';
import { within } from '../../figures/catalogue.js';
import { latencyTable } from '../../figures/latency-table.js';
import { table, chartTable } from './figures.js';
import { html } from './markup.js';
import { plot, stageKey } from './plot.js';

/**
 * @import { Result, StageSum } from '../../model/result.js'
 * @import { Section } from './page.js'
 */

/** Distance between points on the percentile axis, where 1 is 90%, 2 is 99%, and so on. */
const NINES_STEP = 0.05;
const MAX_NINES = 6;

/**
 * @typedef {object} Percentiles of a stage
 * @property {string} stage
 * @property {number} index of the stage
 * @property {number[]} nines positions on the percentile axis, ascending
 * @property {number[]} latencies ms
 */

/**
 * @param {Result} result
 * @returns {Section | null} null if no stage has a histogram
 */
export function latencySection({ stages }) {
  const known = stages.flatMap(percentilesOf);
  return known.length === 0
    ? null
    : {
        id: 'latency',
        title: 'Latency by percentile',
        body: html`<p class="readout" data-for="latency" aria-live="polite">
            Point to the chart, or use the arrow keys, to see the latencies at that percentile.
          </p>
          ${stageKey(stages)}
          ${plot('percentiles', 'Latency in ms by percentile: each step to the right is one more nine')}
          ${chartTable(table('Percentiles of each stage', latencyTable(stages)))}`,
        chart: known,
      };
}

/**
 * @param {StageSum} stage
 * @param {number} index of the stage
 * @returns {Percentiles[]} empty without a histogram
 */
export function percentilesOf({ stage, latency }, index) {
  const { operations: summary, histogram } = latency;
  if (summary === null || histogram.operations === null) {
    return [];
  }
  const sum = Histogram.decode(histogram.operations);
  // The last percentile is the one that only a single operation exceeds.
  const highest = Math.min(Math.log10(Math.max(summary.count, 1)), MAX_NINES);
  const nines = Array.from({ length: Math.floor(highest / NINES_STEP) + 1 }, (_, step) => step * NINES_STEP);
  const latencies = nines.map((each) => within(sum.at(100 * (1 - 10 ** -each)), summary));
  return [{ stage, index, nines, latencies }];
}
