import fc from 'fast-check';
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { quota, usableCores } from '../../lib/cli/usable-cores.js';

test('a quota is the CPU time of a period by its length', () => {
  assert.equal(quota('150000 100000\n'), 1.5);
  assert.equal(quota('50000 100000'), 0.5);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1000, max: 1_000_000 }), (cores, period) => {
      assert.equal(quota(`${cores * period} ${period}\n`), cores);
    }),
  );
});

test('where there is no quota, or none that can be read, there is no limit', () => {
  for (const text of ['max 100000\n', '', 'max', '100000', '100000 0', '-1 100000', '1e5 100000', 'nonsense 100000']) {
    assert.equal(quota(text), Infinity, JSON.stringify(text));
  }
});

test('a process may use at least one core, and no more than it may run on', () => {
  const cores = usableCores();
  assert.ok(Number.isInteger(cores) && cores >= 1 && cores <= availableParallelism());
});
