import { counted, percent } from '../../text/figures.js';
import { plainLine } from '../../text/plain-text.js';
import { DIFFERENCE_COLUMNS } from '../compare-text.js';
import { sideSentences, sideTable } from '../side-by-side.js';
import { intervalOf, verdictColumns, verdictSentence } from '../verdicts.js';
import { ratesOfStage } from './browser/seconds.js';
import { chartTable, table } from './figures.js';
import { headings, html } from './markup.js';
import { formatPage } from './page.js';
import { plot, stageKey } from './plot.js';
import { summarizeSeconds } from './seconds-summary.js';
import { thresholdsSection } from './table-sections.js';
import { STRETCH_COLUMNS } from './time-section.js';

/**
 * @import { Comparison, MetricComparison, SideBySide } from '../../model/comparison.js'
 * @import { InterleavedComparison } from '../../model/interleaved.js'
 * @import { WritableResult } from '../../model/write-result.js'
 * @import { ComparedStage } from '../verdicts.js'
 * @import { Section } from './page.js'
 *
 * @typedef {{ name: string, result: Pick<WritableResult, 'stages'> }} Named
 *
 * @typedef {object} ComparedLines a stage of several runs over time, as the page draws it
 * @property {string} stage
 * @property {string[]} names of the runs
 * @property {(number | null)[][]} rates ops/s per second of each run, from the start of the stage
 */

const METHOD = (/** @type {{ margin: number, confidence: number }} */ { margin, confidence }) =>
  html`The interval contains the true ratio with ${percent(confidence)} confidence. A figure is the same if its whole
  interval is within ${percent(margin)} of no change; a difference is proven with ${percent(confidence)} confidence for
  all figures together.`;

/**
 * @param {Comparison} comparison
 * @param {Pick<WritableResult, 'stages'>} before
 * @param {Pick<WritableResult, 'stages'>} after
 * @returns {Generator<string, void, undefined>} the page in chunks
 */
export function comparisonPage(comparison, before, after) {
  const { margin, stages: all } = comparison;
  const names = [comparison.before.name, comparison.after.name].map(plainLine);
  const stages = all.filter(({ kindOf }) => kindOf === undefined);
  const sides = { label: 'After', reference: 'before', margin };
  return formatPage({
    title: `r2-benchmark: ${names[0]} and ${names[1]}`,
    header: html`<p class="eyebrow">r2-benchmark comparison: ${names[0]} before, ${names[1]} after</p>
      ${headings(stages.length === 0 ? ['Nothing can be compared'] : stages.map((stage) => verdictSentence(stage, sides)))} `,
    sections: [
      differencesSection(comparison),
      ratiosSection(all, ['Before', 'After'], margin),
      thresholdsSection(comparison),
      overTimeSection(stages, [
        { name: names[0], result: before },
        { name: names[1], result: after },
      ]),
      methodSection(
        html`<p>
          A ratio is after ÷ before: above 1, a rate is faster and a latency is slower. ${METHOD(comparison)} It does
          not cover the variation between runs. Correlated seconds count as fewer independent ones.
        </p> `,
      ),
    ].filter((section) => section !== null),
    data: {},
  });
}

/**
 * The page of any number of results next to each other.
 *
 * @param {SideBySide} all
 * @returns {Generator<string, void, undefined>} the page in chunks
 */
export function sideBySidePage(all) {
  const { sides } = all;
  const compared = sides.flatMap(({ comparison }) => comparison ?? []);
  const sentences = sideSentences(all);
  const stages = [...new Set(sides.flatMap(({ result }) => result.stages.map(({ stage }) => stage)))];
  const runs = sides.map(({ label, result }) => ({ name: plainLine(label), result }));
  return formatPage({
    title: `r2-benchmark: ${sides.length} results`,
    header: html`<p class="eyebrow">r2-benchmark: ${counted(sides.length, 'result')} side by side</p>
      ${headings(sentences.length === 0 ? ['No difference is proven'] : sentences)} `,
    sections: [
      { id: 'results', title: 'Results', body: table('Results side by side', sideTable(all)) },
      overTimeSection(
        stages.map((stage) => ({ stage })),
        runs,
      ),
      methodSection(
        html`<p>
          A ratio is the rate ÷ that of the reference. ${METHOD(compared[0])} It does not cover the variation between
          runs. Columns before the figures are what differs between the results.
        </p> `,
      ),
    ],
    data: {},
  });
}

/**
 * The page of an `ab` comparison.
 *
 * @param {InterleavedComparison} comparison
 * @returns {Generator<string, void, undefined>} the page in chunks
 */
export function interleavedPage(comparison) {
  const { before, after, stages, margin, quads, quadsPlanned, problems } = comparison;
  const [a, b] = [before, after].map(({ name }) => (name === '' ? 'no options of its own' : name));
  const sides = { label: 'B', reference: 'A', margin };
  return formatPage({
    title: `r2-benchmark: ${a} and ${b}`,
    header: html`<p class="eyebrow">r2-benchmark ab: A is ${a}, B is ${b}</p>
      ${headings(stages.length === 0 ? ['Nothing can be compared'] : stages.map((stage) => verdictSentence(stage, sides)))} `,
    sections: [
      ...(stages.length === 0 ? [] : [ratiosSection(stages, ['A', 'B'], margin)]),
      methodSection(
        html`<p>
            ${quads.length} of ${counted(quadsPlanned, 'quad')} were completed, each with four turns:
            ${quads.map(({ order }) => order).join(' ')}. Figures of A and B are geometric means over their turns; a
            ratio is B ÷ A. ${METHOD(comparison)}
          </p>
          ${problems.map((problem) => html`<p>${problem}</p>`)} `,
      ),
    ],
    data: {},
  });
}

/**
 * @param {Section['body']} body
 * @returns {Section}
 */
function methodSection(body) {
  return { id: 'method', title: 'Method', body };
}

/**
 * @param {readonly ComparedStage[]} stages
 * @param {[string, string]} names of the sides
 * @param {number} margin
 * @returns {Section}
 */
function ratiosSection(stages, [before, after], margin) {
  const span = spanOf(stages);
  const columns = verdictColumns(before, after).map((column, index) => ({
    ...column,
    ...((index === 1 || index === 2) && {
      markup: (/** @type {MetricComparison} */ row) =>
        html`<data value="${index === 1 ? row.before : row.after}">${String(column.value(row))}</data>`,
    }),
    ...(column.value === intervalOf && {
      markup: (/** @type {MetricComparison} */ row) => html`${intervalOf(row)} ${intervalMark(row, span, margin)}`,
    }),
    ...(column.title === 'Verdict' && {
      markup: (/** @type {MetricComparison} */ { verdict, reason }) =>
        html`<span class="${CLASSES[verdict] ?? ''}">${verdict}</span>${reason === null ? null : html`: ${reason}`}`,
    }),
  }));
  const body = html`${stages.map(
    ({ stage, metrics }) =>
      html`<h3>${stage}</h3>
        ${table(`${stage}: ${after} ÷ ${before}`, { columns, rows: metrics })}`,
  )}`;
  return { id: 'ratios', title: 'Ratios', body };
}

/** @type {Readonly<Record<string, string>>} */
const CLASSES = { faster: 'passed', fewer: 'passed', slower: 'missed', more: 'missed' };

/** Width of an interval's mark, in pixels. */
const MARK_WIDTH = 120;
const MARK_MIDDLE = 8;

/** Axes end at these ratios and their inverses. */
const SPANS = [1.1, 1.25, 1.5, 2, 5, 10];

/** The narrowest axis that fits all stages, to make them comparable. @param {readonly ComparedStage[]} stages */
function spanOf(stages) {
  const ends = stages
    .flatMap(({ metrics }) => metrics.flatMap(({ low, high }) => [low ?? 1, high ?? 1]))
    .filter((end) => end > 0);
  const widest = ends.reduce((most, end) => Math.max(most, end, 1 / end), 1);
  return SPANS.find((span) => span >= widest) ?? SPANS[SPANS.length - 1];
}

/**
 * The interval as a line on a logarithmic axis, whose middle is no change.
 *
 * @param {MetricComparison} row
 * @param {number} span
 * @param {number} margin
 */
function intervalMark({ low, high }, span, margin) {
  const x = (/** @type {number} */ ratio) => {
    const position = (Math.log(Math.max(ratio, 1e-9)) / Math.log(span) + 1) / 2;
    return (Math.min(Math.max(position, 0), 1) * MARK_WIDTH).toFixed(1);
  };
  const [from, to] = [x(1 / (1 + margin)), x(1 + margin)];
  return html`<svg class="interval" viewBox="0 0 ${MARK_WIDTH} 16" width="${MARK_WIDTH}" height="16" aria-hidden="true">
    <rect x="${from}" width="${(Number(to) - Number(from)).toFixed(1)}" height="16" />
    <line class="none" x1="${x(1)}" x2="${x(1)}" y2="16" />
    <line x1="${x(low ?? 0)}" x2="${x(high ?? Infinity)}" y1="${MARK_MIDDLE}" y2="${MARK_MIDDLE}" />
  </svg>`;
}

/**
 * @param {Comparison} comparison
 * @returns {Section | null} null if nothing differs
 */
function differencesSection({ differences, mismatches, stagesOfOne }) {
  const remarks = [
    ...mismatches.map((mismatch) => `Compared anyway (--force), despite a mismatch: ${mismatch}.`),
    ...Object.entries(stagesOfOne).flatMap(([side, stages]) =>
      stages.length === 0 ? [] : [`Only ${side}: ${stages.join(', ')}.`],
    ),
  ];
  const body = html`${remarks.map((remark) => html`<p>${remark}</p>`)}
  ${differences.length === 0 ? null : table('Properties that differ between the runs', { columns: DIFFERENCE_COLUMNS, rows: differences })}`;
  return differences.length + remarks.length === 0
    ? null
    : { id: 'differences', title: 'Differences between the runs', body };
}

/**
 * @param {readonly { stage: string }[]} stages
 * @param {readonly Named[]} runs
 * @returns {Section}
 */
export function overTimeSection(stages, runs) {
  const lines = stages.map(({ stage }) => ({
    stage,
    names: runs.map(({ name }) => name),
    rates: runs.map(({ result }) => ratesOf(result, stage)),
  }));
  return {
    id: 'comparison',
    title: 'The runs over time',
    body: html`${stageKey(runs.map(({ name }) => ({ stage: name })))}
    ${stages.map(({ stage }, number) => {
      const rows = runs.flatMap(({ name, result }) =>
        summarizeSeconds(stagesNamed(result, stage)).stretches.map((stretch) => ({ ...stretch, stage: name })),
      );
      const columns = STRETCH_COLUMNS.map((column) =>
        column.title === 'Stage' ? { ...column, title: 'Run' } : column,
      );
      return html`<h3>${stage}</h3>
        <p class="readout" data-for="compared-${number}" aria-live="polite">
          Point to the chart, or use the arrow keys, to see the figures for that second.
        </p>
        ${plot(`compared-${number}`, `Operations per second of ${stage} in each run, from its start`)}
        ${chartTable(table(`Operations per second of ${stage}`, { columns, rows }))}`;
    })}`,
    chart: lines,
  };
}

/**
 * @param {Named['result']} result
 * @param {string} name of a stage
 */
function stagesNamed({ stages }, name) {
  return stages.filter(({ stage }) => stage === name).map((stage) => ({ ...stage, seconds: [...stage.seconds] }));
}

/** A day: a longer line would be unreadable. */
const MAX_SECONDS = 24 * 60 * 60;

/**
 * @param {Named['result']} result
 * @param {string} name of a stage
 * @returns {(number | null)[]} ops/s, from the first to the last drawn second; null for a second that is not drawn
 */
function ratesOf(result, name) {
  const [rates = new Map()] = stagesNamed(result, name).map(ratesOfStage);
  const [first = 0, last = -1] = [[...rates.keys()][0], [...rates.keys()].at(-1)];
  const length = Math.min(last - first + 1, MAX_SECONDS);
  return Array.from({ length }, (_, index) => rates.get(first + index)?.operations ?? null);
}
