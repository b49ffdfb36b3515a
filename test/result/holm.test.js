import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { adjustByHolm } from '../../lib/result/compare/log-ratio.js';

/** @param {readonly number[]} probabilities */
function adjust(probabilities) {
  const tests = probabilities.map((p) => ({ p, low: 1, high: 1 }));
  const adjusted = adjustByHolm(tests);
  return tests.map((each) => Number(adjusted.get(each)));
}

test('it matches a textbook example', () => {
  // 4 × 0.005, 3 × 0.01, 2 × 0.03, and the last one no less.
  const adjusted = adjust([0.01, 0.04, 0.03, 0.005]);
  assert.deepEqual(
    adjusted.map((p) => Number(p.toFixed(9))),
    [0.03, 0.06, 0.06, 0.02],
  );
});

test('adjusted values never decrease, keep their order, and are below 5% exactly if Holm rejects', () => {
  const probability = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.array(probability, { maxLength: 20 }), (probabilities) => {
      const adjusted = adjust(probabilities);
      assert.equal(adjusted.length, probabilities.length);
      probabilities.forEach((p, index) => assert.ok(adjusted[index] >= p && adjusted[index] <= 1));
      const places = probabilities.map((_, index) => index).sort((a, b) => probabilities[a] - probabilities[b]);
      let isRejected = true;
      places.forEach((index, rank) => {
        isRejected &&= (probabilities.length - rank) * probabilities[index] < 0.05;
        assert.equal(adjusted[index] < 0.05, isRejected);
      });
    }),
  );
});
