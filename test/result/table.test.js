import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { figuresOf } from '../../lib/result/figures/catalogue.js';
import { SHOWN } from '../../lib/result/figures/quantities.js';
import { stageTable } from '../../lib/result/figures/stage-table.js';
import { PLAIN, markdownTable, textTable } from '../../lib/result/figures/table.js';
import { formatStageSummary, stageFindings } from '../../lib/report/stage-findings.js';
import { textWidth } from '../../lib/text/text-width.js';
import { finishedStage } from '../helpers/finished-stage.js';

/**
 * @import { Look } from '../../lib/result/figures/drawing.js'
 * @import { Column } from '../../lib/result/figures/table.js'
 * @import { StageResult } from '../../lib/result/result.js'
 */

/**
 * @param {number} columns
 * @returns {Look}
 */
function lookOf(columns) {
  return { columns, rows: 24, isUnicode: true, hasColour: false };
}

/**
 * @param {'Write' | 'Read' | 'Remove'} name
 * @param {Partial<StageResult>} changes
 * @returns {StageResult}
 */
function stageOf(name, changes) {
  const evidence = 'more than 23 threads brought no gain, 1,000.0/s of 16KiB and 999.3/s of 8KiB, event loop 12% busy';
  const bottleneck = /** @type {const} */ ({ cause: 'store', certainty: 'proven', evidence, advice: null });
  const { average = 0 } = changes;
  const rates = { peak: 1.2 * average, averageBytes: 16_384 * average };
  return finishedStage({ name, operations: [{ after: 12 }] }, { ...rates, bottleneck, ...changes });
}

const STAGES = [
  stageOf('Read', { average: 2345.6, failedAttempts: 5, throttled: 5 }),
  stageOf('Remove', { average: 10_345.6 }),
];

test('a run on a terminal of 80 columns ends with bars and what limited it', () => {
  const [, heading, read, , , ...sentence] = formatStageSummary(STAGES, lookOf(80));
  assert.match(heading, /^Stage +Ops\/s +Threads +MiB\/s +p50 +p99 +Errors {2}Limited by$/);
  assert.match(read, /^Read +2,346 {2}█+ +4 +36\.7 +[\d.]+ms +12\.0ms +5 {2}store$/);
  assert.deepEqual(sentence, [
    'Read and Remove were limited by the store: more than 23 threads brought no',
    '  gain, 1,000.0/s of 16KiB and 999.3/s of 8KiB, event loop 12% busy.',
  ]);
});

test('parts of a stage have rows of their own after it, with what they have in common', () => {
  const kinds = /** @type {any} */ (['read', 'write'].map((operation) => ({ ...STAGES[0], operation })));
  const part = { operations: 3, bytes: 1, average: 2, averageBytes: 9, latency: null, histogram: null };
  const mixed = { ...STAGES[0], stage: 'Mixed', kinds };
  const sized = {
    ...STAGES[1],
    sizeClasses: [
      { ...part, from: 1024, to: 2047 },
      { ...part, from: 0, to: 1_000_000 },
    ],
  };
  const cached = {
    ...STAGES[1],
    cache: [
      { ...part, status: 'HIT', maxAge: 7 },
      { ...part, status: 'MISS', maxAge: null },
    ],
  };
  const writes = (/** @type {string} */ status, /** @type {number} */ operations) => ({ ...part, status, operations });
  const contenders = [writes('loser', 30), writes('winner', 10)];
  const races = /** @type {any} */ ({ ...STAGES[1], stage: 'Swap', contenders, integrityErrors: 1, undecidedRaces: 2 });
  assert.deepEqual(stageFindings(races), ['1 violation, 2 undecided races']);
  const { rows } = stageTable([mixed, sized, cached, races]);
  assert.deepEqual(
    rows.map(({ name, share }) => [name, share ?? null]),
    [
      ['Mixed', null],
      ['  read', null],
      ['  write', null],
      ['Remove', null],
      ['  1 KiB to 2 KiB', null],
      ['  0 B to 1 MB', null],
      ['Remove', null],
      ['  HIT', 0.5],
      ['  MISS', 0.5],
      ['Swap', null],
      ['  loser', 0.75],
      ['  winner', 0.25],
    ],
  );
});

test('a stage that ended within its warm-up is too short for a rate', () => {
  const stage = stageOf('Read', { warmup: 5000, warmupOperations: 1 });
  const short = { ...stage, latency: { ...stage.latency, operations: null } };
  assert.match(textTable(stageTable([short]), PLAIN)[1], /^Read +too short /);
});

test('every figure of a stage appears in every table of stages that has room for it', () => {
  const table = stageTable(STAGES);
  const [text] = textTable(table, { ...PLAIN, columns: 400 });
  const [markdown] = markdownTable(table, (cell) => cell);
  for (const { title, heading = title } of figuresOf('stages')) {
    assert.ok(text.split(/ {2,}/).includes(heading), heading);
    assert.ok(
      markdown.split(' | ').some((cell) => cell.replace('| ', '') === heading),
      heading,
    );
  }
});

/** @typedef {{ name: string, value: number, figure: number | null }} Row */

/** @type {readonly Column<Row>[]} */
const COLUMNS = [
  { title: 'Name', value: ({ name }) => name },
  { title: 'Value', quantity: 'rate', value: ({ value }) => value },
  { title: 'Figure', quantity: 'count', value: ({ figure }) => figure, rank: 1 },
];

test('no row is as wide as the terminal, and no number is cut if the columns that remain fit', () => {
  const name = fc.string({ unit: fc.constantFrom('a', '漢', '🙂', 'e\u0301'), maxLength: 60 });
  const row = fc.record({ name, value: fc.double({ min: 0, max: 1e12, noNaN: true }), figure: fc.option(fc.nat()) });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), fc.integer({ min: 20, max: 200 }), (rows, columns) => {
      const lines = textTable({ columns: COLUMNS, rows, bars: 'Value' }, lookOf(columns));
      assert.equal(lines.length, rows.length + 1);
      lines.forEach((line) => assert.ok(textWidth(line) < columns, line));
      assert.equal(lines[0].includes('Figure') && rows.every(({ figure }) => figure === null), false);
      if (Math.max(...rows.map((each) => textWidth(each.name))) < columns - 40) {
        rows.forEach(({ value }, index) => assert.ok(lines[index + 1].includes(SHOWN.rate.textOf(value))));
      }
    }),
  );
});
