import { bottleneckSentence } from '../result/bottleneck/sentence.js';
import { stageTable } from '../result/figures/stage-table.js';
import { textTable } from '../result/figures/table.js';
import { shortLimit } from '../text/figures.js';
import { wrapAtWords } from '../text/text-width.js';
import { limitReasons } from './stage-findings.js';

/**
 * @import { Look } from '../result/figures/drawing.js'
 * @import { WritableStage } from '../result/write-result.js'
 */

/** Maximum width of a sentence, in columns: longer lines are hard to read. */
const MAX_LINE = 100;

/** Maximum terminal rows per sentence. */
const MAX_ROWS = 2;

/**
 * Summarizes a run, or a merge, on a terminal: a row with a bar for each stage and each of its parts, then the
 * bottlenecks.
 *
 * @param {readonly WritableStage[]} stages at least one
 * @param {Look} look
 * @returns {string[]} lines
 */
export function formatStageSummary(stages, look) {
  return ['', ...textTable(stageTable(stages), look), '', ...limitSentences(stages, look)];
}

/**
 * One sentence per bottleneck, with as much of the evidence for its first stage as fits. Each reason for an unknown
 * bottleneck has its own sentence.
 *
 * @param {readonly WritableStage[]} stages
 * @param {Look} look
 */
function limitSentences(stages, look) {
  /** @type {Map<string, { stage: string, cause: string, evidence: string | null, advice: string | null }[]>} */
  const byLimit = new Map();
  for (const { stage, bottleneck, merge } of stages) {
    const { cause, advice, ...rest } = bottleneck ?? { cause: 'inconclusive', advice: null, evidence: null };
    const [reason = null] = merge === undefined ? [] : limitReasons(merge);
    const evidence = rest.evidence ?? reason;
    const key = [shortLimit({ cause, ...rest }), advice, cause === 'inconclusive' ? evidence : ''].join();
    byLimit.set(key, [...(byLimit.get(key) ?? []), { ...rest, stage, cause, evidence, advice }]);
  }
  return [...byLimit.values()].flatMap((same) => {
    const [first] = same;
    const clauses = first.evidence?.split(/(?=[,;] )/) ?? [];
    const names = same.map(({ stage }) => stage);
    const of = same.every(({ evidence }) => evidence === first.evidence) ? '' : `in ${names[0]}, `;
    const ways = [...clauses.keys(), clauses.length].toReversed().map((count) => {
      const evidence = count === 0 ? null : `${of}${clauses.slice(0, count).join('')}`;
      return wrapAtWords(bottleneckSentence(names, { ...first, evidence }), Math.min(look.columns - 1, MAX_LINE), '  ');
    });
    return ways.find((lines) => lines.length <= MAX_ROWS) ?? ways[ways.length - 1];
  });
}
