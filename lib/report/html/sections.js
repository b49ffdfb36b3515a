import { columnOf, within } from '../../result/figures/catalogue.js';
import { capacityOf, latencyTable } from '../../result/figures/stage-table.js';
import { shownStep } from '../../result/figures/shown-step.js';
import { Histogram } from '../../result/histogram.js';
import { counted } from '../../text/figures.js';
import { THRESHOLD_COLUMNS } from '../compare-text.js';
import { headlinesOf } from '../headline.js';
import { SHARE_COLUMNS } from '../merge-text.js';
import { chartTable, plot, readout, stageKey, table } from './figures.js';
import { html } from './markup.js';

/**
 * @import { ShownStep } from '../../result/figures/shown-step.js'
 * @import { Column } from '../../result/figures/table.js'
 * @import { NotedOperation, Result, SecondResult, StageShare, StageSum } from '../../result/result.js'
 * @import { Section } from './page.js'
 */

/**
 * @typedef {object} Percentiles of a stage
 * @property {string} stage
 * @property {number} index of the stage
 * @property {number[]} nines positions on the percentile axis, ascending
 * @property {number[]} latencies ms
 *
 * @typedef {object} Curve of a stage, as the page draws it
 * @property {string} stage
 * @property {number} index of the stage
 * @property {string} unit of x
 * @property {ShownStep[]} steps
 * @property {number | null} knee
 * @property {boolean} hasPlateau
 * @property {{ operationsPerSecond: number, low: number, high: number, threads?: number } | null} capacity
 * @property {number | null} slo p99 limit in ms
 * @property {string} finding
 */

/**
 * @param {Result} result
 * @returns {Section | null} null if no seconds are known
 */
export function timeSection({ stages }) {
  const seconds = stages.flatMap((stage) => stage.seconds);
  const latencies = latencyMapOf(seconds);
  const hasLatency = seconds.some(({ p50 }) => typeof p50 === 'number');
  const hasFailures = seconds.some(({ failedAttempts = 0 }) => failedAttempts > 0);
  const hasDue = seconds.some(({ due }) => due !== undefined);
  const body = html`${readout('time')} ${stageKey(stages)}
  ${plot('rate', 'Operations per second', hasDue ? ['due'] : [])}
  ${hasFailures ? plot('failures', 'Failed attempts per second', ['throttled', 'other']) : null}
  ${hasLatency ? plot('latency', 'Latency per second, in ms', ['p50', 'p99', 'longest']) : null}
  ${latencies && plot('latency-map', 'Operations by time and latency: darker means more (lighter on a dark page)')}`;
  return seconds.length === 0 ? null : { id: 'time', title: 'Over time', body, chart: { latencies } };
}

/** Distance between points on the percentile axis, where 1 is 90%, 2 is 99%, and so on. */
const NINES_STEP = 0.05;
const MAX_NINES = 6;

/**
 * @param {Result} result
 * @returns {Section | null} null if no stage has a histogram
 */
export function latencySection({ stages }) {
  const known = stages.flatMap(percentilesOf);
  const body = html`${readout('latency')} ${stageKey(stages)}
  ${plot('percentiles', 'Latency in ms by percentile: each step to the right is one more nine')}
  ${chartTable(table('Percentiles of each stage', latencyTable(stages)))}`;
  return known.length === 0 ? null : { id: 'latency', title: 'Latency by percentile', body, chart: known };
}

/**
 * @param {StageSum} stage
 * @param {number} index of the stage
 * @returns {Percentiles[]} empty without a histogram
 */
function percentilesOf({ stage, latency }, index) {
  const { operations: summary, histogram } = latency;
  if (summary === null || histogram.operations === null) {
    return [];
  }
  const sum = Histogram.decode(histogram.operations);
  // The last percentile is the one that only a single operation exceeds.
  const highest = Math.min(Math.log10(Math.max(summary.count, 1)), MAX_NINES);
  const nines = Array.from({ length: Math.floor(highest / NINES_STEP) + 1 }, (_, step) => step * NINES_STEP);
  return [{ stage, index, nines, latencies: nines.map((each) => within(sum.at(100 * (1 - 10 ** -each)), summary)) }];
}

/** @type {(unit: string) => readonly Column<ShownStep>[]} */
const stepColumns = (unit) => [
  { title: 'Step', value: ({ what }) => what },
  { title: unit, quantity: 'count', value: ({ x }) => x },
  columnOf('rate', ({ operationsPerSecond }) => operationsPerSecond),
  columnOf('p50', ({ p50 }) => p50),
  columnOf('p99', ({ p99 }) => p99),
  columnOf('errors', ({ errors }) => errors),
  columnOf('throttled', ({ throttled }) => throttled),
];

/**
 * @param {Result} result
 * @returns {Section | null} null without a search or a ramp
 */
export function searchSection({ stages }) {
  const curves = stages.flatMap(curvesOf);
  const parts = curves.map(
    ({ stage, unit, steps, finding }, index) =>
      html`<h3>${stage}</h3>
        <p>${finding}</p>
        ${
          steps.some(({ counts }) => counts)
            ? html`${readout(`capacity-${index}`)} ${plot(`steps-rate-${index}`, `Operations per second by ${unit}`)}
              ${plot(`steps-latency-${index}`, `Latency in ms by ${unit}`, ['p50', 'p99'])}`
            : ''
        }
        ${chartTable(table(`Steps of ${stage}`, { columns: stepColumns(unit), rows: steps }))}`,
  );
  return curves.length === 0 ? null : { id: 'capacity', title: 'Capacity', body: html`${parts}`, chart: curves };
}

/**
 * @param {StageSum} stage
 * @param {number} index
 * @returns {Curve[]} empty without a search or a ramp
 */
function curvesOf(stage, index) {
  const { search, ramp, merge } = stage;
  const { steps = null } = search ?? ramp ?? {};
  const rate = search?.rate;
  const { knee = null, hasPlateau = false } = (rate === undefined && (search ?? merge?.ramp)) || {};
  const shown = (steps ?? []).map((step, at) => ({
    ...shownStep(step, rate && 'rate'),
    ...(merge?.ramp && {
      operationsPerSecond: merge.ramp.slots[at].operationsPerSecond,
      counts: merge.ramp.slots[at].counts,
    }),
  }));
  // Without a confidence, the interval's upper end is a rate that failed.
  const ofRate = rate?.interval && rate.interval.confidence !== null ? rate.interval : null;
  const foundRate = ofRate && { ...ofRate, operationsPerSecond: Number(rate?.operationsPerSecond) };
  const capacity = rate === undefined ? capacityOf(stage) : foundRate;
  const found = { knee, hasPlateau, capacity, slo: rate?.slo ?? null, finding: findingOf(stage, knee) };
  const unit = rate === undefined ? 'threads' : 'requested ops/s';
  return steps === null ? [] : [{ stage: stage.stage, index, unit, steps: shown, ...found }];
}

/**
 * @param {StageSum} stage
 * @param {number | null} knee
 */
function findingOf(stage, knee) {
  const { search, ramp, merge } = stage;
  if (search?.rate) {
    const { evidence } = search.rate;
    return evidence && `${evidence[0].toUpperCase()}${evidence.slice(1)}.`;
  }
  if (capacityOf(stage) === null) {
    return ramp && !merge?.ramp ? 'These steps cover only this host.' : 'No capacity was found.';
  }
  const plateau = knee === null ? '' : `; more than ${counted(knee, 'thread')} were not faster`;
  return `${headlinesOf({ stages: [stage], hosts: [] })[0]}${plateau}.`;
}

/** Columns of the latency map: about as many as fit on a page. */
const MAX_COLUMNS = 400;

const ROWS_PER_DECADE = 12;

const MICROSECONDS = 1000;

/**
 * @typedef {object} LatencyMap operations by time and latency
 * @property {number} from epoch s
 * @property {number} columnSeconds width of a column
 * @property {number[]} edges ms: the lower edge of each row, then the upper edge of the last
 * @property {[column: number, row: number, count: number][]} cells non-empty cells
 *
 * @param {readonly SecondResult[]} seconds
 * @returns {LatencyMap | null} null without histograms
 */
function latencyMapOf(seconds) {
  const known = seconds.filter(({ histogram }) => typeof histogram === 'string');
  const starts = known.map(({ secondStart }) => secondStart).sort((one, other) => one - other);
  const [from, last] = [starts[0], starts[starts.length - 1]];
  const columnSeconds = Math.ceil((last + 1 - from) / MAX_COLUMNS);
  /** Counts by row, for each column. @type {Map<number, number>[]} */
  const columns = [];
  for (const { secondStart, histogram } of known) {
    const counts = (columns[Math.floor((secondStart - from) / columnSeconds)] ??= new Map());
    const { values, counts: numbers } = Histogram.decode(String(histogram)).valueCounts();
    for (const [index, value] of values.entries()) {
      const row = Math.floor(ROWS_PER_DECADE * Math.log10(Math.max(value, 1) / MICROSECONDS));
      counts.set(row, (counts.get(row) ?? 0) + numbers[index]);
    }
  }
  const rows = columns.flatMap((counts) => [...counts.keys()]).sort((one, other) => one - other);
  const [lowest, highest] = [rows[0], rows[rows.length - 1]];
  return rows.length === 0
    ? null
    : {
        ...{ from, columnSeconds },
        edges: Array.from({ length: highest - lowest + 2 }, (_, index) => 10 ** ((lowest + index) / ROWS_PER_DECADE)),
        cells: columns.flatMap((counts, column) =>
          [...counts].map(([row, count]) => /** @type {[number, number, number]} */ ([column, row - lowest, count])),
        ),
      };
}

/** Maximum number of hosts in the table. */
const MAX_HOSTS = 50;

/**
 * @param {Result} result
 * @returns {Section | null} null for a single host
 */
export function hostsSection({ stages }) {
  const shares = stages.flatMap(({ stage, merge }) => (merge?.shares ?? []).map((share) => ({ ...share, stage })));
  const names = [...new Set(shares.map(({ host }) => host))];
  const shown = names.slice(0, MAX_HOSTS);
  /** @type {readonly Column<StageShare & { stage: string }>[]} */
  const columns = [SHARE_COLUMNS[0], { title: 'Stage', value: ({ stage }) => stage }, ...SHARE_COLUMNS.slice(1)];
  const rows = shares.filter(({ host }) => shown.includes(host));
  const title =
    shown.length < names.length ? `The first ${MAX_HOSTS} of ${counted(names.length, 'host')}` : 'Show as a table';
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
