import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectSizes } from '../../lib/workload/sizes.js';

test('where all objects are of one size, each is', () => {
  const sizeOf = objectSizes({ runId: 'run-1', min: 100, max: 100 });
  assert.deepEqual([0, 1, 2 ** 40].map(sizeOf), [100, 100, 100]);
});

test('any host works out the same size for an object, within the bounds', () => {
  const run = fc.record({ runId: fc.string(), min: fc.nat(1e6), more: fc.nat(1e6) });
  fc.assert(
    fc.property(run, fc.maxSafeNat(), ({ runId, min, more }, index) => {
      const sizes = { runId, min, max: min + more };
      const size = objectSizes(sizes)(index);
      assert.ok(Number.isInteger(size) && size >= min && size <= min + more);
      assert.equal(objectSizes(sizes)(index), size);
    }),
  );
});

test('sizes are spread evenly between the bounds, and differ from run to run', () => {
  const objects = 10_000;
  const [one, other] = ['run-1', 'run-2'].map((runId) => {
    const sizeOf = objectSizes({ runId, min: 0, max: 9 });
    return Array.from({ length: objects }, (_, index) => sizeOf(index));
  });
  for (let size = 0; size <= 9; size++) {
    const share = one.filter((each) => each === size).length / objects;
    assert.ok(Math.abs(share - 0.1) < 0.02, `${size}: ${share}`);
  }
  assert.notDeepEqual(one, other);
});
