import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sweepPage } from '../../lib/report/html/sweep-page.js';
import { formatSweep, formatSweepCsv, sweepFigures, sweepSentences } from '../../lib/report/sweep-text.js';
import { planSweep } from '../../lib/series/sweep-plan.js';
import { resultOf } from '../result/results.js';

/** @import { Sweep, SweepTurn } from '../../lib/series/sweep-plan.js' */

/**
 * @param {readonly string[]} vary
 * @param {readonly (readonly number[] | string | null)[]} rates of the runs of each cell, in ops/s; a text is the reason
 *   why its run failed
 * @returns {Sweep}
 */
function sweepOf(vary, rates) {
  const { plan, problems } = planSweep({
    options: { objects: '100', threads: '4', local: true },
    vary,
    repeat: Math.max(...rates.map((runs) => (Array.isArray(runs) ? runs.length : 1))),
    seed: 1,
    reference: null,
  });
  assert.deepEqual([problems, plan.cells.length], [[], rates.length]);
  /** @type {SweepTurn[]} */
  const turns = rates.flatMap((runs, cell) => turnsOf(cell, runs));
  return { ...plan, turns };
}

/**
 * @param {number} cell
 * @param {readonly number[] | string | null} runs
 * @returns {SweepTurn[]}
 */
function turnsOf(cell, runs) {
  if (typeof runs === 'string') {
    return [{ cell, problem: runs, result: null }];
  }
  return (runs ?? []).map((rate) => {
    const facts = { average: rate, averageBytes: rate * 4096, objectsNeeded: null };
    return { cell, problem: null, result: resultOf([{ rates: [rate], latencies: () => [10, 10], facts }]) };
  });
}

/** @param {Sweep} sweep */
function textOf(sweep) {
  return formatSweep(sweep, sweepFigures(sweep));
}

const GRID = ['size=4KiB,64KiB', 'threads=1,8,64'];
const RATES = [[100], [796], [3000], [90], 'GET was refused', null];

describe('the text of a sweep', () => {
  test('is a grid for two variables, with failed and missing cells', () => {
    const text = textOf(sweepOf(GRID, RATES));
    const [grid] = text.split('\n\n');
    assert.equal(
      grid,
      [
        'Read',
        '       size / threads       1       8      64',
        'Ops/s  4KiB             100.0   796.0   3,000',
        '       64KiB             90.0  failed       -',
        'MiB/s  4KiB               0.4     3.1    11.7',
        '       64KiB              0.4  failed       -',
        'p99    4KiB            10.0ms  10.0ms  10.0ms',
        '       64KiB           10.0ms  failed       -',
        'Ratio  4KiB             1.000   7.960  30.000',
        '       64KiB            0.900       -       -',
      ].join('\n'),
    );
    assert.ok(text.split('\n').every((line) => line.length <= 80));
  });

  test('is a row per cell for one variable, for three, and for a grid that is too wide', () => {
    const one = textOf(sweepOf(['client=direct,sdk'], [[100], [50]]));
    assert.match(one, /^client {2}Ops\/s {2}MiB\/s +p99 {2}Ratio\ndirect {2}100\.0 .* 1\.000\nsdk +50\.0 .* 0\.500$/m);
    const three = textOf(sweepOf(['size=4KiB,8KiB', 'threads=1,2', 'client=direct,sdk'], Array(8).fill([100])));
    assert.match(three, /^size {2}threads {2}client/m);
    const values = Array.from({ length: 9 }, (_, index) => index + 1);
    const wide = textOf(sweepOf(['size=4KiB,8KiB', `threads=${values.join(',')}`], Array(18).fill([100])));
    assert.match(wide, /^size {2}threads +Ops\/s/m);
  });

  test('names the best cell, the reference, failures and what is missing', () => {
    const sweep = sweepOf(GRID, RATES);
    const sentences = sweepSentences(sweep, sweepFigures(sweep));
    assert.deepEqual(sentences, [
      'Best cell, size=4KiB threads=64: Read (3,000.0 ops/s, 30.00 × the reference).',
      'Read with size=4KiB: from 1 to 64 threads, the rate is 30.0 times as high, less than in proportion from 8 on.',
      'Ratios are to size=4KiB threads=1.',
      'Each cell ran once, so small differences may be chance: --repeat 5 adds intervals.',
      'Failed: size=64KiB threads=8: GET was refused',
      'Not measured: 1 cell of 6.',
    ]);
  });

  test('calls a growth proportional from 90% of the growth of threads or buckets on', () => {
    const growthOf = (/** @type {number} */ last) => {
      const sweep = sweepOf(['buckets=4,1'], [[last], [100]]);
      return sweepSentences(sweep, sweepFigures(sweep)).find((sentence) => sentence.includes('buckets,'));
    };
    assert.equal(growthOf(361), 'Read: from 1 to 4 buckets, the rate is 3.6 times as high, in proportion.');
    assert.equal(growthOf(359), 'Read: from 1 to 4 buckets, the rate is 3.6 times as high, less than in proportion.');
  });

  test('gives t intervals of the logarithms over repeated runs, and ratios by Welch', () => {
    const sweep = sweepOf(
      ['threads=1,2'],
      [
        [100, 100 * Math.E ** 0.02, 100 * Math.E ** 0.01],
        [200, 200 * Math.E ** 0.02, 200 * Math.E ** 0.01],
      ],
    );
    const [{ cells }] = sweepFigures(sweep);
    const [first, second] = cells.map((each) => /** @type {NonNullable<typeof each>} */ (each));
    // Standard error of the mean of 0, 0.01 and 0.02; the 0.975 quantile of Student's t with 2 and 4 degrees of freedom.
    const error = 0.01 / Math.sqrt(3);
    assert.ok(Math.abs(first.rate - 100 * Math.exp(0.01)) < 1e-9);
    assert.ok(Math.abs(Number(first.interval?.high) / first.rate - Math.exp(4.30265 * error)) < 1e-6);
    assert.ok(Math.abs(Number(second.ratio) - 2) < 1e-9);
    assert.ok(Math.abs(Number(second.ratioInterval?.low) / 2 - Math.exp(-2.77645 * error * Math.SQRT2)) < 1e-6);
    assert.equal(first.ratioInterval, null);
    assert.match(textOf(sweep), /^2 +202\.0 ±2\.5%/m);
  });
});

test('the CSV has a row per run and stage, and one for a run without stages', () => {
  const rows = [...formatSweepCsv(sweepOf(GRID, [[100], [1], [1], [1], 'it said "no", twice', null]))]
    .join('')
    .trimEnd()
    .split('\n');
  const [head, first] = rows.map((row) => row.split(','));
  assert.deepEqual(head.slice(0, 4), ['size', 'threads', 'run', 'stage']);
  assert.equal(head.at(-1), 'problem');
  const named = Object.fromEntries(head.map((name, index) => [name, first[index]]));
  const { size, threads, run, stage, rate, throughput, p50, p99, operations, errors, problem } = named;
  assert.deepEqual([size, threads, run, stage, problem], ['4KiB', '1', 'run-1', 'Read', '']);
  assert.deepEqual([rate, throughput, p50, p99, operations, errors], ['100', '409600', '10', '10', '100', '0']);
  assert.match(rows[5], /^64KiB,8,+"it said ""no"", twice"$/);
  assert.equal(rows.length, 6);
});

test('the page has a heat map and a curve for each stage, with every rate', () => {
  const sweep = sweepOf(GRID, RATES);
  const page = [...sweepPage(sweep, sweepFigures(sweep))].join('');
  assert.match(page, /<h1>Best cell, size=4KiB threads=64: Read/);
  assert.match(page, /<span class="heat ramp-0"><data value="90">90\.0<\/data>/);
  assert.match(page, /<span class="heat ramp-4"><data value="3000">/);
  const [, charts] = /id="charts">(.*?)<\/script>/.exec(page) ?? [];
  assert.deepEqual(JSON.parse(String(charts)).read, {
    ...{ name: 'rates-read', numbers: [1, 8, 64], labels: ['1', '8', '64'] },
    rates: [
      [100, 796, 3000],
      [90, null, null],
    ],
  });
  assert.match(page, /data-chart="rates-read"/);
  assert.ok(page.includes('GET was refused'));
});

test('the page of a sweep without numbers or results has no curve', () => {
  const none = sweepOf(['client=direct,sdk'], ['no', 'no']);
  const page = [...sweepPage(none, sweepFigures(none))].join('');
  assert.ok(!page.includes('class="plot"') && page.includes('<h1>Failed: client=direct: no</h1>'));
});
