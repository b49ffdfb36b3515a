import assert from 'node:assert/strict';
import { test } from 'node:test';
import { falseQuantiles, verdictsOf } from '../../bench/truth/compare.js';
import { bursts, PACES, wandering } from '../../bench/truth/simulated-runs.js';

// The short version of `npm run truth compare`, with the same pairs in each test run.

const PAIRS = 100;

/** Ten times as many pairs may have 66. */
const MAX_FALSE = 8;

/** Ten times as many find at least 750. */
const MIN_FOUND = 65;

for (const pace of PACES) {
  test(`of a hundred pairs of equal runs, few are called different: ${pace.name}`, () => {
    const verdicts = verdictsOf(pace, PAIRS, 0);
    const isDifferent = (/** @type {string} */ verdict) => verdict === 'faster' || verdict === 'slower';
    assert.ok(verdicts.filter(isDifferent).length <= MAX_FALSE, verdicts.filter(isDifferent).join());
  });
}

for (const correlation of [0, 0.5]) {
  test(`a change of 5% is found in most pairs of one-minute runs, with correlation ${correlation}`, () => {
    const found = verdictsOf(wandering(correlation), PAIRS, 0.05).filter((verdict) => verdict === 'faster').length;
    assert.ok(found >= MIN_FOUND, `${found} of ${PAIRS}`);
  });
}

test('a change of 5% is hardly ever called the same', () => {
  for (const pace of PACES) {
    const missed = verdictsOf(pace, PAIRS, 0.05).filter((verdict) => verdict === 'the same').length;
    assert.ok(missed <= MAX_FALSE, `${pace.name}: ${missed}`);
  }
});

test('latencies of equal runs are hardly ever different, even in bursts', () => {
  for (const pace of [wandering(0.7), bursts]) {
    const found = falseQuantiles(pace, 40);
    assert.ok(found <= 5, `${pace.name}: ${found} of 40`);
  }
});
