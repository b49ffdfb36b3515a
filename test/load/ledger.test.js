import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ledger, ledgerMemory } from '../../lib/load/workload/ledger.js';

const OBJECTS = 8;

const step = fc.record({
  index: fc.nat(OBJECTS - 1),
  digest: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 2 ** 32 - 1 })),
});

test('keeps the latest state of each object, and counts the existing ones', () => {
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const ledger = new Ledger(ledgerMemory(OBJECTS));
      const model = new Map();
      for (const { index, digest } of steps) {
        if (digest === 0) {
          ledger.delete(index);
          model.delete(index);
        } else {
          ledger.add(index, digest);
          model.set(index, digest);
        }
      }
      assert.equal(ledger.end, Math.max(0, ...[...model.keys()].map((index) => index + 1)));
      for (let index = 0; index < OBJECTS; index++) {
        assert.equal(ledger.has(index), model.has(index));
        assert.ok(!model.has(index) || ledger.matches(index, model.get(index)));
        assert.ok(!model.has(index) || !ledger.matches(index, model.get(index) ^ 4096));
      }
      assert.equal(ledger.count, model.size);
    }),
  );
});

test('nothing is written at the start', () => {
  const ledger = new Ledger(ledgerMemory(3));
  assert.deepEqual(
    [0, 1, 2].map((index) => ledger.has(index)),
    [false, false, false],
  );
  assert.equal(ledger.count, 0);
});

test('everyone who shares its memory has the same state and count', () => {
  const anyStep = fc.record({ index: fc.nat(OBJECTS - 1), isAdded: fc.boolean(), core: fc.nat(2) });
  fc.assert(
    fc.property(fc.array(anyStep), (steps) => {
      const memory = ledgerMemory(OBJECTS);
      const cores = Array.from({ length: 3 }, () => new Ledger(memory));
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
      for (const ledger of cores) {
        assert.equal(ledger.count, there.size);
        assert.deepEqual(
          Array.from({ length: OBJECTS }, (_, index) => ledger.has(index)),
          Array.from({ length: OBJECTS }, (_, index) => there.has(index)),
        );
      }
    }),
  );
});

test('takes four bytes per object', () => {
  assert.equal(ledgerMemory(1001).byteLength - ledgerMemory(1).byteLength, 4000);
});

test('ETags that vary are ignored by all who share the memory', () => {
  const memory = ledgerMemory(1);
  const ledger = new Ledger(memory);
  ledger.add(0, 4711);
  assert.deepEqual(
    [4711, 0, 4712].map((digest) => ledger.matches(0, digest)),
    [true, true, false],
  );
  new Ledger(memory).ignoreEtags();
  assert.equal(ledger.matches(0, 4712), true);
  assert.equal(ledger.count, 1);
});
