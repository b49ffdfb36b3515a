import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stabilityLine } from '../../lib/report/stage-findings.js';

const STABLE = { precision: 0.02, isStable: true, seconds: 48, mean: 2000, low: 1970, high: 2030 };

test('a stage that ended because its rate was known reports it, with the figures', () => {
  assert.equal(
    stabilityLine(STABLE),
    'stable, so the stage ended early: mean 2,000.0 ops/s ±1.5% (95% interval, from 48 seconds), ±2% requested',
  );
});

test('a stage that ran out of time shows how well its rate is known', () => {
  assert.equal(
    stabilityLine({ ...STABLE, isStable: false, high: 2100 }),
    'not stable when the stage ended: mean 2,000.0 ops/s ±5% (95% interval, from 48 seconds), ±2% requested',
  );
});

test('a stage with too little data reports it', () => {
  const unknown = { precision: 0.005, isStable: false, mean: null, low: null, high: null };
  assert.equal(stabilityLine({ ...unknown, seconds: 1 }), 'not stable: 1 second measured, too few for ±0.5%');
  assert.equal(stabilityLine({ ...unknown, seconds: 7 }), 'not stable: 7 seconds measured, too few for ±0.5%');
});
