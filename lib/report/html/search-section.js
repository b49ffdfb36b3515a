import { shownStep } from '../../figures/shown-step.js';
import { agrees } from '../../search/plateau.js';
import { counted, decimal, percent } from '../../text/figures.js';
import { table, chartTable } from './figures.js';
import { html } from './markup.js';
import { plot } from './plot.js';

/**
 * @import { Capacity, MergedRamp, RampResult, Result, SearchResult, StageSum } from '../../model/result.js'
 * @import { ShownStep } from '../../figures/shown-step.js'
 * @import { Column } from '../../figures/table.js'
 * @import { Section } from './page.js'
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

/** @type {(unit: string) => readonly Column<ShownStep>[]} */
const columnsFor = (unit) => [
  { title: 'Step', value: ({ what }) => what },
  { title: unit, quantity: 'count', value: ({ x }) => x },
  { title: 'Rate', quantity: 'rate', value: ({ operationsPerSecond }) => operationsPerSecond },
  { title: 'p50', quantity: 'time', value: ({ p50 }) => p50 },
  { title: 'p99', quantity: 'time', value: ({ p99 }) => p99 },
  { title: 'Failed attempts', quantity: 'count', value: ({ errors }) => errors },
  { title: 'Throttled', quantity: 'count', value: ({ throttled }) => throttled },
];

/**
 * @param {Result} result
 * @returns {Section | null} null without a search or a ramp
 */
export function searchSection({ stages }) {
  const curves = stages.flatMap(curvesOf);
  return curves.length === 0
    ? null
    : {
        id: 'capacity',
        title: 'Capacity',
        body: html`${curves.map(
          (curve, index) =>
            html`<h3>${curve.stage}</h3>
              <p>${curve.finding}</p>
              <p class="readout" data-for="capacity-${index}" aria-live="polite">
                Point to a chart, or use the arrow keys, to see the figures for that step.
              </p>
              ${plot(`steps-rate-${index}`, `Operations per second by ${curve.unit}`)}
              ${plot(`steps-latency-${index}`, `Latency in ms by ${curve.unit}`, ['p50', 'p99'])}
              ${chartTable(table(`Steps of ${curve.stage}`, { columns: columnsFor(curve.unit), rows: curve.steps }))}`,
        )}`,
        chart: curves,
      };
}

/**
 * @param {StageSum} stage
 * @param {number} index
 * @returns {Curve[]}
 */
function curvesOf(stage, index) {
  const { search, ramp, merge } = stage;
  if (search) {
    return [{ stage: stage.stage, index, ...curveOfSearch(search) }];
  }
  return !ramp ? [] : [{ stage: stage.stage, index, ...curveOfRamp(ramp, merge?.ramp ?? null) }];
}

/** @param {SearchResult} search */
function curveOfSearch({ steps, knee, hasPlateau, capacity, best, rate: highest }) {
  if (highest === undefined) {
    const finding = findingOf({ knee, hasPlateau, capacity, best });
    return {
      unit: 'threads',
      steps: steps.map((step) => shownStep(step)),
      knee,
      hasPlateau,
      capacity,
      slo: null,
      finding,
    };
  }
  const { operationsPerSecond, interval, slo, evidence } = highest;
  const limit = interval === null || operationsPerSecond === null ? null : { ...interval, operationsPerSecond };
  const found = { knee: null, hasPlateau: false, capacity: limit, slo, finding: sentence(evidence) };
  return { unit: 'requested ops/s', steps: steps.map((step) => shownStep(step, 'rate')), ...found };
}

/**
 * @param {RampResult} ramp
 * @param {MergedRamp | null} merged
 * @returns {Omit<Curve, 'stage' | 'index'>}
 */
function curveOfRamp({ steps }, merged) {
  const curve = steps.map((step, index) => {
    const shown = shownStep(step);
    const { operationsPerSecond = shown.operationsPerSecond, counts = shown.counts } = merged?.slots[index] ?? {};
    return { ...shown, operationsPerSecond, counts };
  });
  const { knee = null, hasPlateau = false, capacity = null } = merged ?? {};
  const finding = merged === null ? 'These steps cover only this host.' : findingOf({ knee, hasPlateau, capacity });
  return { unit: 'threads', steps: curve, knee, hasPlateau, capacity, slo: null, finding };
}

/** @param {{ knee: number | null, hasPlateau: boolean, capacity: Capacity | null, best?: number }} found */
function findingOf({ knee, hasPlateau, capacity, best }) {
  if (capacity === null) {
    return 'No capacity was found.';
  }
  const { operationsPerSecond, low, high, confidence, threads } = capacity;
  const held = `${decimal(operationsPerSecond)} ops/s with ${counted(threads, 'thread')}, ${percent(confidence)} interval ${decimal(low)} to ${decimal(high)}`;
  if (best !== undefined && !agrees(operationsPerSecond, best)) {
    return `The hold contradicts the best step of ${decimal(best)} ops/s: ${held}. Run again.`;
  }
  return hasPlateau && knee !== null
    ? `More than ${counted(knee, 'thread')} were not faster: ${held}.`
    : `There was no plateau, so the capacity is at least ${held}.`;
}

/** @param {string} evidence of a result, in lower case and without a full stop */
function sentence(evidence) {
  return evidence === '' ? '' : `${evidence[0].toUpperCase()}${evidence.slice(1)}.`;
}
