import { figureNamed, figuresOf } from '../result/figures/catalogue.js';
import { SHOWN } from '../result/figures/quantities.js';
import { rateOf } from '../result/figures/stage-table.js';
import { PLAIN, textTable } from '../result/figures/table.js';
import { counted, rounded } from '../text/figures.js';
import { plainLine, plainText } from '../text/plain-text.js';
import { wrapAtWords } from '../text/text-width.js';

/**
 * @import { Figure } from '../result/figures/catalogue.js'
 * @import { Column, Table } from '../result/figures/table.js'
 * @import { ComparedDifference, ComparedSide, Comparison, MetricComparison, SideBySide } from '../result/comparison.js'
 * @import { InterleavedComparison } from '../result/interleaved.js'
 * @import { StageSum, ThresholdResult } from '../result/result.js'
 */

/**
 * A comparison as text and page show it.
 *
 * @typedef {object} ShownComparison
 * @property {string} title
 * @property {readonly string[]} answers a sentence for each stage
 * @property {readonly Block[]} blocks left out if they are empty
 *
 * @typedef {{ title: string, table?: Table<any>, lines?: readonly string[] }} Block lines follow the table
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
function intervalOf({ low, high }) {
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
function verdictColumns(before, after) {
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
 */
function openQuestions(metrics) {
  return cannotTell(
    metrics.flatMap(({ metric, reason, moreQuads }) => {
      const more = moreQuads === undefined ? '' : `; ${moreText(moreQuads)}`;
      return reason === null ? [] : [{ reason: `${reason}${more}`, name: figureOf(metric).title }];
    }),
  );
}

/** @param {readonly { reason: string, name: string }[]} open @returns {string[]} a line per reason */
function cannotTell(open) {
  return [...new Set(open.map(({ reason }) => reason))].map((reason) => {
    const names = new Set(open.filter((each) => each.reason === reason).map(({ name }) => name));
    return `cannot tell for ${[...names].join(', ')}: ${reason}`;
  });
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
function verdictSentence({ stage, metrics }, { label, reference, margin }) {
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
function percentage(share) {
  return `${Number((100 * share).toFixed(1))}%`;
}

/** @type {readonly Column<ThresholdResult>[]} */
export const THRESHOLD_COLUMNS = [
  { title: 'Threshold', value: ({ expression }) => expression },
  { title: 'Outcome', value: ({ outcome }) => outcome },
  { title: 'Figures', value: ({ message }) => message },
];

/**
 * @typedef {StageSum & { facts: readonly string[], verdict: MetricComparison | null, isReference: boolean }} SideRow `verdict`:
 *   on the rate
 */

/** The first fact names the result; the others are dropped after rarer percentiles if space is short. */
const FACT_RANK = 7;

/**
 * A row per stage and result.
 *
 * @param {SideBySide} all
 * @returns {Table<SideRow>}
 */
function sideTable({ facts, sides }) {
  const names = [...new Set(sides.flatMap(({ result }) => result.stages.map(({ stage }) => stage)))];
  const rows = names.flatMap((name) =>
    sides.flatMap(({ facts: ofSide, result, comparison }) =>
      result.stages
        .filter(({ stage }) => stage === name)
        .map((stage) => {
          const compared = comparison?.stages.find((each) => each.stage === name);
          const verdict = compared?.metrics.find(({ metric }) => metric === 'rate') ?? null;
          return { ...stage, average: rateOf(stage), facts: ofSide, verdict, isReference: comparison === null };
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
      {
        title: 'Verdict',
        value: ({ verdict, isReference }) => (isReference ? 'reference' : verdict && shownVerdict(verdict)),
      },
    ],
    rows,
  };
}

/**
 * The answers: one line per stage and result whose rate has a verdict.
 *
 * @param {SideBySide} all
 */
function sideSentences({ sides }) {
  const reference = sides.find(({ comparison }) => comparison === null)?.label ?? '';
  return sides.flatMap(({ label, comparison }) =>
    (comparison?.stages ?? [])
      .filter(({ kindOf, metrics }) => kindOf === undefined && metrics[0].verdict !== 'cannot tell')
      .map((stage) => verdictSentence(stage, { label, reference, margin: Number(comparison?.margin) })),
  );
}

/**
 * Why some rates have no verdict. Which of the two sides lacks something is clear from the table.
 *
 * @param {SideBySide} all
 */
function openRates({ sides }) {
  const stages = sides.flatMap(
    ({ comparison }) => comparison?.stages.filter(({ kindOf }) => kindOf === undefined) ?? [],
  );
  return stages.flatMap(({ stage, metrics: [rate] }) =>
    (rate.reason?.replace(/\b(?:before|after): /g, '').split('; ') ?? []).map((reason) => ({ reason, name: stage })),
  );
}

/** Longer names are cut. */
const MAX_NAME = 44;

/** Two values of this length fit into a line, after the name of a difference. */
const MAX_VALUE = 30;

/** Characters of a long value before the first that differs. */
const MAX_COMMON = 8;

/** @type {readonly Column<ComparedDifference>[]} */
const DIFFERENCE_COLUMNS = [
  { title: 'Difference', value: ({ what }) => plainText(what) },
  { title: 'Before', value: ({ before, after }) => before && differingText(before, after ?? '') },
  { title: 'After', value: ({ before, after }) => after && differingText(after, before ?? '') },
];

/**
 * Shows a long value, such as an endpoint, from shortly before the first character that differs.
 *
 * @param {string} value
 * @param {string} other
 */
function differingText(value, other) {
  // Secrets are recognised only in the whole value.
  const text = plainText(value, Infinity);
  let same = 0;
  while (same < text.length && text[same] === other[same]) {
    same += 1;
  }
  const start = text.length > MAX_VALUE ? Math.max(same - MAX_COMMON, 0) : 0;
  return plainText(`${start > 0 ? '…' : ''}${text.slice(start)}`, MAX_VALUE);
}

/** @type {readonly Column<ComparedSide & { side: string }>[]} */
const SIDE_COLUMNS = [
  { title: 'Side', value: ({ side }) => side },
  { title: 'Name', value: ({ name }) => plainText(name, MAX_NAME) },
  { title: 'Run', value: ({ run }) => run && plainText(run, MAX_NAME), rank: 2 },
  { title: 'Hosts', quantity: 'count', value: ({ hosts }) => hosts },
  { title: 'Started', value: ({ start }) => start && plainText(start, MAX_NAME), rank: 1 },
];

/**
 * @param {Comparison & { thresholds?: readonly ThresholdResult[] }} comparison
 * @returns {ShownComparison}
 */
export function shownComparison({
  before,
  after,
  differences,
  mismatches,
  stages,
  margin,
  stagesOfOne,
  thresholds = [],
}) {
  const names = { label: 'after', reference: 'before', margin };
  const rows = [
    { side: 'before', ...before },
    { side: 'after', ...after },
  ];
  return {
    title: `${before.name} and ${after.name}`,
    answers: stages.filter(({ kindOf }) => kindOf === undefined).map((stage) => verdictSentence(stage, names)),
    blocks: [
      { title: 'Results', table: { columns: SIDE_COLUMNS, rows } },
      {
        title: 'Differences between the runs',
        table: { columns: DIFFERENCE_COLUMNS, rows: differences },
        lines: [
          ...(differences.length === 0 ? ['As far as the results show, the runs differ only in their figures.'] : []),
          ...mismatches.map((mismatch) => `Compared anyway (--force), despite a mismatch: ${mismatch}.`),
          ...Object.entries(stagesOfOne).flatMap(([side, only]) =>
            only.length === 0 ? [] : [`Only ${side}: ${only.join(', ')}.`],
          ),
        ],
      },
      ...stages.map(({ stage, kindOf, seconds, metrics }) => ({
        title: `${stage}${kindOf === undefined ? '' : `, part of ${kindOf}`}: ${rounded(seconds.before)} and ${rounded(seconds.after)} whole seconds`,
        table: { columns: verdictColumns('Before', 'After'), rows: metrics },
        lines: openQuestions(metrics),
      })),
      { title: 'Thresholds', table: { columns: THRESHOLD_COLUMNS, rows: thresholds } },
      methodBlock(
        margin,
        'These verdicts hold for these two runs: they cannot show how much one run differs from the next.',
      ),
    ],
  };
}

/** Any number of results: a row per stage and result. @param {SideBySide} all @returns {ShownComparison} */
export function shownSideBySide(all) {
  const margin = all.sides.find(({ comparison }) => comparison !== null)?.comparison?.margin ?? 0;
  const sentences = sideSentences(all);
  const open = openRates(all);
  const why = open.length === 0 ? '' : ` (${open[0].reason})`;
  return {
    title: counted(all.sides.length, 'result'),
    answers: sentences.length > 0 ? sentences : [`No difference is proven${why}`],
    blocks: [{ title: 'Results side by side', table: sideTable(all), lines: cannotTell(open) }, methodBlock(margin)],
  };
}

/** @param {InterleavedComparison} comparison @returns {ShownComparison} */
export function shownInterleaved({ before, after, margin, stages, quads, quadsPlanned, problems }) {
  const rows = [before, after].map(({ name, ...side }, index) => ({
    ...{ side: 'AB'[index], name: name || 'no options of its own' },
    ...side,
  }));
  const names = { label: 'B', reference: 'A', margin };
  return {
    title: rows.map(({ name }) => name).join(' and '),
    answers: stages.map((stage) => verdictSentence(stage, names)),
    blocks: [
      { title: 'Setups', table: { columns: SIDE_COLUMNS, rows } },
      { title: 'Turns', lines: [turnsText(quads, quadsPlanned), ...problems] },
      ...stages.map(({ stage, metrics, failedAttempts: { a, b } }) => ({
        title: `${stage}, B compared with A`,
        table: { columns: verdictColumns('A', 'B'), rows: metrics },
        lines: [
          ...openQuestions(metrics),
          ...(a + b === 0 ? [] : [`failed attempts: ${rounded(a)} with A, ${rounded(b)} with B`]),
        ],
      })),
      methodBlock(margin, 'Figures of A and B are geometric means over their turns.'),
    ],
  };
}

/**
 * @param {InterleavedComparison['quads']} quads
 * @param {number} planned
 */
function turnsText(quads, planned) {
  if (quads.length === 0) {
    return `The comparison ended during the first of ${counted(planned, 'quad')}, so there is nothing to compare.`;
  }
  const early = quads.length < planned ? `The comparison ended early, after ${quads.length} of ` : '';
  return `${early}${counted(planned, 'quad')}: ${quads.map(({ order }) => order).join(' ')}.`;
}

/**
 * @param {number} margin
 * @param {...string} notes
 */
function methodBlock(margin, ...notes) {
  const same = `The same: the whole interval is within ${percentage(margin)} of no change. Faster, slower, fewer, more: proven with 95% confidence for all figures together.`;
  return { title: 'How to read it', lines: [same, ...notes] };
}

/** @param {Block} block */
export function isShown({ table, lines = [] }) {
  return lines.length > 0 || (table !== undefined && table.rows.length > 0);
}

const INDENT = '  ';

/**
 * The answers first; lines without control characters.
 *
 * @param {ShownComparison} comparison
 * @param {number} [columns] maximum width
 */
export function comparisonText({ answers, blocks }, columns = 80) {
  const look = { ...PLAIN, columns: columns + 1 - INDENT.length };
  const paragraph = (/** @type {string} */ text) => wrapAtWords(plainText(text, Infinity), 78, INDENT);
  const parts = blocks
    .filter(isShown)
    .map(({ title, table, lines = [] }) => [
      title,
      ...[
        ...(table === undefined || table.rows.length === 0 ? [] : textTable(table, look)),
        ...lines.flatMap(paragraph),
      ].map((line) => INDENT + line),
    ]);
  return [answers.flatMap(paragraph), ...parts]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => `${plainLine(line).trimEnd()}\n`).join(''))
    .join('\n');
}
