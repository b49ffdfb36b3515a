import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesOfHost } from '../helpers/host-lines.js';
import { DEFAULTS, planHosts } from '../helpers/host-plan.js';
import { cases } from '../helpers/cases.js';
import { aggregateOf, warningsOf } from './logs-of.js';
import { latencyOf, meanTogetherOf, peakOf, stageTruths, sustainedOf } from './truth-of.js';

/**
 * @import { LatencySummary } from '../../lib/result/result.js'
 * @import { Aggregate, StageAggregate } from './logs-of.js'
 * @import { TrueLine } from '../helpers/host-lines.js'
 * @import { LogOptions } from '../helpers/host-plan.js'
 * @import { HostTruth, StageTruth } from './truth-of.js'
 */

const MIDNIGHT = Date.UTC(2026, 1, 1);

/** Logs of several hosts: skewed clocks, shifted stages, midnight in between, and logs of the original tool. */
const anyOptions = fc.record({
  seed: fc.nat(2 ** 32 - 1),
  hosts: fc.integer({ min: 1, max: 4 }),
  old: fc.nat(2),
  seconds: fc.integer({ min: 1, max: 14 }),
  start: fc.integer({ min: -60_000, max: 5000 }).map((ms) => MIDNIGHT + ms),
  shift: fc.nat(4000),
  skew: fc.constantFrom(0, 7000),
  rate: fc.oneof(fc.nat(3), fc.nat(300)),
  size: fc.constant(16_384),
  stages: fc.constantFrom(DEFAULTS.stages, ['Write', 'List', 'Read', 'Copy-part2']),
});

/**
 * Damage to a log, with correct truths: a missing line has none, and a repeated line has them once.
 *
 * @typedef {object} Damage
 * @property {number} [cut] number of lines to keep
 * @property {number} [double] every nth per-second line is written twice
 */

/**
 * @param {Iterable<TrueLine>} lines
 * @param {Damage} damage
 * @returns {Generator<TrueLine, void, undefined>}
 */
function* damaged(lines, { cut = Infinity, double = Infinity }) {
  let kept = 0;
  let seconds = 0;
  for (const line of lines) {
    if (kept >= cut) {
      return;
    }
    yield line;
    kept += 1;
    if (line.tells?.some((tells) => 'rate' in tells)) {
      seconds += 1;
      if (seconds % double === 0) {
        yield { text: line.text };
      }
    }
  }
}

/** Stages with and without ten whole seconds. */
const TEN_SECONDS = [9, 10, 11, 12].map(
  (seconds) => /** @type {[LogOptions]} */ ([{ ...DEFAULTS, seconds, hosts: 1, start: MIDNIGHT - 5500 }]),
);

const anyDamage = fc.record({
  host: fc.nat(3),
  cut: fc.option(fc.nat(120), { nil: undefined }),
  double: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
});

/**
 * @param {LogOptions} options
 * @param {Damage & { host: number }} [damage] to one of the hosts
 * @returns {{ aggregate: Aggregate, truth: HostTruth[] }}
 */
function measured(options, damage = { host: -1 }) {
  const plans = planHosts({ ...options, old: Math.min(options.old, options.hosts) });
  const logs = plans.map((plan, number) => {
    const lines = [...damaged(linesOfHost(plan), number === damage.host ? damage : {})];
    const told = lines.flatMap(({ tells = [] }) => tells);
    return { file: `log-${number}.txt`, texts: lines.map(({ text }) => text), truth: { shape: plan.shape, told } };
  });
  return {
    aggregate: aggregateOf(Object.fromEntries(logs.map(({ file, texts }) => [file, texts]))),
    truth: logs.map(({ truth }) => truth),
  };
}

/**
 * @param {number | null | undefined} actual
 * @param {number | null} expected
 * @param {string} what
 */
function assertNear(actual, expected, what) {
  const isNear = actual === expected || Math.abs(Number(actual) - Number(expected)) < 1e-6 * (1 + Number(expected));
  assert.ok(isNear && (actual === null) === (expected === null), `${what}: ${actual}, expected ${expected}`);
}

/**
 * @param {Aggregate} aggregate
 * @param {readonly HostTruth[]} truth
 */
function assertTrue({ stages }, truth) {
  const told = new Set(truth.flatMap((host) => host.told.map(({ stage }) => stage)));
  assert.deepEqual(new Set(stages.map(({ stage }) => stage)), told);
  for (const aggregate of stages) {
    const truths = stageTruths(truth, aggregate.stage);
    assert.equal(aggregate.hosts, truths.length);
    assertNear(aggregate.peak.operationsPerSecond, peakOf(truths), 'peak');
    assertNear(aggregate.sustained?.operationsPerSecond ?? null, sustainedOf(truths), 'best ten seconds');
    const together = meanTogetherOf(truths);
    assertNear(aggregate.together?.operationsPerSecond ?? null, together, 'mean while all were in');
    if (truths.length > 1 && together !== null) {
      assertNear(aggregate.average, together, 'rate');
    }
    assert.deepEqual(percentilesOf(aggregate.latency), latencyOf(truths));
    assertTotals(aggregate, truths);
  }
}

/** @param {LatencySummary | null} latency */
function percentilesOf(latency) {
  if (latency === null) {
    return null;
  }
  const { count, p50, p90, p95, p99, p999 } = latency;
  return { count, p50, p90, p95, p99, p999 };
}

/**
 * Logs of the original tool have rounded operations; all others are exact.
 *
 * @param {StageAggregate} aggregate
 * @param {readonly StageTruth[]} truths
 */
function assertTotals({ stage, counts }, truths) {
  if (truths.every(({ totals }) => totals !== null)) {
    const sum = (/** @type {'operations' | 'retries'} */ name) =>
      truths.reduce((total, { totals }) => total + (totals?.[name] ?? 0), 0);
    assert.equal(counts.operations, sum('operations'));
    assert.equal(counts.bytes, ['Stat', 'List', 'Remove'].includes(stage) ? 0 : sum('operations') * 16_384);
    assert.equal(counts.attempts, sum('operations') + sum('retries'));
  }
}

test('complete logs add up to what the hosts did, without warnings', () => {
  fc.assert(
    fc.property(anyOptions, (options) => {
      const { aggregate, truth } = measured(options);
      assert.deepEqual(warningsOf(aggregate), []);
      assertTrue(aggregate, truth);
    }),
    { numRuns: cases(150), examples: TEN_SECONDS },
  );
});

test('with truncated logs or repeated lines, the remaining data adds up, with a warning', () => {
  fc.assert(
    fc.property(anyOptions, anyDamage, (options, damage) => {
      const { aggregate, truth } = measured(options, damage);
      assertTrue(aggregate, truth);
      const isCut = truth[damage.host]?.shape === 'own' && truth[damage.host].told.length < 16 && (damage.cut ?? 0) > 1;
      assert.ok(!isCut || aggregate.warnings.some(({ incomplete }) => incomplete));
    }),
    { numRuns: cases(300) },
  );
});

test('the order of the logs does not matter', () => {
  fc.assert(
    fc.property(anyOptions, (options) => {
      const plans = planHosts({ ...options, old: 0 });
      const logs = plans.map((plan, number) => [String(number), [...linesOfHost(plan)].map(({ text }) => text)]);
      const [one, other] = [logs, logs.toReversed()].map((files) =>
        aggregateOf(Object.fromEntries(files.map(([name, lines], index) => [`${index}-${name}`, lines]))),
      );
      assert.deepEqual(withoutShares(one), withoutShares(other));
    }),
    { numRuns: cases(30) },
  );
});

/**
 * @param {Aggregate} aggregate
 * @returns {object[]} its stages, without everything that depends on the order of the hosts
 */
function withoutShares({ stages }) {
  return stages.map((stage) => ({ ...stage, shares: [] }));
}
