import { columnOf, within } from '../../result/figures/catalogue.js';
import { latencyTable } from '../../result/figures/latency-table.js';
import { shownStep } from '../../result/figures/shown-step.js';
import { capacityOf } from '../../result/figures/stage-table.js';
import { Histogram } from '../../result/histogram.js';
import { addSecondLatencies } from '../../result/seconds.js';
import { agrees } from '../../measure/statistics/plateau.js';
import { counted } from '../../text/figures.js';
import { formatTimeOfDay } from '../../text/units.js';
import { headlinesOf } from '../headline.js';
import { ratesOfStage } from './browser/seconds.js';
import { chartTable, plot, readout, stageKey, table } from './figures.js';
import { html } from './markup.js';

/**
 * @import { ShownStep } from '../../result/figures/shown-step.js'
 * @import { Column } from '../../result/figures/table.js'
 * @import { Result, SecondResult, StageSum } from '../../result/result.js'
 * @import { Rate } from './browser/seconds.js'
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

/** @type {readonly Column<Stretch>[]} */
const STRETCH_COLUMNS = [
  { title: 'From UTC', value: ({ secondStart }) => formatTimeOfDay(Math.floor(secondStart)) },
  { title: 'Stage', value: ({ stage }) => stage },
  { title: 'Seconds', quantity: 'count', value: ({ seconds }) => seconds },
  columnOf('operations', ({ operations }) => operations),
  columnOf('rate', ({ rate }) => rate),
  columnOf('throughput', ({ byteRate }) => byteRate),
  columnOf('p50', ({ p50 }) => p50),
  columnOf('p99', ({ p99 }) => p99),
  columnOf('max', ({ maximum }) => maximum),
  columnOf('errors', ({ failedAttempts }) => failedAttempts),
  columnOf('throttled', ({ throttled }) => throttled),
];

/**
 * @param {Result} result
 * @returns {Section | null} null if no seconds are known
 */
export function timeSection({ stages }) {
  const { latencies, stretches } = summarizeSeconds(stages);
  const seconds = stages.flatMap((stage) => stage.seconds);
  const hasLatency = seconds.some(({ p50 }) => typeof p50 === 'number');
  const hasFailures = seconds.some(({ failedAttempts = 0 }) => failedAttempts > 0);
  const hasDue = seconds.some(({ due }) => due !== undefined);
  const body = html`${readout('time')} ${stageKey(stages)}
  ${plot('rate', 'Operations per second', hasDue ? ['due'] : [])}
  ${hasFailures ? plot('failures', 'Failed attempts per second', ['throttled', 'other']) : null}
  ${hasLatency ? plot('latency', 'Latency per second, in ms', ['p50', 'p99', 'longest']) : null}
  ${latencies && plot('latency-map', 'Operations by time and latency: darker means more (lighter on a dark page)')}
  ${chartTable(table('Stages over time', { columns: STRETCH_COLUMNS, rows: stretches }))}`;
  return stretches.length === 0 ? null : { id: 'time', title: 'Over time', body, chart: { latencies } };
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
        ${readout(`capacity-${index}`)} ${plot(`steps-rate-${index}`, `Operations per second by ${unit}`)}
        ${plot(`steps-latency-${index}`, `Latency in ms by ${unit}`, ['p50', 'p99'])}
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
  const capacity = capacityOf(stage);
  const isContradicted =
    search !== undefined && capacity !== null && !agrees(capacity.operationsPerSecond, search.best);
  return `${headlinesOf({ stages: [stage], hosts: [] })[0]}${plateau}.${isContradicted ? ' Run again.' : ''}`;
}

/** Columns of the latency map: about as many as fit on a page. */
const MAX_COLUMNS = 400;

const ROWS_PER_DECADE = 12;

/** Maximum table rows per stage. */
const MAX_STRETCHES = 60;

const MICROSECONDS = 1000;

/**
 * @typedef {object} LatencyMap operations by time and latency
 * @property {number} from epoch s
 * @property {number} columnSeconds width of a column
 * @property {number} columns
 * @property {number[]} edges ms: the lower edge of each row, then the upper edge of the last
 * @property {[column: number, row: number, count: number][]} cells non-empty cells
 */

class LatencyMapBuilder {
  #from;
  #columns;
  #columnSeconds;
  /** Counts by row, for each column. @type {Map<number, number>[]} */
  #counts;

  /**
   * @param {number} from epoch s
   * @param {number} until epoch s
   */
  constructor(from, until) {
    this.#from = from;
    this.#columnSeconds = Math.max(Math.ceil((until - from) / MAX_COLUMNS), 1);
    this.#columns = Math.max(Math.ceil((until - from) / this.#columnSeconds), 1);
    this.#counts = Array.from({ length: this.#columns }, () => new Map());
  }

  /**
   * @param {number} second
   * @param {string} histogram encoded
   */
  add(second, histogram) {
    const counts = this.#counts[Math.floor((second - this.#from) / this.#columnSeconds)];
    const { values, counts: numbers } = Histogram.decode(histogram).valueCounts();
    values.forEach((value, index) => {
      const row = Math.floor(ROWS_PER_DECADE * Math.log10(Math.max(value, 1) / MICROSECONDS));
      counts.set(row, (counts.get(row) ?? 0) + numbers[index]);
    });
  }

  /** @returns {LatencyMap | null} null if it is empty */
  build() {
    const rows = this.#counts.flatMap((counts) => [...counts.keys()]);
    if (rows.length === 0) {
      return null;
    }
    const [lowest, highest] = rows.reduce(
      ([low, high], row) => [Math.min(low, row), Math.max(high, row)],
      [Infinity, -Infinity],
    );
    return {
      from: this.#from,
      columnSeconds: this.#columnSeconds,
      columns: this.#columns,
      edges: Array.from({ length: highest - lowest + 2 }, (_, index) => 10 ** ((lowest + index) / ROWS_PER_DECADE)),
      cells: this.#counts.flatMap((counts, column) =>
        [...counts].map(([row, count]) => /** @type {[number, number, number]} */ ([column, row - lowest, count])),
      ),
    };
  }
}

/**
 * @typedef {object} Stretch several consecutive seconds of a stage
 * @property {string} stage
 * @property {number} secondStart epoch s of the first second
 * @property {number} seconds
 * @property {number} operations
 * @property {number | null} rate mean ops/s of the drawn seconds; null if none is drawn
 * @property {number | null} byteRate bytes/s, likewise
 * @property {number} failedAttempts
 * @property {number} throttled
 * @property {number | null} p50 ms; null if unknown
 * @property {number | null} p99
 * @property {number | null} maximum
 */

/**
 * @param {string} stage
 * @param {readonly SecondResult[]} seconds at least one
 * @param {ReadonlyMap<number, Rate>} rates of the stage, by second
 * @returns {Stretch}
 */
function stretchOf(stage, seconds, rates) {
  const sum = (/** @type {'operations' | 'failedAttempts' | 'throttled'} */ name) =>
    seconds.reduce((total, second) => total + (second[name] ?? 0), 0);
  const drawn = seconds.flatMap(({ secondStart }) => rates.get(secondStart) ?? []);
  const mean = (/** @type {keyof Rate} */ name) =>
    drawn.length === 0 ? null : drawn.reduce((total, rate) => total + rate[name], 0) / drawn.length;
  const { p50, p99, maximum } = addSecondLatencies(seconds.filter(({ operations }) => operations > 0));
  return {
    stage,
    secondStart: seconds[0].secondStart,
    seconds: seconds.length,
    operations: sum('operations'),
    rate: mean('operations'),
    byteRate: mean('bytes'),
    failedAttempts: sum('failedAttempts'),
    throttled: sum('throttled'),
    ...{ p50, p99, maximum },
  };
}

/** @param {readonly StageSum[]} stages */
function summarizeSeconds(stages) {
  const all = stages.flatMap(({ seconds }) => seconds);
  const [from, last] = all.reduce(
    ([earliest, latest], { secondStart }) => [Math.min(earliest, secondStart), Math.max(latest, secondStart)],
    [Infinity, -Infinity],
  );
  if (all.length === 0) {
    return { latencies: null, stretches: [] };
  }
  const latencies = new LatencyMapBuilder(from, last + 1);
  for (const { secondStart, histogram } of all) {
    if (typeof histogram === 'string') {
      latencies.add(secondStart, histogram);
    }
  }
  return { latencies: latencies.build(), stretches: stages.flatMap(stretchesOf) };
}

/** Splits a stage into stretches of equal length; the last may be shorter. @param {StageSum} stage */
function stretchesOf(stage) {
  const { seconds } = stage;
  const rates = ratesOfStage(stage);
  const length = Math.ceil(seconds.length / MAX_STRETCHES);
  const count = seconds.length === 0 ? 0 : Math.ceil(seconds.length / length);
  return Array.from({ length: count }, (_, index) =>
    stretchOf(stage.stage, seconds.slice(index * length, (index + 1) * length), rates),
  );
}
