import { shortLimit } from '../../text/figures.js';
import { formatTimeOfDay } from '../../text/units.js';
import { count, rate, table, chartTable } from './figures.js';
import { html } from './markup.js';

/**
 * @import { Result, StageShare } from '../../model/result.js'
 * @import { Column } from './figures.js'
 * @import { Section } from './page.js'
 */

/** Maximum number of hosts in the table. */
const MAX_HOSTS = 50;

/** @typedef {StageShare & { stage: string }} Share */

/** @type {readonly Column<Share>[]} */
const COLUMNS = [
  { title: 'Host', kind: 'text', cell: ({ host }) => host },
  { title: 'Stage', kind: 'text', cell: ({ stage }) => stage },
  { title: 'From', unit: 'UTC', kind: 'text', cell: ({ startedAt }) => timeOf(startedAt) },
  { title: 'To', unit: 'UTC', kind: 'text', cell: ({ endedAt }) => timeOf(endedAt) },
  { title: 'Operations', cell: ({ operations }) => count(operations) },
  { title: 'Own peak', unit: 'ops/s', cell: ({ peak }) => rate(peak) },
  {
    title: 'Limited by',
    kind: 'text',
    cell: ({ limitedBy, certainty }) => (limitedBy === null ? 'unknown' : shortLimit({ cause: limitedBy, certainty })),
  },
];

/**
 * @param {Result} result
 * @returns {Section | null} null for a single host
 */
export function hostsSection({ stages }) {
  const names = [...new Set(stages.flatMap(({ merge }) => (merge?.shares ?? []).map(({ host }) => host)))];
  if (names.length < 2) {
    return null;
  }
  const shown = names.slice(0, MAX_HOSTS);
  const more = names.length - shown.length;
  const shares = stages.flatMap(({ stage, merge }) =>
    (merge?.shares ?? []).filter(({ host }) => shown.includes(host)).map((share) => ({ ...share, stage })),
  );
  return {
    id: 'hosts',
    title: 'Hosts',
    body: html`${more === 0 ? null : html`<p>The first ${MAX_HOSTS} of ${names.length} hosts; the data contains all of them.</p>`}
    ${chartTable(table({ caption: 'Results by host and stage', columns: COLUMNS, rows: shares }))}`,
  };
}

/** @param {number | null} ms epoch ms */
function timeOf(ms) {
  return ms === null ? 'unknown' : formatTimeOfDay(Math.floor(ms / 1000));
}
