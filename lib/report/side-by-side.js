import { figuresOf } from '../figures/catalogue.js';
import { rateOf } from '../figures/stage-table.js';
import { intervalOf, shownVerdict, verdictSentence } from './verdicts.js';

/**
 * @import { SideBySide } from '../model/comparison.js'
 * @import { MetricComparison } from '../model/comparison.js'
 * @import { StageSum } from '../model/result.js'
 * @import { Column, Table } from '../figures/table.js'
 *
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
