import { shortLimit } from '../../text/figures.js';
import { sizeRange } from '../../text/units.js';
import { LATENCIES, figuresOf } from './catalogue.js';
import { bestStepOf } from './shown-step.js';
import { isKnown, textWithUnit } from './table.js';

/**
 * @import { CacheSum, LatencySummary, MergedRamp, PartSum, RampResult, SizeClassSum, StageLatency } from '../result.js'
 * @import { WritableStage } from '../write-result.js'
 * @import { LatencyKind } from './catalogue.js'
 * @import { Column, Table } from './table.js'
 */

/**
 * @typedef {Omit<WritableStage, 'average'> & { average: WritableStage['average'] | 'too short', name: string,
 *   share?: number | null, maxAge?: number | null }} StageRow `name`: indented by two blanks for a part of a stage, and
 *   by four for a part of an operation
 *
 * @typedef {Pick<WritableStage, 'search' | 'merge' | 'average'>} RatedStage
 */

/**
 * The rate that a stage is known for.
 *
 * @param {RatedStage} stage
 * @returns {number | null} ops/s: the first known of the rate that a search found, the capacity, and the mean
 */
export function rateOf(stage) {
  return searchedRate(stage) ?? capacityOf(stage)?.operationsPerSecond ?? stage.average ?? null;
}

/** In ops/s; null if the store sustained no rate. @param {Pick<WritableStage, 'search'>} stage */
function searchedRate({ search }) {
  const { bound, operationsPerSecond } = search?.rate ?? {};
  return bound === 'exact' || bound === 'at least' ? (operationsPerSecond ?? null) : null;
}

/** @param {RatedStage} stage */
export function capacityOf({ search, merge }) {
  return search?.capacity ?? merge?.ramp?.capacity ?? null;
}

/** Whether the stage ended within its warm-up. @param {WritableStage} stage */
function isTooShort({ operations, warmupOperations, warmup, latency }) {
  return Boolean(warmup) && operations > 0 && warmupOperations === operations && latency.operations === null;
}

/**
 * Each operation of a mix as a stage.
 *
 * @param {WritableStage} stage
 * @returns {(WritableStage & { operation: string })[]}
 */
export function kindsOf({ kinds = [], end, startedAt, endedAt, duration, connections, load, merge }) {
  const ofStage = { end, startedAt, endedAt, duration, connections, load, merge, seconds: [] };
  return kinds.map((kind) => /** @type {any} */ ({ ...ofStage, ...kind, stage: kind.operation }));
}

/**
 * A row per stage, followed by rows for its parts. The threads and the time of a mix are those of all its operations.
 *
 * @param {readonly WritableStage[]} stages
 * @returns {StageRow[]}
 */
export function rowsOf(stages) {
  return stages.flatMap((stage) => [
    rowOfStage(stage),
    ...kindsOf(stage).flatMap((kind) => [
      { ...kind, merge: undefined, duration: null, threads: null, name: `  ${kind.operation}` },
      ...partsOf({ cache: kind.cache }, '    '),
    ]),
    ...partsOf(stage, '  '),
  ]);
}

/**
 * The last step of a search for a rate ran below the rate found, so its figures would appear to contradict it.
 *
 * @param {WritableStage} stage
 * @returns {StageRow}
 */
export function rowOfStage(stage) {
  const step = stage.ramp === undefined ? null : stepOfRamp(stage.ramp, stage.merge?.ramp);
  const hidden = { peak: null, averageBytes: null, latency: { ...stage.latency, operations: null } };
  if (step !== null) {
    const histogram = { ...stage.latency.histogram, operations: null };
    const latency = { ...stage.latency, operations: step.latency, histogram };
    return { ...stage, ...hidden, latency, average: step.rate, name: stage.stage };
  }
  const average = isTooShort(stage) ? 'too short' : rateOf(stage);
  return { ...stage, ...(searchedRate(stage) === null ? {} : hidden), average, name: stage.stage };
}

/**
 * The step that represents a ramp, whose mean over all steps would be meaningless.
 *
 * @param {RampResult} ramp
 * @param {MergedRamp} [merged] of several hosts
 * @returns {{ rate: number | null, latency: LatencySummary | null } | null} null if no step counts for its only host
 */
function stepOfRamp(ramp, merged) {
  if (merged === undefined) {
    const best = bestStepOf(ramp);
    return best && { rate: best.rate, latency: best.step.latency };
  }
  const { capacity, slots } = merged;
  const at = slots.findIndex(({ counts, threads }) => counts && threads === capacity?.threads);
  return { rate: capacity?.operationsPerSecond ?? null, latency: ramp.steps[at]?.latency ?? null };
}

/**
 * The sizes within the operations of a mix are left out: they are only in the JSON result.
 *
 * @param {Pick<WritableStage, 'sizeClasses' | 'cache' | 'contenders' | 'kinds'>} whole
 * @param {string} indent
 */
function partsOf({ sizeClasses = [], cache = [], contenders = [], kinds = [] }, indent) {
  const statuses = kinds.length > 0 ? [] : [...cache, ...contenders];
  const named = [
    ...sizeClasses
      .filter(({ operations }) => operations > 0)
      .map((part) => ({ part, name: sizeRange(part.from, part.to) })),
    ...statuses.map((part) => ({ part, name: part.status })),
  ];
  const all = Math.max(sumOf(statuses), 1);
  return named.map(({ part, name }) => rowOfPart(part, `${indent}${name}`, part.operations / all));
}

/**
 * @param {PartSum | SizeClassSum | CacheSum} part
 * @param {string} name
 * @param {number} share
 * @returns {StageRow}
 */
function rowOfPart({ latency, histogram, ...part }, name, share) {
  const latencies = { operations: latency, histogram: { operations: histogram } };
  return /** @type {any} */ ({ ...part, name, ...('status' in part && { share }), latency: latencies });
}

/** @param {readonly { operations: number }[]} parts */
function sumOf(parts) {
  return parts.reduce((sum, { operations }) => sum + operations, 0);
}

/** @type {Column<StageRow>} */
export const LIMIT = {
  title: 'Limited by',
  value: ({ bottleneck }) => bottleneck && shortLimit(bottleneck),
  rank: 2,
};

/** @type {readonly Column<StageRow>[]} */
const COLUMNS = [
  { title: 'Stage', value: ({ name }) => name },
  .../** @type {Column<any>[]} */ (figuresOf('stages')).map((figure) =>
    figure.title === 'Failed attempts' ? { ...figure, colour: colourOfErrors } : figure,
  ),
  { title: 'Share', quantity: 'share', value: ({ share }) => share, rank: 7 },
  { title: 'Highest age', heading: 'Age s', quantity: 'count', value: ({ maxAge }) => maxAge, rank: 13 },
  LIMIT,
];

/**
 * The table of every output that has a row per stage.
 *
 * @param {readonly WritableStage[]} stages
 * @returns {Table<StageRow>}
 */
export function stageTable(stages) {
  return { columns: COLUMNS, rows: rowsOf(stages), bars: 'Rate' };
}

/** @param {StageRow} row */
function colourOfErrors({ failedAttempts, throttled }) {
  return !failedAttempts ? undefined : failedAttempts > (throttled ?? 0) ? 'error' : 'throttling';
}

/**
 * @typedef {{ name: string, of: LatencyKind, what: string, latency: StageLatency }} LatencyRow `latency`: with the
 *   latency of the row in place of that of operations
 */

const LATENCY_FIGURES = /** @type {Column<any>[]} */ (/** @type {unknown} */ (figuresOf('latency')));

/** @type {readonly Column<LatencyRow>[]} */
const LATENCY_COLUMNS = [
  { title: 'Stage', value: ({ name }) => name },
  { title: 'Of', value: ({ what }) => what },
  { title: 'Count', quantity: 'count', value: ({ latency }) => latency.operations?.count },
  ...LATENCY_FIGURES,
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
  return LATENCY_FIGURES.flatMap((column) =>
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
  return { columns: LATENCY_COLUMNS, rows };
}
