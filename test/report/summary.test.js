import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowOfStage } from '../../lib/result/figures/stage-table.js';
import { escapeMarkdown, summaryReporter } from '../../lib/report/summary.js';
import { resultOf } from '../result/model-results.js';

/** @import { Result, ThresholdResult } from '../../lib/result/result.js' */

/** @param {Partial<Result>} [changes] */
function summaryOf(changes = {}) {
  return [...summaryReporter.format({ ...resultOf(), ...changes })].join('');
}

/** @type {ThresholdResult} */
const MISSED = {
  expression: 'write.rate > 0.95 * baseline',
  stage: 'Write',
  metric: 'rate',
  value: 3.3,
  limit: 9.5,
  unit: 'ops/s',
  outcome: 'missed',
  message: 'it was 3.333/s, baseline 10/s',
};

test('the page has the outcome and the answer, then thresholds and stages', () => {
  const [title, answer, thresholds, stages, ...sections] = summaryOf({ thresholds: [MISSED] }).split('\n\n');
  assert.equal(title, '## r2-benchmark: 1 threshold missed');
  assert.equal(answer, '- Write 3.3 ops/s, p99 7.00 ms, limit unknown');
  assert.deepEqual(thresholds.split('\n'), [
    '| Threshold | Outcome | Figures |',
    '| --- | --- | --- |',
    String.raw`| write.rate &gt; 0.95 \* baseline | missed | it was 3.333/s, baseline 10/s |`,
  ]);
  assert.deepEqual(stages.split('\n'), [
    '| Stage | Ops/s | Threads | Peak/s | MiB/s | p50 | p90 | p95 | p99 | p99.9 | max | Ops | Errors | Time | Limited by |',
    '| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --- |',
    '| Write | 3.3 | 4 | 3.3 | 0.1 | 7.00ms | 7.00ms | 7.00ms | 7.00ms | 7.00ms | 7.00ms | 5 | 0 | 1.5 | inconclusive |',
  ]);
  assert.deepEqual(
    sections.filter((line) => line.startsWith('### ')),
    ['### Bottlenecks', '### How it was measured'],
  );
});

test('the answer of a ramp is its best step, as in the table', () => {
  const [write] = resultOf().stages;
  const step = { threads: 8, operations: [40, 60], errors: 0, throttled: 0, shortfall: null };
  const latency = { ...write.latency.operations, p99: 9 };
  const ramp = /** @type {any} */ ({ steps: [{ ...step, latency }] });
  const text = summaryOf({ stages: [{ ...write, ramp }] });
  assert.match(text, /^- Write 50\.0 ops\/s, p99 9\.00 ms, /m);
  assert.match(text, /^\| Write \| 50\.0 \|.* 9\.00ms \|/m);

  const slot = { slotStart: 1, threads: 8, hosts: 2, operationsPerSecond: 50, standardError: 1, counts: true };
  const merged = { slots: [slot], missing: [], shardIsMissing: false, knee: null, hasPlateau: false };
  const capacity = { operationsPerSecond: 50, low: 49, high: 51, confidence: 0.95, threads: 8, seconds: 2 };
  const rowOf = (/** @type {object | null} */ found) =>
    rowOfStage(/** @type {any} */ ({ ...write, ramp, merge: { hosts: 2, ramp: { ...merged, capacity: found } } }));
  const [row, unknown] = [rowOf(capacity), rowOf(null)];
  assert.deepEqual([row.average, row.latency.operations?.p99, row.averageBytes], [50, 9, null]);
  assert.deepEqual([unknown.average, unknown.latency.operations], [null, null]);
});

test('problems are mentioned at the top and listed below', () => {
  const [write] = resultOf().stages;
  const text = summaryOf({
    problems: ['no bucket "one"'],
    stages: [{ ...write, end: 'stalled', failed: 2, integrityErrors: 1 }],
    cleanup: /** @type {any} */ ({ removed: 1, left: 4, unlisted: 0, otherBuckets: null }),
  });
  assert.match(text, /^## r2-benchmark: something went wrong\n/);
  assert.deepEqual(text.split('### Problems\n\n')[1].split('\n\n')[0].split('\n'), [
    '- no bucket "one"',
    '- clean-up: 4 objects left',
    '- Write: it ended before its work was done (stalled)',
    '- Write: 2 operations failed',
    '- Write: 1 response had the wrong content',
  ]);
});

test('no external text becomes a link, a tag, a cell, code or a separate line', () => {
  const hostile =
    '<script>alert(1)</script> | `x` [a](javascript:b) **c** @all #1 http://d.e www.f.g \u001b[31m\n# h $x$';
  const text = summaryOf({
    problems: [hostile],
    hosts: /** @type {any} */ ([{ ...resultOf().hosts[0], host: hostile }]),
    stages: resultOf().stages.map((stage) => ({
      ...stage,
      bottleneck: { cause: hostile, evidence: hostile, advice: '__proto__' },
    })),
    thresholds: [{ ...MISSED, message: hostile }],
  });
  assert.ok(!/<[a-z/]|[^\\][@`$]|[^\\]\]\(|http:|www\.f/i.test(text), text);
  assert.ok(!text.includes('\u001b'));
  const rows = text.split('\n').filter((line) => line.startsWith('| Write'));
  assert.deepEqual(
    rows.map((row) => row.split(/(?<!\\)\|/).length),
    [17],
  );
});

test('any text stays on one line, without a tag or the end of a cell', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string()), (text) => {
      const escaped = escapeMarkdown(text);
      assert.ok(
        !/[\n\r\u2028]|[<>]|(?<!\\)(?:\\\\)*[|`]/.test(escaped.replace(/(?<!\\)((?:\\\\)*)\\[|`]/g, '$1')),
        escaped,
      );
    }),
  );
});

test('no text starts a list, a heading, a rule, a quotation or a code block', () => {
  for (const [text, escaped] of [
    ['- x', String.raw`\- x`],
    ['+ x', String.raw`\+ x`],
    ['* x', String.raw`\* x`],
    ['1. y', String.raw`1\. y`],
    ['20) y', String.raw`20\) y`],
    ['7.', String.raw`7\.`],
    ['---', String.raw`\---`],
    ['===', String.raw`\===`],
    ['# z', String.raw`\# z`],
    ['> z', '&gt; z'],
    ['  - x', String.raw`\- x`],
    ['    code', 'code'],
    ['1.5 ops/s', '1.5 ops/s'],
    ['a - b', 'a - b'],
  ]) {
    assert.equal(escapeMarkdown(text), escaped);
  }
  const page = summaryOf({ problems: ['- x', '1. y'] });
  assert.match(page, /^- \\- x\n- 1\\\. y$/m);
});
