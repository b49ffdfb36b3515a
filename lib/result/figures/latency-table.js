import { LATENCIES, figuresOf } from './catalogue.js';
import { kindsOf } from './stage-table.js';
import { isKnown, textWithUnit } from './table.js';

/**
 * @import { StageLatency } from '../result.js'
 * @import { WritableStage } from '../write-result.js'
 * @import { LatencyKind } from './catalogue.js'
 * @import { Column, Table } from './table.js'
 *
 * @typedef {{ name: string, of: LatencyKind, what: string, latency: StageLatency }} LatencyRow `latency`: with the
 *   latency of the row in place of that of operations
 */

const FIGURES = /** @type {Column<any>[]} */ (/** @type {unknown} */ (figuresOf('latency')));

/** @type {readonly Column<LatencyRow>[]} */
const COLUMNS = [
  { title: 'Stage', value: ({ name }) => name },
  { title: 'Of', value: ({ what }) => what },
  { title: 'Count', quantity: 'count', value: ({ latency }) => latency.operations?.count },
  ...FIGURES,
];

/**
 * @param {string} name of a stage
 * @param {StageLatency} latency
 * @returns {LatencyRow[]} a row for each kind of latency that is known
 */
export function latencyRows(name, latency) {
  return LATENCIES.flatMap(({ of, title }) => {
    const { [of]: summary = null, histogram } = latency;
    const ofRow = { ...latency, operations: summary, histogram: { ...histogram, operations: histogram[of] ?? null } };
    return summary === null ? [] : [{ name, of, what: title, latency: ofRow }];
  });
}

/** Such as `min 1.00 ms mean 2.00 ms p50 …`. @param {LatencyRow} row */
export function latencyText(row) {
  return FIGURES.flatMap((column) =>
    isKnown(column, row) ? [`${column.heading ?? column.title} ${textWithUnit(column, row)}`] : [],
  ).join(' ');
}

/**
 * A row for each kind of latency of each stage and of each operation of its mix.
 *
 * @param {readonly WritableStage[]} stages
 * @returns {Table<LatencyRow>}
 */
export function latencyTable(stages) {
  const rows = stages.flatMap((stage) => [
    ...latencyRows(stage.stage, stage.latency),
    ...kindsOf(stage).flatMap((kind) => latencyRows(`  ${kind.operation}`, kind.latency)),
  ]);
  return { columns: COLUMNS, rows };
}
