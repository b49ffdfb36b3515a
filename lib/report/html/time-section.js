import { formatTimeOfDay } from '../../text/units.js';
import { count, megabytes, milliseconds, rate, table, chartTable } from './figures.js';
import { html } from './markup.js';
import { plot, stageKey } from './plot.js';
import { summarizeSeconds } from './seconds-summary.js';

/**
 * @import { Result } from '../../model/result.js'
 * @import { Column } from './figures.js'
 * @import { Section } from './page.js'
 * @import { Stretch } from './seconds-summary.js'
 */

/** @type {readonly Column<Stretch>[]} */
const COLUMNS = [
  { title: 'From', unit: 'UTC', kind: 'text', cell: ({ secondStart }) => formatTimeOfDay(Math.floor(secondStart)) },
  { title: 'Stage', kind: 'text', cell: ({ stage }) => stage },
  { title: 'Seconds', cell: ({ seconds }) => count(seconds) },
  { title: 'Operations', cell: ({ operations }) => count(operations) },
  { title: 'Rate', unit: 'ops/s', cell: (stretch) => rate(stretch.rate) },
  { title: 'Throughput', unit: 'MiB/s', cell: ({ byteRate }) => megabytes(byteRate) },
  { title: 'p50', unit: 'ms', cell: ({ p50 }) => milliseconds(p50) },
  { title: 'p99', unit: 'ms', cell: ({ p99 }) => milliseconds(p99) },
  { title: 'Longest', unit: 'ms', cell: ({ maximum }) => milliseconds(maximum) },
  { title: 'Failed attempts', cell: ({ failedAttempts }) => count(failedAttempts) },
  { title: 'Throttled', cell: ({ throttled }) => count(throttled) },
];

/**
 * @param {Result} result
 * @returns {Section | null} null if no seconds are known
 */
export function timeSection({ stages }) {
  const { latencies, stretches } = summarizeSeconds(stages);
  if (stretches.length === 0) {
    return null;
  }
  const seconds = stages.flatMap((stage) => stage.seconds);
  const hasLatency = seconds.some(({ p50 }) => typeof p50 === 'number');
  const hasBytes = stages.some(({ bytes }) => bytes);
  const hasFailures = seconds.some(({ failedAttempts = 0 }) => failedAttempts > 0);
  return {
    id: 'time',
    title: 'Over time',
    body: html`<p class="readout" data-for="time" aria-live="polite">
        Point to a chart, or use the arrow keys, to see the figures for that second.
      </p>
      ${stageKey(stages)} ${plot('rate', 'Operations per second')}
      ${hasBytes ? plot('throughput', 'Throughput in MiB/s') : null}
      ${hasFailures ? plot('failures', 'Failed attempts per second', ['throttled', 'other']) : null}
      ${hasLatency ? plot('latency', 'Latency per second, in ms', ['p50', 'p99', 'longest']) : null}
      ${latencies === null ? null : plot('latency-map', 'Operations by time and latency: darker means more (lighter on a dark page)')}
      ${chartTable(table({ caption: 'Stages over time', columns: COLUMNS, rows: stretches }))}`,
    chart: { latencies },
  };
}
