import { cacheRows, statusFindings, statusTitle } from '../cache-rows.js';
import { count, figure, megabytes, milliseconds, rate, share, table } from './figures.js';
import { html } from './markup.js';

/**
 * @import { Result } from '../../model/result.js'
 * @import { CacheRow } from '../cache-rows.js'
 * @import { Column } from './figures.js'
 * @import { Section } from './page.js'
 */

/** @type {readonly Column<CacheRow>[]} */
const COLUMNS = [
  { title: 'Status', kind: 'text', cell: ({ cache }) => cache.status },
  { title: 'Operations', cell: ({ cache }) => count(cache.operations) },
  { title: 'Share', cell: (row) => share(row.share) },
  { title: 'Rate', unit: 'ops/s', cell: ({ cache }) => rate(cache.average) },
  { title: 'Throughput', unit: 'MiB/s', cell: ({ cache }) => megabytes(cache.averageBytes) },
  { title: 'p50', unit: 'ms', cell: ({ cache }) => milliseconds(cache.latency?.p50) },
  { title: 'p90', unit: 'ms', cell: ({ cache }) => milliseconds(cache.latency?.p90) },
  { title: 'p99', unit: 'ms', cell: ({ cache }) => milliseconds(cache.latency?.p99) },
  { title: 'Longest', unit: 'ms', cell: ({ cache }) => milliseconds(cache.latency?.maximum) },
  { title: 'Highest age', unit: 's', cell: ({ cache }) => figure(cache.maxAge, String) },
];

/**
 * @param {Result} result
 * @returns {Section | null} null if nothing was read through a cache, and no operation was a race
 */
export function cacheSection({ stages }) {
  const rows = cacheRows(stages);
  return rows.length === 0
    ? null
    : {
        id: 'cache',
        title: statusTitle(stages),
        body: html`<p>
            Reads through the public URL, by the status that the cache reported; writes of races, by outcome.
            ${statusFindings(stages).join(' ')}
          </p>
          ${table({ caption: 'Requests by status', columns: COLUMNS, rows, groupOf: ({ heading }) => heading })}`,
      };
}
