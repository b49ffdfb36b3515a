import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { compareResults } from '../../lib/result/compare/compare-results.js';
import { sideOf } from '../../lib/result/compare/compare-stage.js';
import { cases } from '../helpers/cases.js';
import { chance } from '../helpers/chance.js';
import { ratesOf, resultOf } from './results.js';

/**
 * @import { Comparison, MetricComparison } from '../../lib/result/comparison.js'
 * @import { Result, StageSum } from '../../lib/result/result.js'
 * @import { StagePlan } from './results.js'
 */

/**
 * @param {Result} before
 * @param {Result} after
 * @param {number} [margin]
 */
function compare(before, after, margin) {
  return compareResults({ name: 'before.json', result: before }, { name: 'after.json', result: after }, { margin });
}

/**
 * @param {Comparison} comparison
 * @param {string} metric
 * @param {string} [stage]
 * @returns {MetricComparison}
 */
function metricOf({ stages }, metric, stage = 'Read') {
  const found = stages.find((each) => each.stage === stage)?.metrics.find((each) => each.metric === metric);
  assert.ok(found, `${stage}, ${metric}`);
  return found;
}

/**
 * @param {Partial<StagePlan>} plan
 * @param {Partial<StageSum>} [facts]
 */
function run(plan, facts = {}) {
  return resultOf([{ rates: ratesOf(60), ...plan, facts }]);
}

/**
 * @param {number} seed
 * @param {number} median ms
 * @param {number} [count] operations per second
 */
function lognormal(seed, median, count = 200) {
  return (/** @type {number} */ second) => {
    const { normal } = chance(1000 * seed + second);
    return Array.from({ length: count }, () => median * Math.exp(0.5 * normal()));
  };
}

describe('a rate', () => {
  test('of the same run is the same, even if it is too steady for chance to add one operation', () => {
    const rates = ratesOf(60).map((rate) => rate + 1);
    const rate = metricOf(compare(run({}), run({ rates })), 'rate');
    assert.equal(rate.verdict, 'the same');
  });

  test('is the same only within the requested margin', () => {
    const [one, other] = [run({}), run({ rates: ratesOf(60, () => 1020) })];
    assert.equal(metricOf(compare(one, other, 0.03), 'rate').verdict, 'the same');
    assert.equal(metricOf(compare(one, other, 0.01), 'rate').verdict, 'faster');
  });

  test('over fewer than thirty whole seconds is not compared, but both figures are shown', () => {
    const comparison = compare(run({ rates: ratesOf(29) }), run({ rates: ratesOf(60, () => 2000) }));
    const { before, after, ratio, low, high, verdict, reason } = metricOf(comparison, 'rate');
    assert.equal(verdict, 'cannot tell');
    assert.equal(reason, 'before: only 29 whole seconds: run with --duration 32s or longer');
    assert.ok(Number(before) > 990 && Number(after) > 1990 && Number(ratio) > 1.9);
    assert.deepEqual([low, high], [null, null]);
    assert.deepEqual(comparison.stages[0].seconds, { before: 29, after: 60 });
    const replay = /** @type {any} */ ({ replay: 'access.ndjson' });
    assert.equal(
      sideOf(run({ rates: ratesOf(29) }).stages[0], replay).problem,
      'only 29 whole seconds: replay a longer log',
    );
  });

  test('that varies as much as it differs is inconclusive', () => {
    const wandering = (/** @type {number} */ shift) =>
      run({ rates: ratesOf(60, (index) => 1000 + shift + 300 * Math.sin(index / 10)) });
    const { verdict, reason } = metricOf(compare(wandering(0), wandering(80)), 'rate');
    assert.equal(verdict, 'cannot tell');
    assert.equal(reason, 'it may not have changed, or may have changed by more than 3%: longer runs would tell');
  });

  test('of a search is not compared, even with --force', () => {
    const search = run({}, { search: /** @type {any} */ ({ steps: [] }) });
    const comparison = compare(search, run({}));
    assert.match(String(metricOf(comparison, 'rate').reason), /^before: the load of a search or a ramp changes/);
    assert.match(String(metricOf(comparison, 'p50').reason), /^before: the load of a search or a ramp changes/);
    assert.equal(comparison.mismatches.length, 1);
  });
});

describe('a latency', () => {
  test('is slower if it is higher, and faster if it is lower', () => {
    const [one, other] = [run({ latencies: lognormal(1, 10) }), run({ latencies: lognormal(2, 13) })];
    const comparison = compare(one, other);
    for (const metric of /** @type {const} */ (['p50', 'p90', 'p99'])) {
      const { verdict, ratio, low, high } = metricOf(comparison, metric);
      assert.equal(verdict, 'slower', metric);
      assert.ok(Number(low) < Number(ratio) && Number(ratio) < Number(high), metric);
      assert.ok(Number(low) < 1.3 && 1.3 < Number(high), `${metric}: ${low} to ${high}`);
      assert.equal(metricOf(comparison, metric).before, one.stages[0].latency.operations?.[metric]);
    }
    assert.equal(metricOf(compare(other, one), 'p50').verdict, 'faster');
  });

  test('with slow operations in a few bursts has no interval, and the reason is given', () => {
    const bursts = (/** @type {number} */ seed) => {
      const { normal } = chance(seed);
      const latencies = (/** @type {number} */ second) =>
        Array.from({ length: 50 }, () => (second % 32 < 5 ? 100 : 10) * Math.exp(0.3 * normal()));
      return run({ rates: ratesOf(60, () => 50), latencies });
    };
    const { low, high, verdict, reason } = metricOf(compare(bursts(1), bursts(2)), 'p90');
    assert.deepEqual([low, high, verdict], [null, null, 'cannot tell']);
    assert.equal(reason, 'the figure varies too much from second to second to compute an interval: use longer runs');
  });

  test('is inconclusive with few operations above it, or from a log', () => {
    const result = run({ latencies: lognormal(1, 10) });
    const comparison = compare(result, run({}));
    assert.match(String(metricOf(compare(result, result), 'p999').reason), /^only 1[0-9] operations were slower/);
    assert.equal(metricOf(comparison, 'p50').reason, 'after: no latency data');
    const ofLog = run({ latencies: lognormal(1, 10) });
    ofLog.stages[0].seconds = ofLog.stages[0].seconds.map((second) => ({ ...second, histogram: null }));
    const { verdict, reason, ratio } = metricOf(compare(result, ofLog), 'p50');
    assert.equal(verdict, 'cannot tell');
    assert.match(String(reason), /^after: no per-second latencies: logs do not contain them/);
    assert.equal(ratio, 1);
  });
});

describe('errorShare', () => {
  /** @param {number} failedAttempts */
  const failing = (failedAttempts) => run({}, { failedAttempts, attempts: 60_000 });

  test('are more, fewer, the same or inconclusive', () => {
    assert.equal(metricOf(compare(failing(10), failing(100)), 'errorShare').verdict, 'more');
    assert.equal(metricOf(compare(failing(100), failing(10)), 'errorShare').verdict, 'fewer');
    assert.equal(metricOf(compare(failing(10), failing(12)), 'errorShare').verdict, 'cannot tell');
    assert.equal(metricOf(compare(failing(30_000), failing(30_000)), 'errorShare').verdict, 'the same');
  });

  test('in a log are its attempts without success, except those that the end cut off', () => {
    const result = run({}, { failedAttempts: null, attempts: 60_110, errors: { abandoned: 10 }, operations: 60_000 });
    assert.equal(metricOf(compare(result, failing(0)), 'errorShare').before, 100 / 60_110);
  });
});

describe('CPU time', () => {
  test('is shown without a verdict, because one figure has no spread, and is unknown for a log', () => {
    const { before, verdict, reason } = metricOf(compare(run({}), run({})), 'cpu');
    assert.deepEqual([before, verdict], [0.05, 'cannot tell']);
    assert.match(String(reason), /^a single figure per run/);
    const ofLog = metricOf(compare(run({}, { clientLoad: null }), run({})), 'cpu');
    assert.deepEqual([ofLog.before, ofLog.after], [null, 0.05]);
    assert.match(String(ofLog.reason), /^before: logs do not contain it/);
  });
});

describe('a comparison', () => {
  test('of many figures requires more of each', () => {
    const noisy = (/** @type {number} */ mean) => {
      const { normal } = chance(11);
      return Array.from({ length: 60 }, () => Math.round(mean * (1 + 0.05 * normal())));
    };
    const pair = (/** @type {readonly number[]} */ others) =>
      [1000, 1025].map((mean) =>
        resultOf([
          { name: 'Read', rates: noisy(mean) },
          ...others.map((rate) => ({ name: `Other${rate}`, rates: noisy(rate) })),
        ]),
      );
    const [before, after] = pair([]);
    assert.equal(metricOf(compare(before, after), 'rate').verdict, 'faster');
    const [beforeAmongMany, afterAmongMany] = pair([501, 502, 503, 504, 505, 506, 507, 508]);
    const { verdict, reason } = metricOf(compare(beforeAmongMany, afterAmongMany), 'rate');
    assert.equal(verdict, 'cannot tell');
    assert.equal(reason, 'with 9 figures, chance alone can make one differ this much: longer runs would tell');
  });

  test('of any two runs has a verdict that fits its interval, and the opposite one when swapped', () => {
    /** @type {Record<string, string>} */
    const opposite = { faster: 'slower', slower: 'faster', fewer: 'more', more: 'fewer' };
    const anyRun = fc
      .record({
        seed: fc.nat(10_000),
        seconds: fc.integer({ min: 20, max: 70 }),
        rate: fc.integer({ min: 1, max: 5000 }),
        failedAttempts: fc.nat(20),
        hasLatencies: fc.boolean(),
      })
      .map(({ seed, seconds, rate, failedAttempts, hasLatencies }) => {
        const { uniform } = chance(seed);
        const rates = Array.from({ length: seconds }, () => Math.round(rate * (0.5 + uniform())));
        return run(hasLatencies ? { rates, latencies: (second) => [1 + uniform(), 5 + second] } : { rates }, {
          failedAttempts,
          attempts: rate * seconds + failedAttempts,
        });
      });
    fc.assert(
      fc.property(anyRun, anyRun, fc.double({ min: 0, max: 0.5, noNaN: true }), (before, after, margin) => {
        const [forth, back] = [compare(before, after, margin), compare(after, before, margin)];
        forth.stages[0].metrics.forEach((each, index) => {
          const { low, high, ratio, verdict, reason } = each;
          assert.equal(back.stages[0].metrics[index].verdict, opposite[verdict] ?? verdict, JSON.stringify(each));
          assert.equal(verdict === 'cannot tell', reason !== null);
          if (low !== null && high !== null && ratio !== null) {
            assert.ok(low <= ratio && ratio <= high, JSON.stringify(each));
          }
          if (verdict === 'the same' && low !== null) {
            assert.ok(low >= 1 / (1 + margin) && Number(high) <= 1 + margin);
          }
          if (verdict === 'faster' || verdict === 'slower') {
            assert.ok((low !== null && low > 1) || (high !== null && high < 1), JSON.stringify(each));
          }
        });
      }),
      { numRuns: cases(60) },
    );
  });
});

describe('a stage that mixes operations', () => {
  /** @param {Record<string, { operations: number, failed?: number, p99?: number }>} counts by operation */
  const mixed = (counts) => {
    const kinds = Object.entries(counts).map(([operation, { operations, failed = 0, p99 = 20 }]) => ({
      ...{ operation, operations, average: operations / 60, averageBytes: 16 * operations },
      ...{ attempts: operations + failed, failedAttempts: failed, errors: failed === 0 ? {} : { timeout: failed } },
      latency: { operations: { p50: 10, p90: 15, p99, p999: 30 }, histogram: {} },
      bottleneck: { cause: p99 > 20 ? 'store' : 'inconclusive', evidence: null, advice: null },
    }));
    return run({ name: 'Mixed' }, { kinds: /** @type {any} */ (kinds) });
  };
  const before = mixed({ read: { operations: 42_000 }, write: { operations: 18_000 } });
  const after = mixed({ read: { operations: 42_010, p99: 25 }, write: { operations: 18_004, failed: 400 } });

  test('lists each operation after itself, shows its figures, and tests only its errors', () => {
    const comparison = compare(before, after);
    const { stages } = comparison;
    assert.deepEqual(
      stages.map(({ stage, kindOf }) => [stage, kindOf]),
      [
        ['Mixed', undefined],
        ['Mixed read', 'Mixed'],
        ['Mixed write', 'Mixed'],
      ],
    );
    assert.deepEqual(stages[1].seconds, stages[0].seconds);
    const p99 = metricOf(comparison, 'p99', 'Mixed read');
    assert.deepEqual([p99.before, p99.after, p99.ratio, p99.verdict], [20, 25, 1.25, 'cannot tell']);
    assert.match(String(p99.reason), /^figures per second cover the whole stage/);
    assert.equal(metricOf(comparison, 'errorShare', 'Mixed read').verdict, 'the same');
    assert.equal(metricOf(comparison, 'errorShare', 'Mixed write').verdict, 'more');
    assert.deepEqual(
      comparison.differences.filter(({ what }) => what.endsWith('limited by')).map(({ what }) => what),
      ['Mixed read limited by'],
    );
  });

  test('leaves out operations that only one run mixes, or whose figures are not separate', () => {
    const other = mixed({ read: { operations: 60_000 } });
    assert.deepEqual(
      compare(before, other).stages.map(({ stage }) => stage),
      ['Mixed', 'Mixed read'],
    );
    assert.deepEqual(
      compare(before, run({ name: 'Mixed' })).stages.map(({ stage }) => stage),
      ['Mixed'],
    );
  });
});
