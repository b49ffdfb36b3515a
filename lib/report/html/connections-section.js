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
 * @returns {Section | null} null where nothing is known of them
 */
export function connectionsSection({ stages }) {
  const known = stages.filter(({ connections }) => connections);
  return known.length === 0
    ? null
    : {
        id: 'connections',
        title: 'Connections',
        body: html`<p>
            Connections that were opened since the stage before, requests that went over one that was there, and what
            opening took.
          </p>
          ${table({ caption: 'Connections of each stage, and what opening one cost', columns: COLUMNS, rows: known })}`,
      };
}
