import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foundLine, limitLines, stepLine } from '../../lib/result/log/stage-lines.js';
import { finishedStage } from '../helpers/finished-stage.js';

/** @import { RateSearchResult, SearchResult, SearchStep, StageResult } from '../../lib/result/result.js' */

/** @type {SearchStep} */
const STEP = Object.freeze({
  phase: 'ramp',
  threads: 16,
  objectSize: 16_384,
  startedAt: 1_700_000_000_000,
  endedAt: 1_700_000_001_500,
  operations: 1004,
  operationsPerSecond: 803.24,
  seconds: 1.25,
  p50: 20.014,
  p99: 24.5,
  errors: 7,
  throttled: 5,
  failed: 0,
  eventLoopUtilization: 0.117,
});

const CEILING = Object.freeze({
  operationsPerSecond: 803.2,
  low: 798.1,
  high: 808.4,
  confidence: 0.95,
  threads: 16,
  seconds: 10,
});

/** @type {SearchResult} */
const SEARCH = Object.freeze({
  steps: [STEP],
  knee: 14,
  hasPlateau: true,
  capacity: CEILING,
  best: 805,
  operationsNeeded: null,
});

/**
 * @param {Partial<SearchResult>} search
 * @param {Partial<StageResult>} [overrides]
 */
function linesOf(search, overrides) {
  const bottleneck = /** @type {const} */ ({ cause: 'store', certainty: 'proven', evidence: 'evidence', advice: null });
  const result = finishedStage({ operations: [{ after: 10 }] }, { bottleneck, average: 700, ...overrides });
  return [foundLine(result, { ...SEARCH, ...search }), ...limitLines(result)];
}

test('a step has a row with its threads, rate, latencies, errors and load', () => {
  assert.equal(stepLine('Write', STEP), 'Write        16     803.2   20.01ms    24.50ms      7    12%  ramp');
  assert.equal(
    stepLine('Read', { ...STEP, p50: null, p99: null, phase: 'half size' }),
    'Read         16     803.2         -          -      7    12%  half size',
  );
});

test('the capacity is shown with its interval and threads, then the bottleneck', () => {
  assert.deepEqual(linesOf({}), [
    'Write capacity: 803.2 ops/s (95% CI 798.1 to 808.4) at 16 threads',
    'Write limited by: store (evidence)',
  ]);
});

test('a hold that contradicts the steps is no lower bound', () => {
  assert.equal(
    linesOf({ hasPlateau: false, best: 1200 })[0],
    'Write capacity: 803.2 ops/s (95% CI 798.1 to 808.4) at 16 threads; the best step reached 1200.0 ops/s, which the hold contradicts: run again',
  );
});

test('if the objects ran out, a sufficient number is suggested', () => {
  assert.match(linesOf({ hasPlateau: false, operationsNeeded: 26_523 })[0], /; try again with 26523 <objects>$/);
});

test('a search for the highest rate ends with that rate', () => {
  const interval = { low: 430, high: 450, confidence: 0.95 };
  const rate = /** @type {const} */ ({
    ...{ slo: 50, errorShare: 0.001, bound: 'exact', operationsPerSecond: 440, interval, evidence: 'evidence' },
  });
  assert.deepEqual(
    [
      rate,
      { ...rate, interval: { ...interval, confidence: null } },
      { ...rate, bound: 'none', operationsPerSecond: null, interval: null },
    ].map((each) => linesOf({ rate: /** @type {RateSearchResult} */ (each) })[0]),
    [
      'Write sustains 440.0 ops/s within 50.00ms p99 (95% CI 430.0 to 450.0); evidence',
      'Write sustains 440.0 ops/s within 50.00ms p99 (450.0 was too high); evidence',
      'Write: no rate is known to stay within 50.00ms p99; evidence',
    ],
  );
});
