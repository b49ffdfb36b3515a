import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mean, sampleStandardDeviation } from 'simple-statistics';
import { meanOf, standardErrorOf } from '../../lib/search/moments.js';

test('mean and standard error are those of a statistics package', () => {
  const values = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 2, maxLength: 50 });
  fc.assert(
    fc.property(values, (sample) => {
      const scale = Math.max(...sample, 1);
      assert.ok(Math.abs(meanOf(sample) - mean(sample)) <= 1e-9 * scale);
      const expected = sampleStandardDeviation(sample) / Math.sqrt(sample.length);
      assert.ok(Math.abs(standardErrorOf(sample) - expected) <= 1e-6 * scale);
    }),
  );
});
