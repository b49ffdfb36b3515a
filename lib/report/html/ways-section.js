import { isAtBinding } from '../../model/ways.js';
import { WAY_LATENCIES, wayLatency, wayName, wayNotes, wayRemark, wayRows } from '../ways.js';
import { count, figure, rate, table, UNKNOWN } from './figures.js';
import { html } from './markup.js';

/**
 * @import { WayResult } from '../../model/result.js'
 * @import { WayRow } from '../ways.js'
 * @import { Column } from './figures.js'
 * @import { Section } from './page.js'
 */

/** @type {readonly Column<WayRow>[]} */
const COLUMNS = [
  {
    title: 'Access path',
    kind: 'text',
    cell: ({ way }) => html`${wayName(way)} <span class="remark">${wayRemark(way)}</span>`,
  },
  { title: 'Operations', cell: ({ figures: { operations } }) => count(operations) },
  { title: 'Rate', unit: 'ops/s', cell: ({ figures: { operationsPerSecond } }) => rate(operationsPerSecond) },
  ...WAY_LATENCIES.map(({ title, of, isMean }) => ({
    title,
    unit: 'ms',
    cell: (/** @type {WayRow} */ { way, figures: { latency } }) =>
      figure(latency && of(latency), (ms) => wayLatency(ms, way, isMean)),
  })),
  { title: 'Failed attempts', cell: ({ figures: { failedAttempts } }) => count(failedAttempts) },
  {
    title: 'Connections opened',
    // At the binding, a connection carries slices of many operations, so the number of connections is not comparable.
    cell: ({ way, figures: { connections } }) => (isAtBinding(way) ? UNKNOWN : count(connections?.opened)),
  },
];

/**
 * @param {readonly WayResult[]} ways
 * @returns {Section | null} null unless there are several access paths
 */
export function waysSection(ways) {
  return ways.length < 2
    ? null
    : {
        id: 'ways',
        title: 'Access paths',
        body: html`<p>${wayNotes(ways).join(' ')}</p>
          ${table({
            caption: 'Results by stage and access path',
            columns: COLUMNS,
            rows: wayRows(ways),
            groupOf: ({ heading }) => heading,
          })}`,
      };
}
