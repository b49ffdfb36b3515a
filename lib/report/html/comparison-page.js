import { decimal, percent } from '../../text/figures.js';
import { plainLine } from '../../text/plain-text.js';
import { ratesOfStage } from './browser/seconds.js';
import { megabytes, milliseconds, rate, share, table, chartTable, UNKNOWN, figure } from './figures.js';
import { html } from './markup.js';
import { formatPage } from './page.js';
import { plot, stageKey } from './plot.js';
import { thresholdsSection } from './thresholds-section.js';

/**
 * @import { ComparedMetric, Comparison, MetricComparison, StageComparison } from '../../model/comparison.js'
 * @import { WritableResult } from '../../model/write-result.js'
 * @import { Column } from './figures.js'
 * @import { Markup } from './markup.js'
 * @import { Section } from './page.js'
 *
 * @typedef {object} ComparedLine a stage of both runs over time, as the page draws it
 * @property {string} stage
 * @property {[string, string]} names of the runs
 * @property {(number | null)[]} before ops/s per second, from the start of the stage
 * @property {(number | null)[]} after
 */

/**
 * @type {Readonly<Record<ComparedMetric, { title: string, unit: string, format: (value: number | null) => Markup }>>}
 */
const METRICS = {
  rate: { title: 'Rate', unit: 'ops/s', format: rate },
  throughput: { title: 'Throughput', unit: 'MiB/s', format: megabytes },
  p50: { title: 'p50', unit: 'ms', format: milliseconds },
  p90: { title: 'p90', unit: 'ms', format: milliseconds },
  p99: { title: 'p99', unit: 'ms', format: milliseconds },
  p999: { title: 'p99.9', unit: 'ms', format: milliseconds },
  errors: { title: 'Failed attempts', unit: 'share', format: share },
  cpu: { title: 'CPU per operation', unit: 'µs', format: (value) => figure(value, decimal) },
};

/** @typedef {{ before: string, after: string, ratio: string }} SideNames names of the sides and of their ratio */

/** @type {SideNames} */
const RUN_NAMES = { before: 'Before', after: 'After', ratio: 'after ÷ before' };

/**
 * @param {SideNames} names
 * @returns {readonly Column<MetricComparison>[]}
 */
function columnsOf(names) {
  return [
    { title: 'Metric', kind: 'text', cell: ({ metric }) => `${METRICS[metric].title}, ${METRICS[metric].unit}` },
    { title: names.before, cell: ({ metric, before }) => METRICS[metric].format(before) },
    { title: names.after, cell: ({ metric, after }) => METRICS[metric].format(after) },
    { title: 'Ratio', cell: ({ ratio }) => figure(ratio, ratioText) },
    {
      title: 'Interval',
      cell: ({ low, high }) =>
        low === null && high === null
          ? UNKNOWN
          : html`${figure(low ?? 0, ratioText)} to ${high === null ? 'any' : figure(high, ratioText)}`,
    },
    {
      title: 'Verdict',
      kind: 'text',
      cell: ({ verdict, reason }) => (reason === null ? verdict : `${verdict}: ${reason}`),
    },
  ];
}

/**
 * @param {Comparison} comparison
 * @param {WritableResult} before
 * @param {WritableResult} after
 * @returns {Generator<string, void, undefined>} the page in chunks
 */
export function comparisonPage(comparison, before, after) {
  const { margin, confidence } = comparison;
  const stages = comparison.stages.filter(isStage);
  /** @type {[string, string]} */
  const names = [comparison.before.name, comparison.after.name];
  const lines = stages.map(({ stage }) => ({
    stage,
    names: /** @type {[string, string]} */ (names.map(plainLine)),
    before: ratesOf(before, stage),
    after: ratesOf(after, stage),
  }));
  const thresholds = [thresholdsSection(comparison)].filter((section) => section !== null);
  /** @type {Section[]} */
  const sections = [
    ...differencesSection(comparison),
    ratiosSection(comparison, RUN_NAMES),
    ...thresholds,
    {
      id: 'comparison',
      title: 'Both runs over time',
      body: html`${stageKey(names.map((stage) => ({ stage })))}
      ${stages.map(
        ({ stage }, number) =>
          html`<h3>${stage}</h3>
            <p class="readout" data-for="compared-${number}" aria-live="polite">
              Point to the chart, or use the arrow keys, to see the figures for that second.
            </p>
            ${plot(`compared-${number}`, `Operations per second of ${stage} in both runs, from its start`)}
            ${chartTable(table({ caption: `Operations per second of ${stage}`, columns: secondColumns(names), rows: secondRows(lines[number]) }))}`,
      )}`,
      chart: lines,
    },
    {
      id: 'method',
      title: 'Method',
      body: html`<p>
        A ratio is after ÷ before: above 1, a rate is faster and a latency is slower. The interval contains the true
        ratio with ${percent(confidence)} confidence for these two runs; it does not cover the variation between runs. A
        figure is the same if its whole interval is within ${percent(margin)} of no change. Correlated seconds count as
        fewer independent ones.
      </p> `,
    },
  ];
  return formatPage({
    title: `r2-benchmark: ${names[0]} and ${names[1]}`,
    header: html`<p class="eyebrow">r2-benchmark comparison: ${names[0]} before, ${names[1]} after</p>
      <h1>${comparisonAnswer(comparison.stages.filter(isStage), 'After the change,')}</h1> `,
    sections,
    data: {},
  });
}

/** False for a single operation of a mix, which has no seconds. @param {StageComparison} comparison */
function isStage({ kindOf }) {
  return kindOf === undefined;
}

/**
 * @param {readonly ComparedStage[]} stages
 * @param {string} beginning of the sentence
 * @returns {string} a sentence with the verdict on the rate of each stage
 */
export function comparisonAnswer(stages, beginning) {
  const parts = stages.flatMap(({ stage, metrics }) => {
    const found = metrics.find(({ metric }) => metric === 'rate');
    if (found === undefined) {
      return [];
    }
    const { verdict, ratio } = found;
    const how = verdict === 'faster' || verdict === 'slower' ? ` (${ratioText(ratio ?? 1)} times the rate)` : '';
    return [verdict === 'cannot tell' ? `${stage}: cannot tell` : `${stage} is ${verdict}${how}`];
  });
  return parts.length === 0 ? 'Nothing can be compared.' : `${beginning} ${parts.join(', ')}.`;
}

/**
 * @typedef {{ stage: string, metrics: readonly MetricComparison[] }} ComparedStage
 *
 * @param {object} comparison
 * @param {readonly ComparedStage[]} comparison.stages
 * @param {number} comparison.margin smaller changes count as no change (a share)
 * @param {SideNames} names
 * @returns {Section}
 */
export function ratiosSection({ stages, margin }, names) {
  const columns = columnsOf(names);
  const axis = axisOf(stages);
  return {
    id: 'ratios',
    title: 'Ratios',
    body: html`${stages.map(
      (stage) =>
        html`<h3>${stage.stage}</h3>
          ${ratioChart(stage, { axis, margin }, names)}
          ${table({ caption: `${stage.stage}: ${names.ratio}`, columns, rows: stage.metrics })}`,
    )}`,
  };
}

/**
 * @param {Comparison} comparison
 * @returns {Section[]} empty if nothing differs
 */
function differencesSection({ differences, mismatches, stagesOfOne }) {
  const remarks = [
    ...mismatches.map((mismatch) => `Compared anyway (--force), despite a mismatch: ${mismatch}.`),
    ...Object.entries(stagesOfOne).flatMap(([side, stages]) =>
      stages.length === 0 ? [] : [`Only ${side}: ${stages.join(', ')}.`],
    ),
  ];
  if (differences.length === 0 && remarks.length === 0) {
    return [];
  }
  return [
    {
      id: 'differences',
      title: 'Differences between the runs',
      body: html`${remarks.map((remark) => html`<p>${remark}</p>`)}
      ${differences.length === 0 ? null : differencesTable(differences)}`,
    },
  ];
}

/** @param {Comparison['differences']} differences */
function differencesTable(differences) {
  return table({
    caption: 'Properties that differ between the runs',
    columns: [
      { title: 'What', kind: 'text', cell: ({ what }) => what },
      { title: 'Before', kind: 'text', cell: (row) => row.before ?? 'unknown' },
      { title: 'After', kind: 'text', cell: (row) => row.after ?? 'unknown' },
    ],
    rows: differences,
  });
}

/** Dimensions of the chart of ratios, in pixels. */
const WIDTH = 720;
const LEFT = 150;
const RIGHT = 110;
const ROW = 26;
const TOP = 24;

/** @typedef {{ span: number, ticks: readonly number[] }} RatioAxis logarithmic, from 1 ÷ span to span */

/** From narrowest to widest. @type {readonly RatioAxis[]} */
const AXES = [
  { span: 1.1, ticks: [0.95, 1, 1.05] },
  { span: 1.25, ticks: [0.8, 0.9, 1, 1.1, 1.2] },
  { span: 1.5, ticks: [0.7, 0.8, 1, 1.2, 1.4] },
  { span: 2, ticks: [0.5, 0.7, 1, 1.5, 2] },
  { span: 5, ticks: [0.2, 0.5, 1, 2, 5] },
  { span: 10, ticks: [0.1, 0.2, 0.5, 1, 2, 5, 10] },
];

/** The narrowest axis that fits all stages, to make them comparable. @param {readonly ComparedStage[]} stages */
function axisOf(stages) {
  const ends = stages
    .flatMap(({ metrics }) => metrics.filter(hasRatio))
    .flatMap(({ ratio, low, high }) => [ratio ?? 1, low ?? 1, high ?? 1])
    .filter((value) => value > 0);
  const widest = ends.reduce((largest, value) => Math.max(largest, value, 1 / value), 1);
  return AXES.find(({ span }) => span >= widest) ?? AXES[AXES.length - 1];
}

/** @param {ComparedStage['metrics'][number]} metric */
function hasRatio({ ratio }) {
  return ratio !== null && ratio > 0;
}

/**
 * @param {ComparedStage} stage
 * @param {object} scale
 * @param {RatioAxis} scale.axis
 * @param {number} scale.margin smaller changes count as no change (a share)
 * @param {SideNames} names
 */
function ratioChart({ stage, metrics }, { axis: { span, ticks: values }, margin }, { ratio: whatRatio }) {
  const shown = metrics.filter(hasRatio);
  if (shown.length === 0) {
    return html`<p>No ratio is available.</p>`;
  }
  const x = (/** @type {number} */ value) => {
    const position = (Math.log(Math.max(value, 1e-9)) / Math.log(span) + 1) / 2;
    return (LEFT + Math.min(Math.max(position, 0), 1) * (WIDTH - LEFT - RIGHT)).toFixed(1);
  };
  const bottom = TOP + shown.length * ROW;
  const ticks = values.map(
    (value) =>
      html`<line
          class="${value === 1 ? 'none' : 'grid'}"
          x1="${x(value)}"
          x2="${x(value)}"
          y1="${TOP}"
          y2="${bottom}"
        /><text class="small" x="${x(value)}" y="14" text-anchor="middle">${value}</text>`,
  );
  const rows = shown.map(({ metric, ratio, low, high, verdict }, index) => {
    const y = TOP + index * ROW + ROW / 2;
    const kind = {
      faster: 'better',
      slower: 'worse',
      fewer: 'better',
      more: 'worse',
      'the same': 'same',
      'cannot tell': 'open',
    }[verdict];
    const interval =
      low === null && high === null
        ? null
        : html`<line
            class="${kind}"
            stroke-width="3"
            x1="${x(low ?? 0)}"
            x2="${x(high ?? Infinity)}"
            y1="${y}"
            y2="${y}"
          />`;
    return html`<g
      ><text x="0" y="${y + 4}">${METRICS[metric].title}</text>${interval}<circle
        class="${kind}"
        cx="${x(ratio ?? 1)}"
        cy="${y}"
        r="5"
      /><text class="small" x="${WIDTH}" y="${y + 4}" text-anchor="end">${verdict}</text></g
    >`;
  });
  const label = `Ratios of ${stage}, ${whatRatio}, with their intervals; the table lists the values`;
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${label}">
    <svg
      class="ratios"
      viewBox="0 0 ${WIDTH} ${bottom + 6}"
      width="${WIDTH}"
      height="${bottom + 6}"
      role="img"
      aria-label="${label}"
    >
      <rect
        class="margin"
        x="${x(1 / (1 + margin))}"
        width="${Math.max(Number(x(1 + margin)) - Number(x(1 / (1 + margin))), 0).toFixed(1)}"
        y="${TOP}"
        height="${bottom - TOP}"
      />
      ${ticks} ${rows}
    </svg>
  </div> `;
}

/** @param {number} value */
function ratioText(value) {
  return decimal(value, 3);
}

/**
 * @param {WritableResult} result
 * @param {string} name of a stage
 * @returns {(number | null)[]} ops/s, from the first to the last drawn second; null for a second that is not drawn
 */
function ratesOf({ stages }, name) {
  const found = stages.find(({ stage }) => stage === name);
  const rates = found === undefined ? new Map() : ratesOfStage({ ...found, seconds: [...found.seconds] });
  const [first = 0, last = -1] = [[...rates.keys()][0], [...rates.keys()].at(-1)];
  const length = Math.min(last - first + 1, MAX_SECONDS);
  return Array.from({ length }, (_, index) => rates.get(first + index)?.operations ?? null);
}

/** A day: a longer line would be unreadable. */
const MAX_SECONDS = 24 * 60 * 60;

const MAX_ROWS = 60;

/**
 * @typedef {{ from: number, seconds: number, before: number | null, after: number | null }} SecondRow
 *
 * @param {[string, string]} names
 * @returns {readonly Column<SecondRow>[]}
 */
function secondColumns([before, after]) {
  return [
    { title: 'From second', cell: ({ from }) => String(from) },
    { title: 'Seconds', cell: ({ seconds }) => String(seconds) },
    { title: before, unit: 'ops/s', cell: (row) => rate(row.before) },
    { title: after, unit: 'ops/s', cell: (row) => rate(row.after) },
  ];
}

/** Mean rates over intervals of equal length; the last may be shorter. @param {ComparedLine} line */
function secondRows({ before, after }) {
  const length = Math.max(before.length, after.length);
  const seconds = Math.max(Math.ceil(length / MAX_ROWS), 1);
  return Array.from({ length: Math.ceil(length / seconds) }, (_, row) => {
    const mean = (/** @type {readonly (number | null)[]} */ rates) => {
      const known = rates.slice(row * seconds, (row + 1) * seconds).filter((each) => each !== null);
      return known.length === 0 ? null : known.reduce((sum, each) => sum + each, 0) / known.length;
    };
    return {
      from: row * seconds + 1,
      seconds: Math.min(seconds, length - row * seconds),
      before: mean(before),
      after: mean(after),
    };
  });
}
