import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mean as exactMean, sampleStandardDeviation, sampleVariance } from 'simple-statistics';
import { meanOf, standardErrorOf, varianceOf } from '../../lib/measure/statistics/moments.js';

test('mean, variance and standard error match a statistics package', () => {
  const values = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 2, maxLength: 50 });
  fc.assert(
    fc.property(values, (sample) => {
      const scale = Math.max(...sample, 1);
      assert.ok(Math.abs(meanOf(sample) - exactMean(sample)) <= 1e-9 * scale);
      assert.ok(Math.abs(varianceOf(sample) - sampleVariance(sample)) <= 1e-6 * scale ** 2);
      const expected = sampleStandardDeviation(sample) / Math.sqrt(sample.length);
      assert.ok(Math.abs(standardErrorOf(sample) - expected) <= 1e-6 * scale);
    }),
  );
});
