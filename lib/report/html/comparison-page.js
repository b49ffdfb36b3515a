import { counted, percent } from '../../text/figures.js';
import { plainLine } from '../../text/plain-text.js';
import { DIFFERENCE_COLUMNS } from '../compare-text.js';
import { openQuestions, sideSentences, sideTable, verdictColumns, verdictSentence } from '../verdicts.js';
import { table } from './figures.js';
import { headings, html } from './markup.js';
import { formatPage } from './page.js';
import { thresholdsSection } from './table-sections.js';

/**
 * @import { Comparison, SideBySide } from '../../result/comparison.js'
 * @import { InterleavedComparison } from '../../result/interleaved.js'
 * @import { ComparedStage } from '../verdicts.js'
 * @import { Section } from './page.js'
 */

const METHOD = (/** @type {{ margin: number, confidence: number }} */ { margin, confidence }) =>
  html`The interval contains the true ratio with ${percent(confidence)} confidence. A figure is the same if its whole
  interval is within ${percent(margin)} of no change; a difference is proven with ${percent(confidence)} confidence for
  all figures together.`;

/**
 * @param {Comparison} comparison
 * @returns {Generator<string, void, undefined>} the page in chunks
 */
export function comparisonPage(comparison) {
  const { margin, stages: all } = comparison;
  const names = [comparison.before.name, comparison.after.name].map(plainLine);
  const stages = all.filter(({ kindOf }) => kindOf === undefined);
  const sides = { label: 'After', reference: 'before', margin };
  return pageOf({
    title: `r2-benchmark: ${names[0]} and ${names[1]}`,
    about: `r2-benchmark comparison: ${names[0]} before, ${names[1]} after`,
    answers: stages.map((stage) => verdictSentence(stage, sides)),
    sections: [differencesSection(comparison), ratiosSection(all, ['Before', 'After']), thresholdsSection(comparison)],
    method: html`<p>
      A ratio is after ÷ before: above 1, a rate is faster and a latency is slower. ${METHOD(comparison)} It does not
      cover the variation between runs. Correlated seconds count as fewer independent ones.
    </p> `,
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
  const [compared] = sides.flatMap(({ comparison }) => comparison ?? []);
  return pageOf({
    title: `r2-benchmark: ${sides.length} results`,
    about: `r2-benchmark: ${counted(sides.length, 'result')} side by side`,
    answers: sideSentences(all),
    sections: [{ id: 'results', title: 'Results', body: table('Results side by side', sideTable(all)) }],
    method: html`<p>
      A ratio is the rate ÷ that of the reference. ${METHOD(compared)} It does not cover the variation between runs.
      Columns before the figures are what differs between the results.
    </p> `,
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
  return pageOf({
    title: `r2-benchmark: ${a} and ${b}`,
    about: `r2-benchmark ab: A is ${a}, B is ${b}`,
    answers: stages.map((stage) => verdictSentence(stage, sides)),
    sections: [ratiosSection(stages, ['A', 'B'])],
    method: html`<p>
        ${quads.length} of ${counted(quadsPlanned, 'quad')} were completed, each with four turns:
        ${quads.map(({ order }) => order).join(' ')}. Figures of A and B are geometric means over their turns; a ratio
        is B ÷ A. ${METHOD(comparison)}
      </p>
      ${problems.map((problem) => html`<p>${problem}</p>`)} `,
  });
}

/**
 * @param {object} parts
 * @param {string} parts.title
 * @param {string} parts.about
 * @param {readonly string[]} parts.answers
 * @param {readonly (Section | null)[]} parts.sections
 * @param {Section['body']} parts.method
 */
function pageOf({ title, about, answers, sections, method }) {
  const shown = sections.filter((section) => section !== null);
  return formatPage({
    title,
    header: html`<p class="eyebrow">${about}</p>
      ${headings(answers.length === 0 ? ['No difference is proven'] : answers)} `,
    sections: [...shown, { id: 'method', title: 'Method', body: method }],
    data: {},
  });
}

/**
 * @param {readonly ComparedStage[]} stages
 * @param {[string, string]} names of the sides
 * @returns {Section | null} null without stages
 */
function ratiosSection(stages, [before, after]) {
  const parts = stages.map(
    ({ stage, metrics }) =>
      html`<h3>${stage}</h3>
        ${table(`${stage}: ${after} ÷ ${before}`, { columns: verdictColumns(before, after), rows: metrics })}
        ${openQuestions(metrics).map((question) => html`<p>${question}</p>`)}`,
  );
  return stages.length === 0 ? null : { id: 'ratios', title: 'Ratios', body: html`${parts}` };
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
