import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { textWidth } from '../../lib/text/text-width.js';
import { barTable, formatStageSummary } from '../../lib/report/bar-table.js';
import { finishedStage } from '../helpers/finished-stage.js';

/**
 * @import { StageResult } from '../../lib/model/result.js'
 * @import { Look } from '../../lib/report/reporter.js'
 */

/**
 * @param {number} columns
 * @param {Partial<Look>} [others]
 * @returns {Look}
 */
function lookOf(columns, others = {}) {
  return { columns, rows: 24, isUnicode: true, hasColour: true, ...others };
}

/**
 * @param {'Write' | 'Read' | 'Remove'} name
 * @param {number} average ops/s
 * @param {{ failedAttempts: number, throttled: number }} errors
 * @returns {StageResult}
 */
function stageOf(name, average, errors) {
  const rates = { average, peak: 1.2 * average, averageBytes: 16_384 * average };
  const evidence =
    'more than 23 threads brought no gain, 1,000.0/s of 16KiB and 999.3/s of 8KiB, event loop up to 12% busy';
  const bottleneck = {
    cause: /** @type {const} */ ('store'),
    certainty: /** @type {const} */ ('proven'),
    evidence,
    advice: null,
  };
  return finishedStage({ name, operations: [{ after: 12 }] }, { ...rates, ...errors, bottleneck });
}

const STAGES = [
  stageOf('Write', 1234.56, { failedAttempts: 3, throttled: 1 }),
  stageOf('Read', 2345.6, { failedAttempts: 5, throttled: 5 }),
  stageOf('Remove', 10_345.6, { failedAttempts: 0, throttled: 0 }),
];

test('a mix has a row for each operation after its own', () => {
  const [stage] = STAGES;
  const kinds = Object.entries({ read: 864.2, write: 370.4 }).map(([operation, average]) => ({
    ...stage,
    ...{ operation, average, failedAttempts: operation === 'read' ? 3 : 0 },
  }));
  const mixed = { ...stage, stage: /** @type {any} */ ('Mixed'), kinds };
  const lines = formatStageSummary([mixed], lookOf(60, { hasColour: false }));
  assert.deepEqual(lines.slice(1, 5), [
    'Stage      Ops/s                       p95      p99  Errors',
    'Mixed    1,234.6  ███████████████  12.00ms  12.00ms       3',
    '  read     864.2  ███████████      12.00ms  12.00ms       3',
    '  write    370.4  █████            12.00ms  12.00ms       0',
  ]);
  assert.equal(lines.filter((line) => line.includes('limited by')).length, 1);
});

test('the summary on a terminal of 80 columns', () => {
  assert.deepEqual(formatStageSummary(STAGES.slice(1), lookOf(80, { hasColour: false })), [
    '',
    'Stage      Ops/s                  Threads      p95      p99  Errors  Limited by',
    'Read     2,345.6  ███                   4  12.00ms  12.00ms       5       store',
    'Remove  10,345.6  ██████████████        4  12.00ms  12.00ms       0       store',
    '',
    'Read and Remove were limited by the store: more than 23 threads brought no',
    '  gain, 1,000.0/s of 16KiB and 999.3/s of 8KiB, event loop up to 12% busy.',
  ]);
});

test('no row is as wide as the terminal, whatever the names and figures', () => {
  const name = fc.string({ unit: fc.constantFrom('a', '漢', '🙂', 'e\u0301'), maxLength: 60 });
  const row = fc.record({ name, value: fc.double({ min: 0, max: 1e12, noNaN: true }), figure: fc.nat() });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), fc.integer({ min: 20, max: 200 }), (rows, columns) => {
      const column = (/** @type {string} */ heading, /** @type {string[]} */ texts) => {
        return { heading, cells: texts.map((text) => ({ text })) };
      };
      const table = {
        names: column(
          'Name',
          rows.map((each) => each.name),
        ),
        values: column(
          'Value',
          rows.map(({ value }) => value.toFixed(1)),
        ),
        bars: rows.map(({ value }) => value),
        others: [
          column(
            'Figure',
            rows.map(({ figure }) => String(figure)),
          ),
        ],
        dispensable: ['Figure'],
      };
      const lines = barTable(table, lookOf(columns));
      assert.equal(lines.length, rows.length + 1);
      lines.forEach((line) => assert.ok(textWidth(line) < columns, line));
    }),
  );
});
