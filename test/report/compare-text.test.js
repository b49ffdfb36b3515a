import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareQuads } from '../../lib/result/compare/compare-quads.js';
import { compareResults } from '../../lib/result/compare/compare-results.js';
import { comparisonText, shownComparison, shownInterleaved } from '../../lib/report/compare-text.js';
import { ratesOf, resultOf } from '../result/results.js';
import { chance } from '../helpers/chance.js';
import { simulateQuads } from '../helpers/simulated-quads.js';

/**
 * @import { Comparison, MetricComparison } from '../../lib/result/comparison.js'
 * @import { InterleavedComparison, QuadOrder } from '../../lib/result/interleaved.js'
 */

/**
 * @param {number} rate
 * @param {number} median ms
 * @param {Parameters<typeof resultOf>[1]} [facts]
 */
function run(rate, median, facts = {}) {
  const { normal } = chance(1);
  const latencies = () => Array.from({ length: 50 }, () => median * Math.exp(0.3 * normal()));
  return resultOf([{ name: 'Read', rates: ratesOf(60, () => rate), latencies }], facts);
}

const COMPARED = compareResults(
  { name: 'monday.json', result: run(1000, 12) },
  { name: 'tuesday.json', result: run(1100, 10, { versions: { 'r2-benchmark': '1.1.0', node: '20.19.5' } }) },
);

/** @param {Partial<Comparison>} [overrides] */
function comparison(overrides = {}) {
  return { ...COMPARED, ...overrides };
}

/** @param {string} text */
function linesOf(text) {
  return text.split('\n');
}

test('the answer comes first, then the sides, what differs, and a table per stage', () => {
  const lines = linesOf(comparisonText(shownComparison(comparison())));
  assert.match(lines[0], /^after: Read 1\.10 times \(±0\.0\d\) as fast as before; p50, p90 faster$/);
  assert.match(lines[4], /^ {2}before {2}monday\.json +run-1 +1 {2}2026-01-31T12:00:00/);
  assert.match(lines[5], /^ {2}after {3}tuesday\.json +run-1 +1 /);
  assert.match(lines[9], /^ {2}version of r2-benchmark +1\.0\.0 +1\.1\.0$/);
  const stage = lines.indexOf('Read: 60 and 60 whole seconds');
  assert.match(lines[stage + 1], /^ +Figure +Before +After +Ratio +95% interval +Verdict$/);
  assert.match(lines[stage + 2], /^ {2}Rate, ops\/s +1,000 +1,100 +1\.100 +1\.\d{3} to 1\.\d{3} {2}faster$/);
  assert.match(lines[stage + 3], /^ {2}p50, ms +\d+\.\d +\d\.\d\d +0\.8\d\d +0\.\d{3} to 0\.\d{3} {2}faster$/);
  assert.match(lines[stage + 7], /^ {2}Failed attempts +0% +0% +- +- {2}the same$/);
  assert.match(lines.join(' '), /cannot tell for CPU per operation: a single figure per run/);
});

test('what cannot be told comes with what would tell', () => {
  const [stage] = COMPARED.stages;
  const [rate] = stage.metrics;
  const reason = 'only 4 whole seconds (at least 30 are needed)';
  const metrics = [{ ...rate, low: null, high: null, verdict: /** @type {const} */ ('cannot tell'), reason }];
  const text = linesOf(comparisonText(shownComparison(comparison({ stages: [{ ...stage, metrics }] })))).join(' ');
  assert.match(text, /^after: Read cannot be told from before: only 4 whole seconds/);
});

test('two long values are shown from shortly before the first difference', () => {
  const endpoint = (/** @type {string} */ end) => `https://${'4f'.repeat(15)}${end}.r2.cloudflarestorage.com`;
  const differences = [{ what: 'endpoint', before: endpoint('aa'), after: endpoint('bb') }];
  assert.match(
    comparisonText(shownComparison(comparison({ differences }))),
    /^ {2}endpoint +…4f4f4f4faa\.r2\.cloudflarestora… {2}…4f4f4f4fbb\.r2\.cloudflarestora…$/m,
  );
});

test('no line is wider than 80 columns, whatever the figures and names', () => {
  const figure = fc.oneof(fc.constant(null), fc.double({ min: 0, max: 1e7, noNaN: true }));
  const ratio = fc.oneof(fc.constant(null), fc.double({ min: 0, max: 1e9, noNaN: true }));
  const verdict = fc.constantFrom(
    ...Object.keys({ faster: 1, slower: 1, fewer: 1, more: 1, 'the same': 1, 'cannot tell': 1 }),
  );
  const words = fc.array(fc.constantFrom('before', 'whole', 'seconds,', 'expected', '30'), { maxLength: 40 });
  const anyMetric = (/** @type {string} */ metric, /** @type {fc.Arbitrary<number | null>} */ value) =>
    fc.record({
      ...{ metric: fc.constant(metric), before: value, after: value, ratio, low: ratio, high: ratio, verdict },
      reason: fc.option(words.map((all) => all.join(' '))),
    });
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const metrics = fc.tuple(
    ...['rate', 'p50', 'p90', 'p99', 'p999', 'cpu'].map((metric) => anyMetric(metric, figure)),
    anyMetric('errorShare', share),
  );
  const text = fc.option(fc.string({ maxLength: 300 }));
  const difference = fc.record({ what: fc.string({ maxLength: 90 }), before: text, after: text });
  fc.assert(
    fc.property(
      metrics,
      fc.array(difference, { maxLength: 5 }),
      fc.string({ maxLength: 200 }),
      (all, differences, name) => {
        const compared = comparison({
          differences,
          mismatches: ['threads: 50 threads before, 100 threads after (Write, Read, Stat, Remove)'],
          stages: [
            { stage: 'Read', seconds: { before: 60, after: 60 }, metrics: /** @type {MetricComparison[]} */ (all) },
          ],
        });
        const { before } = compared;
        for (const line of linesOf(comparisonText(shownComparison({ ...compared, before: { ...before, name } })))) {
          assert.ok(line.length <= 80, `${line.length}: ${line}`);
        }
      },
    ),
  );
});

test('a terminal obeys nothing in the results', () => {
  const hostile = '\u001b[2J\u202e<script>\r\nfake: 1';
  const stage = comparison().stages[0];
  const compared = comparison({
    before: { name: hostile, run: hostile, hosts: 1, start: hostile },
    differences: [{ what: hostile, before: hostile, after: null }],
    mismatches: [hostile],
    stages: [{ ...stage, stage: hostile }],
    stagesOfOne: { before: [hostile], after: [hostile] },
  });
  const text = comparisonText(shownComparison(compared));
  assert.doesNotMatch(text.replaceAll('\n', ''), /\p{C}/u);
  assert.ok(!linesOf(text).some((line) => line.startsWith('fake')));
  assert.match(text, /\\u\{1b\}/);
});

const MARGIN = 0.03;

/** @type {readonly QuadOrder[]} */
const ORDERS = ['ABBA', 'BAAB', 'BAAB', 'ABBA', 'ABBA', 'BAAB'];

test('two setups in turns have a sentence per stage, and show how many more quads would tell', () => {
  const quads = simulateQuads({ orders: ORDERS, ratio: 1.25 });
  for (const [index, { passes }] of quads.entries()) {
    for (const { side, stages } of passes) {
      const [stage] = stages;
      stage.metrics.p50 = 4;
      // Too different from quad to quad for a verdict.
      stage.metrics.p99 = side === 'a' ? 8 : 8 * 2 ** (index % 2 === 0 ? 1 : -0.9);
    }
  }
  quads[1].passes[0].stages[0].failedAttempts = 3;
  const shown = shownInterleaved(
    /** @type {InterleavedComparison} */ ({
      before: { name: '--env-file \u001b[31mred', run: 'pair-a', hosts: 1, start: null },
      after: { name: '', run: 'pair-b', hosts: 1, start: null },
      margin: MARGIN,
      quads,
      quadsPlanned: ORDERS.length,
      stages: compareQuads(quads, { margin: MARGIN }),
      problems: ['B: the last turn was cut off'],
    }),
  );
  const text = comparisonText(shown);
  assert.ok(text.startsWith('B: Write 1.25 times (±0.00) as fast as A\n'), text);
  assert.match(text, /\n {2}A +--env-file \\u\{1b\}\[31mred +pair-a +1\n {2}B +no options of its own +pair-b +1\n/);
  assert.match(text, /\n {2}6 quads: ABBA BAAB BAAB ABBA ABBA BAAB\.\n {2}B: the last turn was cut off\n/);
  assert.match(text, /\n {2}p99, ms +8\.00 +8\.28 +1\.035 +0\.486 to 2\.207 {2}cannot tell\n/);
  assert.match(
    text.replace(/\n +/g, ' '),
    /cannot tell for p99: .*; more quads are unlikely to help: use more objects/,
  );
  assert.match(text, /failed attempts: 0 with A, 3 with B\n/);
});
