import { figureNamed, figuresOf } from '../result/figures/catalogue.js';
import { SHOWN } from '../result/figures/quantities.js';
import { rateOf } from '../result/figures/stage-table.js';
import { counted } from '../text/figures.js';

/**
 * @import { Figure } from '../result/figures/catalogue.js'
 * @import { Column, Table } from '../result/figures/table.js'
 * @import { MetricComparison, SideBySide } from '../result/comparison.js'
 * @import { StageSum, ThresholdResult } from '../result/result.js'
 */

/**
 * @typedef {{ stage: string, metrics: readonly MetricComparison[] }} ComparedStage
 */

/** @param {string} metric */
function figureOf(metric) {
  return /** @type {Figure} */ (figureNamed(metric));
}

/** Such as `p99` or `Rate, ops/s`. @param {MetricComparison} comparison */
function nameOf({ metric }) {
  const { title, quantity } = figureOf(metric);
  const { unit } = SHOWN[quantity];
  return unit === '' ? title : `${title}, ${unit}`;
}

/**
 * @param {number | null} value
 * @param {string} metric
 */
function valueText(value, metric) {
  return value === null ? null : SHOWN[figureOf(metric).quantity].textOf(value);
}

/** @param {Pick<MetricComparison, 'low' | 'high'>} interval */
export function intervalOf({ low, high }) {
  const { textOf } = SHOWN.ratio;
  return low === null && high === null ? null : `${textOf(low ?? 0)} to ${high === null ? 'any' : textOf(high)}`;
}

/**
 * The table of a stage that was compared: a row per figure.
 *
 * @param {string} before name of the side
 * @param {string} after
 * @returns {Column<MetricComparison>[]}
 */
export function verdictColumns(before, after) {
  return [
    { title: 'Figure', value: nameOf },
    { title: before, quantity: 'count', value: (row) => valueText(row.before, row.metric) },
    { title: after, quantity: 'count', value: (row) => valueText(row.after, row.metric) },
    { title: 'Ratio', quantity: 'ratio', value: ({ ratio }) => ratio },
    { title: '95% interval', quantity: 'count', value: intervalOf },
    { title: 'Verdict', value: shownVerdict },
  ];
}

/** If the interval excludes 1, one of this many intervals can do so by chance. @param {MetricComparison} comparison */
function shownVerdict({ verdict, low, high }) {
  const isDoubtful = verdict === 'cannot tell' && ((low ?? 0) > 1 || (high ?? Infinity) < 1);
  return isDoubtful ? 'maybe chance' : verdict;
}

/**
 * Why nothing can be said about some figures, and what would tell.
 *
 * @param {readonly (MetricComparison & { moreQuads?: number | null })[]} metrics
 * @returns {string[]} a line per reason
 */
export function openQuestions(metrics) {
  /** Figures by reason. @type {Map<string, string[]>} */
  const open = new Map();
  for (const { metric, reason, moreQuads } of metrics) {
    if (reason !== null) {
      const text = moreQuads === undefined ? reason : `${reason}; ${moreText(moreQuads)}`;
      open.set(text, [...(open.get(text) ?? []), figureOf(metric).title]);
    }
  }
  return [...open].map(([text, titles]) => `cannot tell for ${titles.join(', ')}: ${text}`);
}

/** @param {number | null} quads */
function moreText(quads) {
  return quads === null
    ? 'more quads are unlikely to help: use more objects or a longer --duration'
    : `about ${counted(quads, 'more quad')} should be enough`;
}

/**
 * The answer of a comparison: `direct: Read 1.97 times (±0.04) as fast as sdk`.
 *
 * @param {ComparedStage & { seconds?: { before: number, after: number } }} stage
 * @param {{ label: string, reference: string, margin: number }} names
 */
export function verdictSentence({ stage, metrics }, { label, reference, margin }) {
  const rate = metrics.find(({ metric }) => metric === 'rate');
  const failures = metrics.find(({ metric }) => metric === 'errorShare')?.verdict ?? 'the same';
  const latencies = ['faster', 'slower'].flatMap((verdict) => {
    const same = metrics.filter((each) => figureOf(each.metric).isLatency && each.verdict === verdict);
    return same.length === 0 ? [] : [`${same.map(({ metric }) => figureOf(metric).title).join(', ')} ${verdict}`];
  });
  const clauses = [
    rate === undefined ? 'no rate' : rateClause(rate, reference, margin),
    ...latencies,
    ...(failures === 'more' || failures === 'fewer' ? [`${failures} attempts failed`] : []),
  ];
  return `${label}: ${stage} ${clauses.join('; ')}`;
}

/**
 * @param {MetricComparison} rate
 * @param {string} reference
 * @param {number} margin
 */
function rateClause({ verdict, ratio, low, high, reason }, reference, margin) {
  if (verdict === 'the same') {
    return `as fast as ${reference}, within ${percentage(margin)}`;
  }
  if (verdict === 'cannot tell' || ratio === null) {
    return `cannot be told from ${reference}${reason === null ? '' : `: ${reason}`}`;
  }
  const reach = low === null || high === null ? '' : ` (±${((high - low) / 2).toFixed(2)})`;
  return `${ratio.toFixed(2)} times${reach} as fast as ${reference}`;
}

/** @param {number} share */
export function percentage(share) {
  return `${Number((100 * share).toFixed(1))}%`;
}

/** @type {readonly Column<ThresholdResult>[]} */
export const THRESHOLD_COLUMNS = [
  { title: 'Threshold', value: ({ expression }) => expression },
  { title: 'Outcome', value: ({ outcome }) => outcome },
  { title: 'Figures', value: ({ message }) => message },
];

/**
 * @typedef {StageSum & { facts: readonly string[], verdict: MetricComparison | null }} SideRow `verdict`: on the rate
 */

/** The first fact names the result; the others are dropped after rarer percentiles if space is short. */
const FACT_RANK = 7;

/**
 * A row per stage and result.
 *
 * @param {SideBySide} all
 * @returns {Table<SideRow>}
 */
export function sideTable({ facts, sides }) {
  const names = [...new Set(sides.flatMap(({ result }) => result.stages.map(({ stage }) => stage)))];
  const rows = names.flatMap((name) =>
    sides.flatMap(({ facts: ofSide, result, comparison }) =>
      result.stages
        .filter(({ stage }) => stage === name)
        .map((stage) => {
          const compared = comparison?.stages.find((each) => each.stage === name);
          const verdict = compared?.metrics.find(({ metric }) => metric === 'rate') ?? null;
          return { ...stage, average: rateOf(stage), facts: ofSide, verdict };
        }),
    ),
  );
  const figures = /** @type {Column<any>[]} */ (/** @type {unknown} */ (figuresOf('compare')));
  return {
    columns: [
      { title: 'Stage', value: ({ stage }) => stage },
      ...facts.map((title, index) => ({
        title,
        value: (/** @type {SideRow} */ row) => row.facts[index],
        ...(index > 0 && { rank: FACT_RANK + index / 100 }),
      })),
      ...figures,
      { title: 'Ratio', quantity: 'ratio', value: ({ verdict }) => verdict?.ratio },
      { title: '95% interval', quantity: 'count', value: ({ verdict }) => verdict && intervalOf(verdict), rank: 2 },
      { title: 'Verdict', value: ({ verdict }) => (verdict === null ? 'reference' : shownVerdict(verdict)) },
    ],
    rows,
  };
}

/**
 * The answers: one line per stage and result whose rate has a verdict.
 *
 * @param {SideBySide} all
 */
export function sideSentences({ sides }) {
  const reference = sides.find(({ comparison }) => comparison === null)?.label ?? '';
  return sides.flatMap(({ label, comparison }) =>
    (comparison?.stages ?? [])
      .filter(({ kindOf, metrics }) => kindOf === undefined && metrics[0].verdict !== 'cannot tell')
      .map((stage) => verdictSentence(stage, { label, reference, margin: Number(comparison?.margin) })),
  );
}
