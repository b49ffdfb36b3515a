import { PLAIN, textTable } from '../result/figures/table.js';
import { counted } from '../text/figures.js';
import { plainLine, plainText } from '../text/plain-text.js';
import { wrapAtWords } from '../text/text-width.js';
import { openQuestions, percentage, sideSentences, sideTable, verdictColumns, verdictSentence } from './verdicts.js';

/**
 * @import { ComparedDifference, ComparedSide, Comparison, SideBySide } from '../result/comparison.js'
 * @import { InterleavedComparison } from '../result/interleaved.js'
 * @import { Column } from '../result/figures/table.js'
 */

const WIDTH = 80;

/** Leaves room for an indent. */
const LOOK = { ...PLAIN, columns: WIDTH - 1 };

/** Longer names of a side are cut. */
const MAX_NAME = 44;

const NO_OPTIONS = 'no options of its own';

/** @type {readonly Column<ComparedDifference>[]} */
export const DIFFERENCE_COLUMNS = [
  { title: 'Difference', value: ({ what }) => what },
  { title: 'Before', value: ({ before }) => before && plainText(before, MAX_NAME) },
  { title: 'After', value: ({ after }) => after && plainText(after, MAX_NAME) },
];

/** The answer first; lines without control characters. @param {Comparison} comparison */
export function formatComparison({ before, after, differences, mismatches, stages, margin, stagesOfOne }) {
  const names = { label: 'after', reference: 'before', margin };
  const rows = differences.map((row) => ({ ...row, what: plainText(row.what) }));
  return inBlocks([
    stages.filter(({ kindOf }) => kindOf === undefined).flatMap((stage) => paragraph(verdictSentence(stage, names))),
    [before, after].map((side, index) => `${['before', 'after '][index]}  ${sideText(side)}`),
    rows.length === 0
      ? ['As far as the results show, the runs differ only in their figures.']
      : textTable({ columns: DIFFERENCE_COLUMNS, rows }, LOOK),
    ...(mismatches.length === 0
      ? []
      : [['Compared anyway (--force), despite mismatches:', ...mismatches.flatMap(item)]]),
    ...stages.map(({ stage, kindOf, seconds, metrics }) => [
      `${stage}${kindOf === undefined ? '' : `, part of ${kindOf}`}: ${seconds.before} and ${seconds.after} whole seconds`,
      ...textTable({ columns: verdictColumns('Before', 'After'), rows: metrics }, LOOK).map((line) => `  ${line}`),
      ...openQuestions(metrics).flatMap(item),
    ]),
    ...Object.entries(stagesOfOne).flatMap(([side, only]) =>
      only.length === 0 ? [] : [paragraph(`Only ${side}: ${only.join(', ')}.`)],
    ),
    paragraph(
      `${sameText(margin)} These verdicts hold for these two runs: they cannot show how much one run differs from the next.`,
    ),
  ]);
}

/** Any number of results: the answers, then a row per stage and result. @param {SideBySide} all */
export function formatSideBySide(all) {
  const margin = all.sides.find(({ comparison }) => comparison !== null)?.comparison?.margin ?? 0;
  return inBlocks([
    sideSentences(all).flatMap(paragraph),
    textTable(sideTable(all), PLAIN),
    paragraph(sameText(margin)),
  ]);
}

/** @param {InterleavedComparison} comparison */
export function formatInterleaved({ before, after, margin, stages, quads, quadsPlanned }) {
  const given = [before, after].map(({ name }) => (name === '' ? NO_OPTIONS : plainText(name)));
  const names = { label: 'B', reference: 'A', margin };
  return inBlocks([
    stages.flatMap((stage) => paragraph(verdictSentence(stage, names))),
    [before, after].map(({ run }, index) => `${'AB'[index]}  ${given[index]}${run === null ? '' : `, run ${run}`}`),
    paragraph(turnsText(quads, quadsPlanned)),
    ...stages.map(({ stage, metrics, failedAttempts: { a, b } }) => [
      `${stage}, B compared with A`,
      ...textTable({ columns: verdictColumns('A', 'B'), rows: metrics }, LOOK).map((line) => `  ${line}`),
      ...openQuestions(metrics).flatMap(item),
      ...(a + b === 0 ? [] : item(`failed attempts: ${a} with A, ${b} with B`)),
    ]),
    ...(stages.length === 0 ? [] : [paragraph(sameText(margin))]),
  ]);
}

/** @param {readonly (readonly string[])[]} blocks */
function inBlocks(blocks) {
  const shown = blocks.filter((lines) => lines.length > 0);
  return shown.map((lines) => lines.map((line) => `${plainLine(line).trimEnd()}\n`).join('')).join('\n');
}

/** @param {number} margin */
function sameText(margin) {
  return `The same: the whole interval is within ${percentage(margin)} of no change. Faster, slower, fewer, more: proven with 95% confidence for all figures together.`;
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

/** @param {ComparedSide} side */
function sideText({ name, run, hosts, start }) {
  const facts = [
    run === null ? [] : [`run ${plainText(run, MAX_NAME)}`],
    counted(hosts, 'host'),
    start === null ? [] : [`${plainText(start).slice(0, '2026-01-31T12:00:00'.length).replace('T', ' ')} UTC`],
  ].flat();
  return `${plainText(name)}: ${facts.join(', ')}`;
}

/** @param {string} text */
function item(text) {
  return paragraph(text).map((line) => `  ${line}`);
}

/** @param {string} text */
function paragraph(text) {
  return wrapAtWords(plainText(text, Infinity), WIDTH - 2, '  ');
}
