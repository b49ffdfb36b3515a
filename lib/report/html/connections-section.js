import { count, milliseconds, table } from './figures.js';
import { html } from './markup.js';

/**
 * @import { Result, StageSum } from '../../model/result.js'
 * @import { Column } from './figures.js'
 * @import { Section } from './page.js'
 */

/** @type {readonly Column<StageSum>[]} */
const COLUMNS = [
  { title: 'Stage', kind: 'text', cell: ({ stage }) => stage },
  { title: 'Opened', cell: ({ connections }) => count(connections?.opened) },
  { title: 'Reused', cell: ({ connections }) => count(connections?.reused) },
  { title: 'Name look-up', unit: 'ms', cell: ({ connections }) => milliseconds(connections?.lookupTime) },
  { title: 'TCP p50', unit: 'ms', cell: ({ connections }) => milliseconds(connections?.tcp?.p50) },
  { title: 'TCP longest', unit: 'ms', cell: ({ connections }) => milliseconds(connections?.tcp?.maximum) },
  { title: 'TLS p50', unit: 'ms', cell: ({ connections }) => milliseconds(connections?.tls?.p50) },
  { title: 'TLS longest', unit: 'ms', cell: ({ connections }) => milliseconds(connections?.tls?.maximum) },
];

/**
 * @param {Result} result
 * @returns {Section | null} null if nothing is known about connections
 */
export function connectionsSection({ stages }) {
  const known = stages.filter(({ connections }) => connections);
  return known.length === 0
    ? null
    : {
        id: 'connections',
        title: 'Connections',
        body: html`<p>
            Connections opened since the previous stage, requests that reused one, and the time to open a connection.
          </p>
          ${table({ caption: 'Connections per stage, and the time to open one', columns: COLUMNS, rows: known })}`,
      };
}
