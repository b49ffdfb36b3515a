import fc from 'fast-check';
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { EXIT } from '../../lib/cli/exit-status.js';
import { judge, readGuard, statusWith } from '../../lib/cli/guard.js';
import { UsageError } from '../../lib/options/usage-error.js';
import { writeResult } from '../../lib/result/write-result.js';
import { parseThreshold } from '../../lib/result/thresholds/threshold.js';
import { folderWith, runInProcess } from '../helpers/command.js';
import { resultOf } from '../result/model-results.js';

/** @import { CommonOptions, ThresholdOutcome, ThresholdResult } from '../../lib/result/result.js' */

const BEFORE = [...writeResult(resultOf())].join('');

/**
 * @param {readonly string[]} texts
 * @param {{ baseline?: string }} [files]
 */
function guardOf(texts, { baseline } = {}) {
  const thresholds = texts.flatMap((text) => parseThreshold(text).threshold ?? []);
  return readGuard({ thresholds, baseline });
}

/** @param {() => unknown} read @returns {readonly string[]} */
function problemsOf(read) {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof UsageError);
    return error.problems;
  }
  throw new Error('expected a UsageError');
}

/** @param {ThresholdOutcome} outcome @returns {ThresholdResult} */
function outcomeOf(outcome) {
  const common = { expression: 'errors == 0', stage: null, metric: 'errors', value: 0, limit: 0 };
  return { ...common, unit: 'attempts', outcome, message: 'it was 0' };
}

test('the status is that of an incomplete run; otherwise inconclusive thresholds outrank missed ones', () => {
  const outcomes = fc.array(fc.constantFrom(.../** @type {const} */ (['passed', 'missed', 'inconclusive'])), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(outcomes, fc.constantFrom(0, 1, 2, 130, 141), (all, status) => {
      const expected =
        status !== 0
          ? status
          : all.includes('inconclusive')
            ? EXIT.incomplete
            : all.includes('missed')
              ? 3
              : EXIT.complete;
      assert.equal(statusWith(status, all.map(outcomeOf)), expected);
    }),
  );
});

describe('a baseline', () => {
  test('is a result with the figures that are compared with it', async (t) => {
    const folder = await folderWith(t, { 'before.json': BEFORE, 'none.json': '{}', 'log.txt': 'Write took 5ms' });
    const baseline = path.join(folder, 'before.json');
    assert.equal(guardOf(['write.rate > 0.95 * baseline'], { baseline }).baseline?.run, 'run-1');
    assert.deepEqual(
      problemsOf(() => guardOf(['read.rate > 0.95 * baseline', 'write.knee > baseline'], { baseline })),
      [
        `--baseline: ${baseline} has no figure for "read.rate > 0.95 * baseline"`,
        `--baseline: ${baseline} has no figure for "write.knee > baseline"`,
      ],
    );
    assert.match(problemsOf(() => guardOf(['errors == 0'], { baseline }))[0], /^--baseline: no threshold uses it/);
    for (const name of ['none.json', 'log.txt']) {
      const file = path.join(folder, name);
      assert.match(
        problemsOf(() => guardOf(['errors <= baseline'], { baseline: file }))[0],
        /^--baseline: .*: expected /,
      );
    }
  });

  test('is required if a limit refers to it', () => {
    assert.deepEqual(
      problemsOf(() => guardOf(['read.rate > 0.95 * baseline'])),
      ['--assert: "read.rate > 0.95 * baseline": expected --baseline with the result of an earlier run'],
    );
  });
});

test('reports a baseline with a different load, and the differences', () => {
  const now = resultOf();
  const warningsFor = (/** @type {CommonOptions} */ before, /** @type {CommonOptions} */ after) => {
    const [baseline, result] = [before, after].map((options) => ({ ...now, options: { ...now.options, ...options } }));
    return judge({ thresholds: [], baseline: /** @type {any} */ (baseline), warnings: [] }, result).warnings;
  };
  assert.deepEqual(warningsFor({ mix: 'read=70,write=30' }, { mix: 'read=70,write=30' }), []);
  for (const [before, after, difference] of /** @type {[CommonOptions, CommonOptions, string][]} */ ([
    [{ mix: 'read=70,write=30' }, { mix: 'read=50,write=50' }, 'mix read=70,write=30, now read=50,write=50'],
    [{}, { mix: 'read=50,write=50' }, 'mix none, now read=50,write=50'],
    [{ existing: 'a\u202e/' }, { existing: '*' }, 'existing a\\u{202e}/, now *'],
    [{ multipart: true }, {}, 'multipart true, now none'],
    [{ partSize: 1, partThreads: 4 }, { partSize: 1, partThreads: 8 }, 'partThreads 4, now 8'],
  ])) {
    assert.deepEqual(warningsFor(before, after), [
      `--baseline: it was measured with different options, so its figures may not be comparable (${difference})`,
    ]);
  }
});

test('rejects a stage that the run does not have', async () => {
  const assertion = 'remove.p99 < 5ms';
  const parameters = ['10', '10', '--local', '--stages', 'write,read', '--assert', assertion];
  const { status, stderr } = await runInProcess(parameters, {});
  const problem = 'unknown stage remove, expected write, read';
  assert.deepEqual([status, stderr.split('\n')[0]], [2, `error: --assert: "${assertion}": ${problem}`]);
});
