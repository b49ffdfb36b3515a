import { Histogram, valuesIn } from '../../result/histogram.js';
import { ratesOfStage } from './browser/seconds.js';

/**
 * @import { SecondResult, StageSum } from '../../result/result.js'
 * @import { Rate } from './browser/seconds.js'
 */

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
    for (const [value, count] of valuesIn(histogram)) {
      const row = Math.floor(ROWS_PER_DECADE * Math.log10(Math.max(value, 1) / MICROSECONDS));
      counts.set(row, (counts.get(row) ?? 0) + count);
    }
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
  return {
    stage,
    secondStart: seconds[0].secondStart,
    seconds: seconds.length,
    operations: sum('operations'),
    rate: mean('operations'),
    byteRate: mean('bytes'),
    failedAttempts: sum('failedAttempts'),
    throttled: sum('throttled'),
    ...latencyOf(seconds.filter(({ operations }) => operations > 0)),
  };
}

/** Latency over all operations of the seconds. @param {readonly SecondResult[]} seconds with operations */
function latencyOf(seconds) {
  const [{ p50 = null, p99 = null, maximum = null } = {}] = seconds;
  if (seconds.length < 2) {
    return { p50, p99, maximum };
  }
  const sum = new Histogram();
  for (const { histogram = null } of seconds) {
    if (histogram === null) {
      return { p50: null, p99: null, maximum: null };
    }
    sum.addEncoded(histogram);
  }
  const longest = Math.max(...seconds.map((second) => second.maximum ?? 0));
  const of = (/** @type {number} */ percentile) => Math.min(sum.at(percentile), longest);
  return { p50: of(50), p99: of(99), maximum: longest };
}

/** @param {readonly StageSum[]} stages */
export function summarizeSeconds(stages) {
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
