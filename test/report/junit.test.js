import fc from 'fast-check';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { junitReporter } from '../../lib/report/junit.js';
import { summaryReporter } from '../../lib/report/summary.js';
import { evaluateThresholds } from '../../lib/result/thresholds/evaluate.js';
import { parseThreshold } from '../../lib/result/thresholds/threshold.js';
import { finishedStage } from '../helpers/finished-stage.js';
import { aggregateOf, madeLogs } from '../result/logs-of.js';
import { anyResult, resultOf } from '../result/model-results.js';
import { assertSameFigures } from './same-figures.js';

/**
 * @import { WritableResult } from '../../lib/result/write-result.js'
 */

/**
 * @param {WritableResult} result
 * @param {readonly string[]} assertions
 * @returns {WritableResult}
 */
function asserted(result, assertions) {
  const thresholds = assertions.flatMap((text) => parseThreshold(text).threshold ?? []);
  assert.equal(thresholds.length, assertions.length);
  return { ...result, thresholds: evaluateThresholds(thresholds, result, null) };
}

/** @param {WritableResult} result */
function junitOf(result) {
  return [...junitReporter.format(result)].join('');
}

/** @param {WritableResult} result */
function outputsOf(result) {
  return { summary: [...summaryReporter.format(result)].join(''), junit: junitOf(result) };
}

const OPERATIONS = [300, 400, 500].map((latency) => ({ after: 400, latency, failures: ['timeout'] }));

describe('summary and JUnit have the figures of the result', () => {
  const limits = ['write.p99 < 50ms', 'write.operations > 1', 'errors == 0'];

  test('of a run', () => {
    const run = { ...resultOf(), stages: [finishedStage({ operations: OPERATIONS })] };
    const result = asserted(run, limits);
    assertSameFigures(result, outputsOf(result));
    fc.assert(
      fc.property(anyResult, (other) => {
        fc.pre(other.stages.length > 0);
        assertSameFigures(other, outputsOf(other));
      }),
    );
  });

  test('of a merge of three hosts', () => {
    const result = asserted(aggregateOf(madeLogs({ hosts: 3, seconds: 6 })).merged.result, limits);
    assert.equal(result.hosts.length, 3);
    assertSameFigures(result, outputsOf(result));
  });
});

test('the run, each stage and each threshold is a test', () => {
  const junit = junitOf(asserted(resultOf(), ['write.p99 < 50ms', 'errors != 0', 'read.p99 < 5ms']));
  assert.match(
    junit,
    /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites name="r2-benchmark" tests="5" failures="1" errors="1"/,
  );
  assert.deepEqual(
    [...junit.matchAll(/<testcase classname="([^"]+)" name="([^"]+)"/g)].map(([, suite, name]) => `${suite}: ${name}`),
    [
      'r2-benchmark.stages: run',
      'r2-benchmark.stages: Write',
      'r2-benchmark.thresholds: write.p99 &lt; 50ms',
      'r2-benchmark.thresholds: errors != 0',
      'r2-benchmark.thresholds: read.p99 &lt; 5ms',
    ],
  );
  assert.match(junit, /<failure type="missed" message="it was 0"\/>/);
  assert.match(junit, /<error type="inconclusive" message="not known: the stage did not run"\/>/);
  assert.match(junit, /name="Write" time="1\.500">/);
});

test('a run with problems never has an all-green test file', () => {
  const [write] = resultOf().stages;
  for (const [change, where] of /** @type {[Partial<WritableResult>, RegExp][]} */ ([
    [{ problems: ['no bucket'], stages: [] }, /name="run"[^]*<error type="incomplete" message="no bucket"\/>/],
    [{ stages: [] }, /name="run"[^]*message="no stage ran"/],
    [
      { cleanup: /** @type {any} */ ({ left: 3, unlisted: 0, otherBuckets: null }) },
      /message="clean-up: 3 objects left"/,
    ],
    [
      { stages: [{ ...write, end: 'stopped' }] },
      /name="Write"[^]*message="it ended before its work was done \(stopped\)"/,
    ],
    [{ stages: [{ ...write, failed: 1 }] }, /name="Write"[^]*message="1 operation failed"/],
  ])) {
    const junit = junitOf({ ...resultOf(), ...change });
    assert.match(junit, where);
    assert.match(junit, /^<testsuites .* errors="1"/m);
  }
});

test('the file contains only what XML allows, and no text opens a tag or ends an attribute', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('</testcase>', ']]>', '"/>', '\u0000\u001b[31m', '\ud800'),
  );
  const shape = junitOf({ ...resultOf(), problems: ['x'], host: 'x' }).replaceAll('"x"', '""');
  fc.assert(
    fc.property(text, text, (problem, host) => {
      const junit = junitOf({ ...resultOf(), problems: [problem], host });
      // https://www.w3.org/TR/xml/#charsets
      assert.ok(!/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.test(junit));
      const emptied = junit.replace(/(message|hostname)="[^"<>]*"/g, '$1=""');
      assert.equal(emptied, shape);
    }),
  );
});
