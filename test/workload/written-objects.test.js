import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WrittenObjects, memoryFor } from '../../lib/workload/written-objects.js';

const OBJECTS = 8;

const step = fc.record({
  index: fc.nat(OBJECTS - 1),
  digest: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 2 ** 32 - 1 })),
});

test('keeps the latest state of each object, and counts the existing ones', () => {
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const written = new WrittenObjects(memoryFor(OBJECTS));
      const model = new Map();
      for (const { index, digest } of steps) {
        if (digest === 0) {
          written.delete(index);
          model.delete(index);
        } else {
          written.add(index, digest);
          model.set(index, digest);
        }
      }
      assert.equal(written.end, Math.max(0, ...[...model.keys()].map((index) => index + 1)));
      for (let index = 0; index < OBJECTS; index++) {
        assert.equal(written.has(index), model.has(index));
        assert.equal(written.digestOf(index), model.get(index) ?? 0);
      }
      assert.equal(written.count, model.size);
    }),
  );
});

test('nothing is written at the start', () => {
  const written = new WrittenObjects(memoryFor(3));
  assert.deepEqual(
    [0, 1, 2].map((index) => written.has(index)),
    [false, false, false],
  );
  assert.equal(written.count, 0);
});

test('everyone who shares its memory has the same state and count', () => {
  const anyStep = fc.record({ index: fc.nat(OBJECTS - 1), isAdded: fc.boolean(), core: fc.nat(2) });
  fc.assert(
    fc.property(fc.array(anyStep), (steps) => {
      const memory = memoryFor(OBJECTS);
      const cores = Array.from({ length: 3 }, () => new WrittenObjects(memory));
      const there = new Set();
      for (const { index, isAdded, core } of steps) {
        if (isAdded) {
          cores[core].add(index, index + 1);
          there.add(index);
        } else {
          cores[core].delete(index);
          there.delete(index);
        }
      }
      for (const written of cores) {
        assert.equal(written.count, there.size);
        assert.deepEqual(
          Array.from({ length: OBJECTS }, (_, index) => written.digestOf(index)),
          Array.from({ length: OBJECTS }, (_, index) => (there.has(index) ? index + 1 : 0)),
        );
      }
    }),
  );
});

test('takes four bytes per object', () => {
  assert.equal(memoryFor(1001).byteLength - memoryFor(1).byteLength, 4000);
});
