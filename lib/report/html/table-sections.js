import { THRESHOLD_COLUMNS } from '../compare-text.js';
import { SHARE_COLUMNS } from '../merge-text.js';
import { chartTable, table } from './figures.js';
import { html } from './markup.js';

/**
 * @import { Column } from '../../result/figures/table.js'
 * @import { NotedOperation, Result, StageShare, StageSum } from '../../result/result.js'
 * @import { Section } from './page.js'
 */

/** Maximum number of hosts in the table. */
const MAX_HOSTS = 50;

/** @type {readonly Column<StageSum>[]} */
const CONNECTION_COLUMNS = [
  { title: 'Stage', value: ({ stage }) => stage },
  { title: 'Opened', quantity: 'count', value: ({ connections }) => connections?.opened },
  { title: 'Reused', quantity: 'count', value: ({ connections }) => connections?.reused },
  { title: 'Name look-up', quantity: 'time', value: ({ connections }) => connections?.lookupTime },
  { title: 'TCP p50', quantity: 'time', value: ({ connections }) => connections?.tcp?.p50 },
  { title: 'TCP longest', quantity: 'time', value: ({ connections }) => connections?.tcp?.maximum },
  { title: 'TLS p50', quantity: 'time', value: ({ connections }) => connections?.tls?.p50 },
  { title: 'TLS longest', quantity: 'time', value: ({ connections }) => connections?.tls?.maximum },
];

/**
 * @param {Result} result
 * @returns {Section | null} null if nothing is known about connections
 */
export function connectionsSection({ stages }) {
  const rows = stages.filter(({ connections }) => connections);
  const body = html`<p>
      Connections opened since the previous stage, requests that reused one, and the time to open a connection.
    </p>
    ${table('Connections per stage, and the time to open one', { columns: CONNECTION_COLUMNS, rows })}`;
  return rows.length === 0 ? null : { id: 'connections', title: 'Connections', body };
}

/**
 * @param {Result} result
 * @returns {Section | null} null for a single host
 */
export function hostsSection({ stages }) {
  const shares = stages.flatMap(({ stage, merge }) => (merge?.shares ?? []).map((share) => ({ ...share, stage })));
  const names = [...new Set(shares.map(({ host }) => host))];
  const shown = names.slice(0, MAX_HOSTS);
  /** @type {readonly Column<StageShare & { stage: string }>[]} */
  const columns = [
    ...SHARE_COLUMNS.slice(0, 1),
    { title: 'Stage', value: ({ stage }) => stage },
    ...SHARE_COLUMNS.slice(1),
  ];
  const rows = shares.filter(({ host }) => shown.includes(host));
  const title = shown.length < names.length ? `The first ${MAX_HOSTS} of ${names.length} hosts` : 'Show as a table';
  const body = chartTable(table('Results by host and stage', { columns, rows }), title);
  return names.length < 2 ? null : { id: 'hosts', title: 'Hosts', body };
}

/** @type {readonly Column<NotedOperation & { stage: string }>[]} */
const NOTED_COLUMNS = [
  { title: 'Stage', value: ({ stage }) => stage },
  { title: 'Time', value: ({ time }) => new Date(time).toISOString() },
  { title: 'Operation', value: ({ operation }) => operation },
  { title: 'Duration', quantity: 'time', value: ({ duration }) => duration },
  { title: 'Attempts', quantity: 'count', value: ({ attempts }) => attempts },
  { title: 'Error', value: ({ error }) => error },
  { title: 'Status', value: ({ status }) => status },
  { title: 'x-amz-request-id', value: ({ requestId }) => requestId },
  { title: 'cf-ray', value: ({ ray }) => ray },
  { title: 'Bucket', value: ({ bucket }) => bucket },
  { title: 'Key', value: ({ key }) => key },
];

/**
 * The operations to ask the operator of the store about.
 *
 * @param {Result} result
 * @returns {Section | null} null if none are known
 */
export function notedSection({ stages }) {
  const [slowest, failures] = /** @type {const} */ (['slowest', 'failures']).map((name) =>
    stages.flatMap(({ stage, [name]: operations = [] }) => operations.map((each) => ({ stage, ...each }))),
  );
  const tables = [
    { title: 'Slowest operations', rows: slowest },
    { title: 'Last failures', rows: failures },
  ].filter(({ rows }) => rows.length > 0);
  const body = html`<p>If you ask the operator of the store, send the identifiers of single requests.</p>
    ${tables.map(({ title, rows }) => chartTable(table(title, { columns: NOTED_COLUMNS, rows }), title))}`;
  return tables.length === 0 ? null : { id: 'noted', title: 'Single operations', body };
}

/**
 * @param {Result} result
 * @returns {Section | null} null without thresholds
 */
export function thresholdsSection({ thresholds: rows = [] }) {
  const body = table('Thresholds and their outcomes', { columns: THRESHOLD_COLUMNS, rows });
  return rows.length === 0 ? null : { id: 'thresholds', title: 'Thresholds', body };
}
