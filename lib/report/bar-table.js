import { bottleneckSentence } from '../bottleneck/sentence.js';
import { decimal, rounded, shortLimit } from '../text/figures.js';
import { padToWidth, textWidth, wrapAtWords } from '../text/text-width.js';
import { throughputText } from '../text/units.js';
import { searchedFigures } from './answer.js';
import { lineOf, valueBar } from './drawing.js';

/**
 * @import { StageResult } from '../model/result.js'
 * @import { Part } from './drawing.js'
 * @import { Look } from './reporter.js'
 *
 * @typedef {{ heading: string, cells: readonly Part[] }} Column with a cell per row
 *
 * @typedef {object} BarTable
 * @property {Column} names
 * @property {Column} values
 * @property {readonly number[]} bars the values as numbers, 0 or more
 * @property {readonly Column[]} others in display order
 * @property {readonly string[]} dispensable headings of the columns to drop, in this order, if space is short
 */

const MIN_BAR = 10;
const MAX_BAR = 40;
const BETWEEN_COLUMNS = '  ';

/** Maximum width of a sentence, in columns: longer lines are hard to read. */
const MAX_LINE = 100;

const INDENT = '  ';

/**
 * Summarizes a run on a terminal: a row with a bar for each stage and each operation of a mix, then the bottlenecks.
 *
 * @param {readonly StageResult[]} stages at least one
 * @param {Look} look
 * @returns {string[]} lines
 */
export function formatStageSummary(stages, look) {
  const rows = stages.flatMap(withKinds);
  const column = (/** @type {string} */ heading, /** @type {(row: SummaryRow) => Part} */ cell) => ({
    heading,
    cells: rows.map(cell),
  });
  const table = barTable(
    {
      names: column('Stage', ({ name }) => ({ text: name })),
      values: column('Ops/s', ({ average }) => ({ text: decimal(average) })),
      bars: rows.map(({ average }) => average),
      others: [
        column('Threads', ({ threads, isKind }) => ({ text: isKind ? '' : rounded(threads) })),
        column('Peak/s', ({ peak }) => ({ text: peak === null ? '-' : decimal(peak) })),
        column('MiB/s', ({ averageBytes }) => ({ text: throughputText(averageBytes ?? 0) })),
        column('p50', ({ latency }) => ({ text: latencyText(latency.operations?.p50) })),
        column('p95', ({ latency }) => ({ text: latencyText(latency.operations?.p95) })),
        column('p99', ({ latency }) => ({ text: latencyText(latency.operations?.p99) })),
        column('Errors', ({ failedAttempts, throttled }) => errorCell(failedAttempts, throttled)),
        column('Limited by', ({ bottleneck }) => ({ text: shortLimit(bottleneck) })),
      ],
      dispensable: ['Peak/s', 'p50', 'MiB/s', 'Threads', 'Limited by', 'p95'],
    },
    look,
  );
  return ['', ...table, '', ...limitSentences(stages, look)];
}

/** Maximum terminal rows per sentence. */
const MAX_ROWS = 2;

/**
 * One sentence per bottleneck, with as much of the evidence for its first stage as fits. Each reason for an unknown
 * bottleneck has its own sentence.
 *
 * @param {readonly StageResult[]} stages
 * @param {Look} look
 */
function limitSentences(stages, look) {
  /** @type {Map<string, StageResult[]>} */
  const byLimit = new Map();
  for (const each of stages) {
    const { cause, advice, evidence } = each.bottleneck;
    const key = [shortLimit(each.bottleneck), advice, cause === 'inconclusive' ? evidence : ''].join();
    byLimit.set(key, [...(byLimit.get(key) ?? []), each]);
  }
  return [...byLimit.values()].flatMap((same) => {
    const [{ bottleneck }] = same;
    const clauses = bottleneck.evidence.split(/(?=[,;] )/);
    const names = same.map(({ stage }) => stage);
    const isShared = same.every((each) => each.bottleneck.evidence === bottleneck.evidence);
    const of = isShared ? '' : `in ${names[0]}, `;
    const ways = [...clauses.keys(), clauses.length].toReversed().map((count) => {
      const evidence = count === 0 ? null : `${of}${clauses.slice(0, count).join('')}`;
      return wrapSentence(bottleneckSentence(names, { ...bottleneck, evidence }), look);
    });
    return ways.find((lines) => lines.length <= MAX_ROWS) ?? ways[ways.length - 1];
  });
}

/**
 * @typedef {{ name: string, isKind?: boolean, peak: number | null, averageBytes: number | null,
 *   latency: Pick<StageResult['latency'], 'operations'> }
 *   & Pick<StageResult, 'threads' | 'average' | 'failedAttempts' | 'throttled' | 'bottleneck'>} SummaryRow
 *
 * @param {StageResult} stage
 * @returns {SummaryRow[]} rows for the stage, with any rate that a search found, and for each operation of its mix
 */
function withKinds(stage) {
  const { kinds = [] } = stage;
  return [
    { ...stage, ...searchedFigures(stage), name: stage.stage },
    // The threads are those of the whole mix.
    ...kinds.map((kind) => ({ ...kind, name: INDENT + kind.operation, isKind: true })),
  ];
}

/**
 * @param {string} sentence
 * @param {Look} look
 */
export function wrapSentence(sentence, { columns }) {
  return wrapAtWords(sentence, Math.min(columns - 1, MAX_LINE), INDENT);
}

/**
 * @param {number} failed attempts
 * @param {number} throttled included in `failed`
 * @returns {Part}
 */
export function errorCell(failed, throttled) {
  const text = rounded(failed);
  if (failed === 0) {
    return { text };
  }
  return { text, meaning: failed > throttled ? 'error' : 'throttling' };
}

/** @param {number | null | undefined} milliseconds */
export function latencyText(milliseconds) {
  return milliseconds === null || milliseconds === undefined ? '-' : `${milliseconds.toFixed(2)}ms`;
}

/**
 * @param {BarTable} table with at least one row
 * @param {Look} look
 * @returns {string[]} lines: the headings, then the rows
 */
export function barTable({ names, values, bars, others, dispensable }, look) {
  const room = look.columns - 1;
  const shown = [...others];
  for (const heading of dispensable) {
    const needed = [names, values, ...shown].reduce((sum, column) => sum + widthOf(column), barColumn(MIN_BAR));
    if (needed - BETWEEN_COLUMNS.length > room) {
      shown.splice(
        shown.findIndex((column) => column.heading === heading),
        1,
      );
    }
  }
  const taken = [names, values, ...shown].reduce((sum, column) => sum + widthOf(column), 0);
  const width = Math.max(Math.min(room - taken, MAX_BAR), 0);
  const largest = Math.max(...bars);
  const head = [names.heading, ...[values, ...shown].map(({ heading }) => heading)].map((text) => ({ text }));
  const rows = bars.map((value, index) => ({
    cells: [names, values, ...shown].map(({ cells }) => cells[index]),
    bar: valueBar(value, largest, width, look),
  }));
  return [{ cells: head, bar: '' }, ...rows].map(({ cells: [name, value, ...rest], bar }) =>
    lineOf(
      [
        { text: padToWidth(name.text, widthOf(names) - BETWEEN_COLUMNS.length) },
        ...rightAligned(value, values),
        { text: BETWEEN_COLUMNS + padToWidth(bar, width) },
        ...rest.flatMap((cell, index) => rightAligned(cell, shown[index])),
      ],
      look,
    ),
  );
}

/** @param {number} width of the bars */
function barColumn(width) {
  return BETWEEN_COLUMNS.length + width;
}

/** @param {Column} column */
function widthOf({ heading, cells }) {
  return BETWEEN_COLUMNS.length + Math.max(...[heading, ...cells.map(({ text }) => text)].map(textWidth));
}

/**
 * @param {Part} cell
 * @param {Column} column
 * @returns {Part[]}
 */
function rightAligned(cell, column) {
  return [{ text: ' '.repeat(widthOf(column) - textWidth(cell.text)) }, cell];
}
