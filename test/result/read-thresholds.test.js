import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkThresholds, formatThreshold, readThresholds } from '../../lib/result/thresholds/threshold.js';

const RUN = { stages: ['write', 'read', 'stat'], mayHave: (/** @type {string} */ stage) => stage === 'read' };

/** @param {readonly string[]} texts */
function assertions(texts) {
  return texts.map((text) => ({ text, place: '--assert' }));
}

test('every problem of every assertion is reported, with the nearest of the valid names', () => {
  const { thresholds, problems } = readThresholds(
    assertions(['raed.p99x < 50ms', 'write.rate > 5MB/s', 'write.firstByte.p99 < 1s', 'errors', 'read.rate > 5']),
    RUN,
  );
  assert.deepEqual(thresholds.map(formatThreshold), ['read.rate > 5']);
  assert.deepEqual(problems, [
    '--assert: "raed.p99x < 50ms": no figure of a stage is called "p99x"; near names: p99, p999, p90; docs/use/ci.md lists all',
    '--assert: "raed.p99x < 50ms": unknown stage raed, expected write, read, stat; did you mean read?',
    '--assert: "write.rate > 5MB/s": expected a limit such as 800 (a plain number) or 0.95 * baseline, got "5MB/s"',
    '--assert: "write.firstByte.p99 < 1s": write has no such figure: only stages that read objects have it',
    `--assert: "errors": expected a figure, an operator (< <= > >= == !=) and a limit, such as 'read.p99 < 50ms'`,
  ]);
});

test('without a run, any stage is accepted until the run is known', () => {
  const { thresholds, problems } = readThresholds(assertions(['lst.p99 < 5ms', 'read.p99 < 5ms', 'errors == 0']), null);
  assert.deepEqual(problems, []);
  assert.deepEqual(checkThresholds(thresholds, { stages: ['read', 'list'], mayHave: () => true }), [
    '--assert: "lst.p99 < 5ms": unknown stage lst, expected read, list; did you mean list?',
  ]);
});
