import fc from 'fast-check';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Histogram } from '../../lib/result/histogram.js';
import { evaluateThresholds, figureOf } from '../../lib/result/thresholds/evaluate.js';
import { FIGURES } from '../../lib/result/figures/catalogue.js';
import { OPERATORS, parseThreshold } from '../../lib/result/thresholds/threshold.js';
import { aggregateOf } from './logs-of.js';
import { anyResult, resultOf } from './model-results.js';

/**
 * @import { Result, ThresholdResult } from '../../lib/result/result.js'
 * @import { Threshold } from '../../lib/result/thresholds/threshold.js'
 * @import { WritableResult } from '../../lib/result/write-result.js'
 */

/**
 * @param {string} text
 * @param {WritableResult} result
 * @param {WritableResult | null} [baseline]
 * @returns {ThresholdResult}
 */
function judged(text, result, baseline = null) {
  const { threshold, problem } = parseThreshold(text);
  assert.equal(problem, null);
  return evaluateThresholds([/** @type {Threshold} */ (threshold)], result, baseline)[0];
}

const OLD_LOG = new URL('../golden/old-tool.txt', import.meta.url);
const OWN_LOG = new URL('../golden/own-log.txt', import.meta.url);
const RESULT = resultOf({ operations: 5 });

test('a figure comes from the result, with the limit in the same unit', () => {
  const [write] = RESULT.stages;
  assert.deepEqual(judged('write.p99 < 0.05s', RESULT), {
    expression: 'write.p99 < 0.05s',
    stage: 'Write',
    metric: 'p99',
    value: write.latency.operations?.p99,
    limit: 50,
    unit: 'ms',
    outcome: 'passed',
    message: 'it was 0.007s',
  });
  assert.deepEqual(judged('errors == 1', RESULT), {
    expression: 'errors == 1',
    stage: null,
    metric: 'errors',
    value: 0,
    limit: 1,
    unit: 'attempts',
    outcome: 'missed',
    message: 'it was 0',
  });
});

test('any percentile is a figure: it comes from the histogram, between the exact extremes', () => {
  const histogram = new Histogram();
  for (let ms = 1; ms <= 1000; ms += 1) {
    histogram.record(ms);
  }
  const [write] = RESULT.stages;
  const summary = {
    .../** @type {NonNullable<ReturnType<Histogram['summary']>>} */ (histogram.summary()),
    maximum: 999,
  };
  const latency = { ...write.latency, attempts: summary };
  latency.histogram = { ...write.latency.histogram, attempts: histogram.encode() };
  const result = { ...RESULT, stages: [{ ...write, latency }] };
  for (const [percentile, expected] of /** @type {const} */ ([
    ['75', 750],
    ['97.5', 975],
    ['99', 990],
    ['99.99', 999],
  ])) {
    const { value, metric } = judged(`write.attempts.p${percentile} < 1s`, result);
    assert.ok(Math.abs(Number(value) - expected) <= expected / 1000, `${percentile}: ${value}`);
    assert.equal(metric, `attempts.p${percentile}`);
  }
  const without = {
    ...RESULT,
    stages: [{ ...write, latency: { ...latency, histogram: write.latency.histogram, attempts: null } }],
  };
  assert.equal(judged('write.attempts.p97.5 < 1s', without).outcome, 'inconclusive');
  assert.match(String(parseThreshold('write.p100 < 1s').problem), /no figure of a stage is called "p100"/);
});

test('the outcome follows the operator for any figure and limit', () => {
  const names = /** @type {(keyof typeof OPERATORS)[]} */ (Object.keys(OPERATORS));
  fc.assert(
    fc.property(
      anyResult,
      fc.constantFrom(...FIGURES),
      fc.constantFrom(...names),
      fc.nat(5),
      (result, metric, operator, factor) => {
        const stage = metric.fromRun === null ? 'write' : null;
        /** @type {Threshold} */
        const threshold = { stage, metric: metric.name, operator, limit: { factor } };
        const [{ value, limit, outcome, unit }] = evaluateThresholds([threshold], result, result);
        const figure = figureOf(result, stage, metric);
        assert.deepEqual([value, limit, unit], [figure, figure === null ? null : factor * figure, metric.unit]);
        const expected =
          figure === null ? 'inconclusive' : OPERATORS[operator](figure, factor * figure) ? 'passed' : 'missed';
        assert.equal(outcome, expected);
      },
    ),
  );
});

test('an unknown figure is inconclusive, with the reason', () => {
  const aggregate = aggregateOf({ 'old.txt': readFileSync(OLD_LOG, 'utf8').split('\n') });
  const { result } = aggregate.merged;
  for (const [text, message] of [
    ['write.p99 < 50ms', /^not known: old\.txt:\d+: /],
    ['write.cpu < 50us', /^not known: the result does not contain it \(CPU time/],
    ['write.capacity > 5', /^not known: the result does not contain it \(The highest rate sustained in a search/],
    ['list.p99 < 50ms', /^not known: the stage did not run$/],
    ['cleanup.left == 0', /^not known: the result does not contain it \(/],
  ]) {
    const { outcome, value, message: shown } = judged(String(text), result);
    assert.deepEqual([outcome, value], ['inconclusive', null], String(text));
    assert.match(shown, /** @type {RegExp} */ (message));
  }
  assert.deepEqual(judged('read.p99 < 50ms', { ...RESULT, stages: [] }).message, 'not known: no stage ran');
  assert.match(
    judged('write.p99 < 2 * baseline', RESULT).message,
    /the baseline's figure is unknown: no baseline was given$/,
  );
});

test('nothing is left if nothing needed clean-up; it is unknown if objects were kept, or from a log', () => {
  const left = (/** @type {Partial<Result>} */ change) => judged('cleanup.left == 0', { ...RESULT, ...change }).value;
  const cleanup = /** @type {any} */ ({ removed: 4, left: 2 });
  assert.deepEqual([left({}), left({ cleanup }), left({ cleanup: { ...cleanup, left: -1 } })], [0, 2, null]);
  assert.equal(left({ options: /** @type {any} */ ({ ...RESULT.options, keep: true }) }), null);
});

test("a counter that one host's log lacks is unknown for its stage, the run and the merge", () => {
  const old = readFileSync(OLD_LOG, 'utf8').split('\n');
  const own = readFileSync(OWN_LOG, 'utf8').split('\n');
  const missing = ['throttled', 'failed', 'integrityErrors', 'skipped', 'abandoned'];
  /** @type {Record<string, string[]>[]} */
  const several = [{ 'old.txt': old }, { 'old.txt': old, 'own.txt': own }];
  for (const logs of several) {
    const { result } = aggregateOf(logs).merged;
    for (const metric of [...missing, ...missing.map((name) => `write.${name}`)]) {
      const { value, outcome, message } = judged(`${metric} == 0`, result);
      assert.deepEqual([value, outcome], [null, 'inconclusive'], metric);
      assert.match(message, /^not known: the result does not contain it \(/);
    }
    assert.equal(judged('retries < 0', result).outcome, 'missed');
  }
  const alone = aggregateOf({ 'own.txt': own }).merged.result;
  assert.deepEqual(
    missing.filter((metric) => figureOf(alone, 'write', metricOf(metric)) === null),
    [],
  );
});

test('percentiles of some of the hosts are not asserted', () => {
  const own = readFileSync(OWN_LOG, 'utf8').split('\n');
  const { result } = aggregateOf({ 'old.txt': readFileSync(OLD_LOG, 'utf8').split('\n'), 'own.txt': own }).merged;
  assert.equal(result.stages[0].latency.operations?.count, result.stages[0].operations - 10_000);
  const { outcome, message } = judged('write.p99 < 10s', result);
  assert.deepEqual([outcome, message], ['inconclusive', 'not known: old.txt:1: no histogram']);
});

/** @param {string} name */
function metricOf(name) {
  return /** @type {typeof FIGURES[number]} */ (FIGURES.find((metric) => metric.name === name));
}
