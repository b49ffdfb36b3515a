import { counted, decimal, percent } from '../../text/figures.js';
import { count, milliseconds, rate, table, tableBehind } from './figures.js';
import { html } from './markup.js';
import { plot } from './plot.js';

/**
 * @import { Capacity, MergedRamp, RampResult, Result, SearchResult, StageSum } from '../../model/result.js'
 * @import { Column } from './figures.js'
 * @import { Section } from './page.js'
 */

/**
 * What was tried, and what came of it.
 *
 * @typedef {object} Step
 * @property {string} what for
 * @property {number | null} x what was varied: threads, buckets, or the rate that was asked for; null in a step that left it open
 * @property {number} operationsPerSecond
 * @property {number | null} p50 ms
 * @property {number | null} p99 ms
 * @property {number} errors failed attempts
 * @property {number} throttled
 * @property {boolean} counts whether it is a point of the curve
 */

/**
 * The curve of a stage, as the page draws it.
 *
 * @typedef {object} Curve
 * @property {string} stage
 * @property {number} place among all stages
 * @property {string} unit of what was varied
 * @property {Step[]} steps
 * @property {number | null} knee
 * @property {boolean} hasPlateau
 * @property {{ operationsPerSecond: number, low: number, high: number } | null} capacity
 * @property {number | null} slo ms that the 99th percentile may reach
 * @property {string} finding
 */

/** Phases whose steps show how the rate depends on what is varied. */
const PHASES_OF_CURVE = ['ramp', 'refine', 'hold'];

/**
 * @param {string} unit
 * @returns {readonly Column<Step>[]}
 */
const columnsFor = (unit) => [
  { title: 'Step', kind: 'text', cell: ({ what }) => what },
  { title: unit, cell: ({ x }) => count(x) },
  { title: 'Rate', unit: 'ops/s', cell: ({ operationsPerSecond }) => rate(operationsPerSecond) },
  { title: 'p50', unit: 'ms', cell: ({ p50 }) => milliseconds(p50) },
  { title: 'p99', unit: 'ms', cell: ({ p99 }) => milliseconds(p99) },
  { title: 'Failed attempts', cell: ({ errors }) => count(errors) },
  { title: 'Throttled', cell: ({ throttled }) => count(throttled) },
];

/**
 * Rate and latency against what a search, or a ramp, has varied.
 *
 * @param {Result} result
 * @returns {Section | null} null where nothing was varied
 */
export function searchSection({ stages }) {
  const curves = stages.flatMap(curvesOf);
  return curves.length === 0
    ? null
    : {
        id: 'capacity',
        title: 'Capacity',
        body: html`${curves.map(
          (curve, place) =>
            html`<h3>${curve.stage}</h3>
              <p>${curve.finding}</p>
              <p class="readout" data-for="capacity-${place}" aria-live="polite">
                Point at a chart, or move through it with the arrow keys, to read off a step.
              </p>
              ${plot(`steps-rate-${place}`, `Operations a second against ${curve.unit}`)}
              ${plot(`steps-latency-${place}`, `Latency in ms against ${curve.unit}`, ['p50', 'p99'])}
              ${tableBehind(table({ caption: `Steps of ${curve.stage}`, columns: columnsFor(curve.unit), rows: curve.steps }))}`,
        )}`,
        chart: curves,
      };
}

/**
 * @param {StageSum} stage
 * @param {number} place
 * @returns {Curve[]}
 */
function curvesOf(stage, place) {
  const { search, ramp, merge } = stage;
  if (search) {
    return [{ stage: stage.stage, place, ...curveOfSearch(search) }];
  }
  return !ramp ? [] : [{ stage: stage.stage, place, ...curveOfRamp(ramp, merge?.ramp ?? null) }];
}

/**
 * @param {SearchResult} search
 * @returns {Omit<Curve, 'stage' | 'place'>}
 */
function curveOfSearch({ steps, knee, hasPlateau, capacity, dimension, buckets, rate: highest }) {
  const of = dimension ?? 'threads';
  const curve = steps.map((step) => ({
    what: step.phase,
    x: step[of] ?? null,
    operationsPerSecond: step.operationsPerSecond,
    p50: step.p50,
    p99: step.p99,
    errors: step.errors,
    throttled: step.throttled,
    counts: PHASES_OF_CURVE.includes(step.phase) && step[of] !== undefined,
  }));
  if (highest !== undefined) {
    const interval =
      highest.interval === null || highest.operationsPerSecond === null
        ? null
        : { ...highest.interval, operationsPerSecond: highest.operationsPerSecond };
    return {
      unit: 'ops/s asked for',
      steps: curve,
      knee: null,
      hasPlateau: false,
      capacity: interval,
      slo: highest.slo,
      finding: sentence(highest.evidence),
    };
  }
  if (buckets !== undefined) {
    return {
      unit: 'buckets',
      steps: curve,
      knee: null,
      hasPlateau: false,
      capacity: null,
      slo: null,
      finding: sentence(buckets.evidence),
    };
  }
  return {
    unit: 'threads',
    steps: curve,
    knee,
    hasPlateau,
    capacity,
    slo: null,
    finding: findingOf({ knee, hasPlateau, capacity }),
  };
}

/**
 * @param {RampResult} ramp
 * @param {MergedRamp | null} merged
 * @returns {Omit<Curve, 'stage' | 'place'>}
 */
function curveOfRamp({ of, steps }, merged) {
  const isOfHosts = of === 'hosts';
  const curve = steps.map(({ threads, hosts, operations, latency, errors, throttled, shortfall }, place) => ({
    what: isOfHosts ? `${hosts} hosts` : 'slot',
    x: isOfHosts ? hosts : threads,
    operationsPerSecond:
      merged?.slots[place]?.operationsPerSecond ??
      operations.reduce((sum, each) => sum + each, 0) / Math.max(operations.length, 1),
    p50: latency?.p50 ?? null,
    p99: latency?.p99 ?? null,
    errors,
    throttled,
    counts: merged?.slots[place]?.counts ?? shortfall === null,
  }));
  const { knee = null, hasPlateau = false, capacity = null } = merged ?? {};
  return {
    unit: isOfHosts ? 'hosts' : 'threads',
    steps: curve,
    knee: isOfHosts ? null : knee,
    hasPlateau,
    capacity,
    slo: null,
    finding: merged === null ? 'The steps of this host alone.' : findingOf({ knee, hasPlateau, capacity }),
  };
}

/** @param {{ knee: number | null, hasPlateau: boolean, capacity: Capacity | null }} found */
function findingOf({ knee, hasPlateau, capacity }) {
  if (capacity === null) {
    return 'No capacity was found.';
  }
  const { operationsPerSecond, low, high, confidence, threads } = capacity;
  const held = `${decimal(operationsPerSecond)} ops/s with ${counted(threads, 'thread')}, ${percent(confidence)} interval ${decimal(low)} to ${decimal(high)}`;
  return hasPlateau && knee !== null
    ? `More than ${counted(knee, 'thread')} brought no more: ${held}.`
    : `The capacity is higher than what was found, for there was no plateau: ${held}.`;
}

/** @param {string} evidence of a result, which begins in lower case and has no end */
function sentence(evidence) {
  return evidence === '' ? '' : `${evidence[0].toUpperCase()}${evidence.slice(1)}.`;
}
