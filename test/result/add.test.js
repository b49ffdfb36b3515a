import fc from 'fast-check';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LatencyHistogram } from '../../lib/measure/latency-histogram.js';
import { addResults, addStages, EMPTY_RESULT } from '../../lib/result/add.js';
import { COUNT_NAMES } from '../../lib/result/counters.js';
import { Histogram } from '../../lib/result/histogram.js';
import { cases } from '../helpers/cases.js';
import { assertResult } from '../helpers/result-schema.js';
import { anyResult, resultOf } from './model-results.js';

/** @import { KindSum, Result, StageSum } from '../../lib/result/result.js' */

/** @param {number} value possibly rounded by floating point */
function rounded(value) {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(10)) : value;
}

/**
 * @param {Result} result
 * @returns {unknown} with hosts, problems and stages sorted, because they keep the order of their input
 */
function inAnyOrder({ hosts, problems, stages, cleanup, ...rest }) {
  const sorted = (/** @type {readonly unknown[]} */ values) => values.map((value) => JSON.stringify(value)).sort();
  const whole = {
    ...rest,
    cleanup: cleanup && { ...cleanup, problems: sorted(cleanup.problems) },
    hosts: sorted(hosts),
    problems: sorted(problems),
    stages: stages.toSorted((one, other) => (one.stage < other.stage ? -1 : 1)),
  };
  return JSON.parse(JSON.stringify(whole, (_, value) => rounded(value)));
}

/**
 * @param {readonly Result[]} results
 * @returns {Result} with the sums of their stages
 */
function add(results) {
  const stages = results.flatMap((result) => result.stages);
  const names = [...new Set(stages.map(({ stage }) => stage))];
  const sums = names.map((name) => addStages(stages.filter(({ stage }) => stage === name)));
  return { ...addResults(results), thresholds: [], stages: sums };
}

test('the order of addition does not matter', () => {
  fc.assert(
    fc.property(anyResult, anyResult, anyResult, (a, b, c) => {
      const whole = inAnyOrder(add([a, b, c]));
      assert.deepEqual(inAnyOrder(add([b, a, c])), whole);
      assert.deepEqual(inAnyOrder(add([add([a, b]), c])), whole);
      assert.deepEqual(inAnyOrder(add([a, add([c, b])])), whole);
    }),
    { numRuns: cases(60) },
  );
});

test('the result of no host changes nothing', () => {
  fc.assert(
    fc.property(anyResult, (result) => {
      assert.deepEqual(addResults([EMPTY_RESULT, result]), { ...result, stages: [] });
      assert.deepEqual(addResults([result, EMPTY_RESULT]), { ...result, stages: [] });
    }),
    { numRuns: cases(20) },
  );
  assert.deepEqual(addResults([]), EMPTY_RESULT);
  assertResult(EMPTY_RESULT);
});

test('a sum is a result: counters and histograms contain those of its parts', () => {
  fc.assert(
    fc.property(anyResult, anyResult, (one, other) => {
      const sum = add([one, other]);
      assertResult(sum);
      for (const stage of sum.stages) {
        const parts = [one, other].flatMap(({ stages }) =>
          stages.filter((/** @type {StageSum} */ part) => part.stage === stage.stage),
        );
        for (const name of COUNT_NAMES) {
          assert.equal(
            stage[name],
            parts.reduce((total, part) => total + Number(part[name]), 0),
            name,
          );
        }
        const histogram = Histogram.decode(String(stage.latency.histogram.operations));
        assert.equal(histogram.count, stage.operations);
        assert.equal(stage.latency.operations?.count ?? 0, stage.operations);
        assertBuckets(stage, parts);
      }
    }),
    { numRuns: cases(40) },
  );
});

/**
 * @param {StageSum} stage
 * @param {readonly StageSum[]} parts
 */
function assertBuckets({ buckets = [], average }, parts) {
  assert.deepEqual(
    buckets.map(({ bucket }) => bucket),
    ['bucket-a', 'bucket-b'],
  );
  for (const { bucket, operations, failedAttempts, latency, histogram } of buckets) {
    const same = parts.flatMap((part) => (part.buckets ?? []).filter((each) => each.bucket === bucket));
    const sum = (/** @type {'operations' | 'failedAttempts'} */ name) =>
      same.reduce((total, each) => total + each[name], 0);
    assert.deepEqual([operations, failedAttempts], [sum('operations'), sum('failedAttempts')]);
    assert.equal(Histogram.decode(String(histogram)).count, operations);
    assert.equal(latency?.count ?? 0, operations);
  }
  const rates = buckets.reduce((sum, bucket) => sum + Number(bucket.average), 0);
  assert.equal(rounded(rates), rounded(Number(average)));
}

test('a stage ends like the worst of its hosts, and unknown leftovers of a clean-up stay unknown', () => {
  const [one, other] = [resultOf(), resultOf()];
  other.stages[0].end = 'stalled';
  const cleanup = /** @type {any} */ ({ removed: 2, left: 1, problems: ['a'] });
  const sum = add([
    { ...one, cleanup },
    { ...other, cleanup: { ...cleanup, left: -1, problems: ['b'] } },
  ]);
  assert.equal(sum.stages[0].end, 'stalled');
  assert.deepEqual([sum.cleanup?.removed, sum.cleanup?.left, sum.cleanup?.problems], [4, -1, ['a', 'b']]);
});

test('adds the kinds of a mixed stage by operation, if all hosts report them', () => {
  const mixed = (/** @type {readonly string[]} */ operations) => {
    const result = resultOf();
    const [stage] = result.stages;
    const figures = Object.fromEntries(
      [...COUNT_NAMES, 'errors', 'threads', 'average', 'averageBytes', 'peak', 'failedAttempts']
        .concat(['latency', 'unloaded', 'bottleneck'])
        .map((name) => [name, /** @type {any} */ (stage)[name]]),
    );
    stage.kinds = operations
      .map((operation) => ({ ...figures, operation }))
      .map((kind) => /** @type {KindSum} */ (/** @type {unknown} */ (kind)));
    return assertResult(result);
  };
  const sum = assertResult(add([mixed(['write', 'read']), mixed(['write', 'stat'])]));
  assert.deepEqual(
    sum.stages[0].kinds.map((/** @type {any} */ { operation, operations, threads, latency, peak }) => [
      ...[operation, operations, threads, latency.operations.count, peak],
    ]),
    [
      ['write', 10, 8, 10, null],
      ['read', 5, 4, 5, null],
      ['stat', 5, 4, 5, null],
    ],
  );
  assert.equal(add([mixed(['write']), resultOf()]).stages[0].kinds, undefined);
});

/**
 * @param {number} from
 * @param {number} operations
 * @param {number} latency ms
 */
function sizeClass(from, operations, latency) {
  const latencies = new LatencyHistogram();
  Array.from({ length: operations }, () => latencies.record(latency));
  const part = { operations, bytes: operations * from, latency: latencies.summary(), histogram: latencies.encode() };
  return { from, to: from, ...part, average: operations, averageBytes: operations * from };
}

describe('parts of the operations', () => {
  const timed = { startedAt: 1000, endedAt: 2000, duration: 1000, warmup: 0, drain: 0 };
  /** @param {object} parts */
  const stage = (parts) => ({ ...resultOf().stages[0], ...timed, ...parts });

  test('are added by size class, with the rates of all hosts that have it', () => {
    const one = stage({ sizeClasses: [sizeClass(4, 10, 5), sizeClass(64, 2, 20)] });
    const other = stage({ sizeClasses: [sizeClass(4, 30, 7), sizeClass(64, 4, 10), sizeClass(80, 1, 5)] });
    const { sizeClasses = [] } = addStages([one, other]);
    assert.deepEqual(
      sizeClasses.map(({ from, operations, bytes, average, averageBytes }) => [
        ...[from, operations, bytes],
        ...[average, averageBytes],
      ]),
      [
        [4, 40, 160, 40, 160],
        [64, 6, 384, 6, 384],
        [80, 1, 80, 1, 80],
      ],
    );
    assert.deepEqual(
      sizeClasses.map(({ latency }) => [latency?.count, latency?.minimum, latency?.maximum]),
      [
        [40, 5, 7],
        [6, 10, 20],
        [1, 5, 5],
      ],
    );
  });

  test('keep first and repeated reads separate, unless a host does not know them', () => {
    const [first, repeated] = [sizeClass(4, 10, 50), sizeClass(4, 90, 5)];
    const { reads } = addStages([stage({ reads: { first, repeated } }), stage({ reads: { first, repeated } })]);
    assert.deepEqual([reads?.first.operations, reads?.repeated.operations], [20, 180]);
    assert.deepEqual([reads?.first.latency?.minimum, reads?.repeated.latency?.maximum], [50, 5]);
    assert.equal(addStages([stage({ reads: { first, repeated } }), stage({})]).reads, null);
  });
});
