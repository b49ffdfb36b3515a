import { Histogram } from '../../model/histogram.js';
import { bindingRows } from '../binding-rows.js';
import { count, milliseconds, table, chartTable } from './figures.js';
import { html } from './markup.js';
import { plot, stageKey } from './plot.js';

/**
 * @import { LatencySummary, Result, StageSum } from '../../model/result.js'
 * @import { Column } from './figures.js'
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
 * @property {LatencySummary} summary
 * @property {Histogram} histogram
 */

/** @type {readonly Column<Percentiles>[]} */
const COLUMNS = [
  { title: 'Stage', kind: 'text', cell: ({ stage }) => stage },
  { title: 'Operations', cell: ({ summary }) => count(summary.count) },
  { title: 'Shortest', unit: 'ms', cell: ({ summary }) => milliseconds(summary.minimum) },
  { title: 'Mean', unit: 'ms', cell: ({ summary }) => milliseconds(summary.mean) },
  { title: 'p50', unit: 'ms', cell: ({ summary }) => milliseconds(summary.p50) },
  { title: 'p75', unit: 'ms', cell: (each) => milliseconds(percentileOf(each, 75)) },
  { title: 'p90', unit: 'ms', cell: ({ summary }) => milliseconds(summary.p90) },
  { title: 'p95', unit: 'ms', cell: ({ summary }) => milliseconds(summary.p95) },
  { title: 'p99', unit: 'ms', cell: ({ summary }) => milliseconds(summary.p99) },
  { title: 'p99.9', unit: 'ms', cell: ({ summary }) => milliseconds(summary.p999) },
  { title: 'p99.99', unit: 'ms', cell: (each) => milliseconds(percentileOf(each, 99.99)) },
  { title: 'Longest', unit: 'ms', cell: ({ summary }) => milliseconds(summary.maximum) },
];

/** @type {readonly Column<ReturnType<typeof bindingRows>[number]>[]} */
const BINDING_COLUMNS = [
  { title: 'Stage', kind: 'text', cell: ({ stage }) => stage },
  { title: 'p50', unit: 'ms', cell: ({ user }) => milliseconds(user?.p50) },
  { title: 'p99', unit: 'ms', cell: ({ user }) => milliseconds(user?.p99) },
  { title: 'Binding', kind: 'text', cell: ({ timed }) => timed },
  { title: 'Binding p50', unit: 'ms', cell: ({ binding }) => milliseconds(binding.p50) },
  { title: 'Binding p99', unit: 'ms', cell: ({ binding }) => milliseconds(binding.p99) },
];

/**
 * @param {Result} result
 * @returns {Section | null} null if no stage has a histogram
 */
export function latencySection({ stages }) {
  const known = stages.flatMap(percentilesOf);
  const bindings = bindingRows(stages);
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
          ${chartTable(table({ caption: 'Percentiles of each stage', columns: COLUMNS, rows: known }))}
          ${bindings.length === 0 ? '' : table({ caption: "Latency of requests to the Worker, and of its binding by the Worker's clock", columns: BINDING_COLUMNS, rows: bindings })}`,
        chart: known.map(({ stage, index, nines, latencies }) => ({ stage, index, nines, latencies })),
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
  const sum = new Histogram();
  sum.addEncoded(histogram.operations);
  // The last percentile is the one that only a single operation exceeds.
  const highest = Math.min(Math.log10(Math.max(summary.count, 1)), MAX_NINES);
  const nines = Array.from({ length: Math.floor(highest / NINES_STEP) + 1 }, (_, step) => step * NINES_STEP);
  const latencies = nines.map((each) => within(sum.at(100 * (1 - 10 ** -each)), summary));
  return [{ stage, index, nines, latencies, summary, histogram: sum }];
}

/**
 * @param {Percentiles} percentiles
 * @param {number} percentile
 */
function percentileOf({ histogram, summary }, percentile) {
  return within(histogram.at(percentile), summary);
}

/**
 * Limits a percentile to the minimum and maximum, which are exact. Percentiles are accurate to 0.1%.
 *
 * @param {number} value ms
 * @param {LatencySummary} summary
 */
function within(value, { minimum, maximum }) {
  return Math.min(Math.max(value, minimum), maximum);
}
