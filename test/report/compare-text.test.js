import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareResults } from '../../lib/compare/compare-results.js';
import { formatComparison } from '../../lib/report/compare-text.js';
import { ratesOf, resultOf } from '../compare/results.js';
import { chance } from '../helpers/chance.js';

/** @import { Comparison, MetricComparison } from '../../lib/model/comparison.js' */

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

test('names both sides, lists differences, and has a table per stage', () => {
  const lines = linesOf(formatComparison(comparison()));
  assert.equal(lines[0], 'before  monday.json: run run-1, 1 host, 2026-01-31 12:00:00 UTC');
  assert.match(lines[1], /^after {3}tuesday\.json: run run-1, 1 host/);
  assert.match(lines[3], /^These verdicts hold for these two runs only:/);
  const different = lines.indexOf('Differences between the runs');
  assert.match(lines[different + 2], /^ {2}version of r2-benchmark +1\.0\.0 +1\.1\.0$/);
  const stage = lines.findIndex((line) => line.startsWith('Read: '));
  assert.ok(stage > different);
  assert.equal(lines[stage], 'Read: 10% more operations per second; p50, p90 faster.');
  assert.match(lines[stage + 1], /^ +before +after +ratio +95% interval$/);
  assert.match(lines[stage + 2], /^ {2}seconds +60 +60$/);
  assert.match(lines[stage + 3], /^ {2}ops\/s +1,000\.1 +1,100\.1 +1\.100 +1\.\d{3} to 1\.\d{3} {2}faster$/);
  assert.match(lines[stage + 4], /^ {2}MiB\/s +15\.6 +17\.2 +1\.100 +1\.\d{3} to 1\.\d{3} {2}faster$/);
  assert.match(lines[stage + 5], /^ {2}p50 +\d+\.\d\dms +\d+\.\d\dms +0\.8\d\d +0\.\d{3} to 0\.\d{3} {2}faster$/);
  assert.match(lines[stage + 9], /^ {2}errors +0\.000% +0\.000% +- +- {2}the same$/);
  assert.match(lines[stage + 10], /^ {2}CPU\/op +50\.0µs +50\.0µs +1\.000 +- {2}cannot tell$/);
  assert.match(lines.join(' '), /cannot tell for CPU\/op: a single figure per run/);
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
    ...['rate', 'throughput', 'p50', 'p90', 'p99', 'p999', 'cpu'].map((metric) => anyMetric(metric, figure)),
    anyMetric('errors', share),
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
        for (const line of linesOf(formatComparison({ ...compared, before: { ...before, name } }))) {
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
  const text = formatComparison(compared);
  assert.doesNotMatch(text.replaceAll('\n', ''), /\p{C}/u);
  assert.ok(!linesOf(text).some((line) => line.startsWith('fake')));
  assert.match(text, /\\u\{1b\}/);
});

test('stages that are too short share one sentence with the necessary duration, unless their errors differ', () => {
  const [stage] = COMPARED.stages;
  const short = { ...stage, seconds: { before: 4, after: 5 } };
  const text = linesOf(formatComparison(comparison({ stages: [short] }))).join(' ');
  assert.match(
    text,
    /Too short to compare: \w+ \(4 and 5 whole seconds, ops\/s × \d\.\d+\)\. A comparison needs 30 whole/,
  );
  assert.match(text, /run both with --duration 32s or longer/);
  assert.doesNotMatch(text, /cannot tell/);
  const metrics = stage.metrics.map((each) =>
    each.metric === 'errors' ? { ...each, verdict: /** @type {const} */ ('more') } : each,
  );
  const worse = formatComparison(comparison({ stages: [{ ...short, metrics }] }));
  assert.doesNotMatch(worse, /Too short/);
  assert.match(worse, /more attempts failed/);
});
