import { formatTimeOfDay } from '../../text/units.js';
import { table, chartTable } from './figures.js';
import { html } from './markup.js';
import { plot, stageKey } from './plot.js';
import { summarizeSeconds } from './seconds-summary.js';

/**
 * @import { Result } from '../../model/result.js'
 * @import { Column } from '../../figures/table.js'
 * @import { Section } from './page.js'
 * @import { Stretch } from './seconds-summary.js'
 */

/** @type {readonly Column<Stretch>[]} */
export const STRETCH_COLUMNS = [
  { title: 'From UTC', value: ({ secondStart }) => formatTimeOfDay(Math.floor(secondStart)) },
  { title: 'Stage', value: ({ stage }) => stage },
  { title: 'Seconds', quantity: 'count', value: ({ seconds }) => seconds },
  { title: 'Operations', quantity: 'count', value: ({ operations }) => operations },
  { title: 'Rate', quantity: 'rate', value: ({ rate }) => rate },
  { title: 'Throughput', quantity: 'throughput', value: ({ byteRate }) => byteRate },
  { title: 'p50', quantity: 'time', value: ({ p50 }) => p50 },
  { title: 'p99', quantity: 'time', value: ({ p99 }) => p99 },
  { title: 'Longest', quantity: 'time', value: ({ maximum }) => maximum },
  { title: 'Failed attempts', quantity: 'count', value: ({ failedAttempts }) => failedAttempts },
  { title: 'Throttled', quantity: 'count', value: ({ throttled }) => throttled },
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
      ${chartTable(table('Stages over time', { columns: STRETCH_COLUMNS, rows: stretches }))}`,
    chart: { latencies },
  };
}
