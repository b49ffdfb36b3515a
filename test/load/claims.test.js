import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget, budgetMemory } from '../../lib/load/budget.js';
import { Claims, kindOrder } from '../../lib/load/claims.js';
import { StageMeters } from '../../lib/measure/stage-meter.js';
import { OperationRecord } from '../../lib/load/operations/operation-record.js';
import { operationNamed } from '../../lib/load/operations/registry.js';
import { mixedStage } from '../../lib/load/operations/stage.js';
import { mixedMemory } from '../../lib/load/workload/mixed-objects.js';
import { ObjectGroups } from '../../lib/load/workload/object-groups.js';
import { cases } from '../helpers/cases.js';
import { fakeEngine } from '../helpers/fake-store.js';

/** @import { StageKind } from '../../lib/load/operations/stage.js' */

const [write, read, stat, list] = ['write', 'read', 'stat', 'list'].map(operationNamed);
const SEED = 'a seed';

/**
 * @param {readonly StageKind[]} kinds
 * @param {object} choice
 * @param {number} choice.objects
 * @param {number} [choice.first] the first of those objects
 * @param {number} [choice.groupSize] for a stage whose operations cover several objects
 * @param {readonly number[]} [choice.written]
 * @param {boolean} [choice.cycles]
 * @param {boolean} [choice.wroteObjects]
 * @param {SharedArrayBuffer} [choice.memory]
 * @param {(claim: number) => number} [choice.order]
 */
function openClaims(kinds, choice) {
  const { objects, first = 0, groupSize, written = [] } = choice;
  const { cycles = false, wroteObjects = true, memory = budgetMemory(), order } = choice;
  const {
    clock,
    workload: fixed,
    connections,
  } = fakeEngine({
    answer: () => {},
    objects: first + objects,
    wroteObjects,
  });
  const workload = { ...fixed, sizeOf: (/** @type {number} */ index) => 1000 + index };
  written.forEach((localIndex) => workload.ledger.add(localIndex, 1));
  const meters = new StageMeters(kinds.length, clock, clock.now());
  const stage = mixedStage('Mixed', kinds);
  const { keyspace, shard } = workload;
  const groups =
    groupSize === undefined
      ? null
      : new ObjectGroups({ keyspace, shard, first, objects, size: groupSize, isByKey: true });
  const budget = new Budget({ memory, cycles, ...(groups === null ? { first, objects } : { objects: groups.count }) });
  const claims = new Claims(stage, { workload, budget, meters, order, groups, seed: SEED, now: clock.now });
  const record = new OperationRecord(kinds[0].operation, workload, connections[0]);
  return { claims, record, meters, workload };
}

test('a stage that replaces objects replaces none while it is being replaced, nor within a second of that', () => {
  const { workload, connections, clock } = fakeEngine({ answer: () => {}, objects: 2, threads: 2 });
  const given = { ...workload, sizeOf: () => 16 };
  [0, 1].forEach((local) => workload.ledger.add(local, 1));
  let now = 5000;
  const [swap] = ['swap'].map(operationNamed);
  const stage = mixedStage('Swap', [{ operation: swap, weight: 1 }]);
  const claims = new Claims(stage, {
    workload: given,
    budget: new Budget({ memory: budgetMemory(), objects: 2, cycles: true }),
    meters: new StageMeters(1, clock, clock.now()),
    replaced: mixedMemory(2, { copies: false, timeout: 10_000 }),
    seed: SEED,
    now: () => now,
  });
  const [one, other] = connections.map((connection) => new OperationRecord(swap, given, connection));
  const places = (/** @type {OperationRecord} */ record) => {
    claims.next(record);
    return [record.localIndex, claims.place(record)];
  };
  assert.deepEqual(
    [places(one), places(other)],
    [
      [0, 0],
      [1, 0],
    ],
  );
  claims.done(other);
  assert.deepEqual(places(other), [0, 100], 'it is still being replaced');
  claims.done(one);
  assert.deepEqual(places(one), [1, 100], 'it has just been replaced');
  now += 950;
  assert.equal(claims.place(one), 50);
  now += 50;
  assert.deepEqual([claims.place(one), claims.place(other)], [0, 0]);
  one.outcomeUnknown = true;
  claims.done(one);
  claims.done(other);
  now += 11_999;
  assert.deepEqual(
    [places(other), places(one)],
    [
      [0, 0],
      [1, 1],
    ],
    'a write without a response may take effect late',
  );
});

/** @param {ReturnType<typeof openClaims>} opened */
function claimAll({ claims, record }) {
  const claimed = [];
  while (claims.next(record) >= 0) {
    claimed.push({ kind: record.kind, operation: record.operation.name, localIndex: record.localIndex });
  }
  return claimed;
}

/** @param {number} count */
function indices(count) {
  return [...Array(count).keys()];
}

test('a claim fills in the record: the operation, its object, and the size', () => {
  const opened = openClaims([{ operation: write, weight: 1 }], { objects: 3 });
  const { claims, record, workload } = opened;
  assert.deepEqual([claims.next(record), claims.next(record)], [0, 1]);
  const { operation, kind, localIndex, index, bucket, key, size } = record;
  assert.deepEqual([operation, kind, localIndex, index, size], [write, 0, 1, 1, 1001]);
  assert.deepEqual([bucket, key], [workload.keyspace.bucketOf(1), workload.keyspace.keyOf(1)]);
  assert.deepEqual([claims.next(record), claims.next(record)], [2, -1]);
});

test('the kind of a claim follows from its number alone, whichever worker makes it', () => {
  const kinds = [
    { operation: write, weight: 3 },
    { operation: read, weight: 2 },
  ];
  fc.assert(
    fc.property(fc.array(fc.nat(2), { minLength: 50, maxLength: 50 }), (order) => {
      const memory = budgetMemory();
      const written = indices(50);
      const workers = indices(3).map(() => openClaims(kinds, { objects: 50, written, memory }));
      const claimed = order.map((worker) => {
        const { claims, record } = workers[worker];
        return [claims.next(record), record.kind, record.localIndex];
      });
      const kindOf = kindOrder(kinds, SEED);
      assert.deepEqual(
        claimed,
        indices(50).map((claim) => [claim, kindOf(claim), claim]),
      );
    }),
    { numRuns: cases(20) },
  );
});

test('kinds match their weights exactly in each deck of claims', () => {
  const weights = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(weights, fc.string(), fc.nat(1000), (given, seed, deck) => {
      const kindOf = kindOrder(
        given.map((weight) => ({ operation: read, weight })),
        seed,
      );
      const total = given.reduce((sum, weight) => sum + weight);
      const counts = given.map(() => 0);
      indices(total).forEach((claim) => (counts[kindOf(deck * total + claim)] += 1));
      assert.deepEqual(counts, given);
    }),
  );
});

test('kinds that need an unwritten object skip it and count the skip', () => {
  const kinds = [
    { operation: write, weight: 1 },
    { operation: read, weight: 1 },
    { operation: stat, weight: 1 },
  ];
  const written = indices(300).filter((localIndex) => localIndex % 2 === 0);
  const opened = openClaims(kinds, { objects: 300, written });
  const claimed = claimAll(opened);
  const kindOf = kindOrder(kinds, SEED);
  const expected = indices(300).filter((claim) => kindOf(claim) === 0 || claim % 2 === 0);
  assert.deepEqual(
    claimed.map(({ localIndex }) => localIndex),
    expected,
  );
  assert.deepEqual(
    opened.meters.kinds.map(({ skipped }) => skipped),
    [0, 1, 2].map((kind) => indices(300).filter((claim) => kindOf(claim) === kind && !expected.includes(claim)).length),
  );
});

test('if nothing was written, a cycle has work only for operations that create objects', () => {
  const reading = openClaims([{ operation: read, weight: 1 }], { objects: 10, cycles: true });
  assert.equal(reading.claims.next(reading.record), -1);
  const kinds = [
    { operation: read, weight: 1 },
    { operation: write, weight: 1 },
  ];
  const mixed = openClaims(kinds, { objects: 10, cycles: true });
  assert.ok(mixed.claims.next(mixed.record) >= 0);
  assert.equal(mixed.record.operation, write);
});

test('if none of a range was written, a cycle has no work, whatever exists outside the range', () => {
  for (const [operation, groupSize] of /** @type {const} */ ([
    [read, undefined],
    [list, 4],
  ])) {
    const range = { first: 10, objects: 10, groupSize, cycles: true };
    const beside = openClaims([{ operation, weight: 1 }], { ...range, written: indices(10) });
    assert.equal(beside.claims.next(beside.record), -1, operation.name);
    const within = openClaims([{ operation, weight: 1 }], { ...range, written: [3, 15] });
    assert.ok(indices(3).every(() => within.claims.next(within.record) >= 0));
  }
});

test('a worker that keeps finding unwritten objects continues while other workers find written ones', () => {
  const memory = budgetMemory();
  const choice = { objects: 2, written: [1], cycles: true, memory };
  const [one, other] = indices(2).map(() => openClaims([{ operation: read, weight: 1 }], choice));
  const { has } = one.workload.ledger;
  // The other worker takes the existing object each time after the first one has missed.
  let missed = 0;
  one.workload.ledger.has = function (localIndex) {
    const exists = has.call(this, localIndex);
    missed += Number(!exists);
    if (!exists && missed <= 4) {
      assert.ok(other.claims.next(other.record) >= 0);
    }
    return exists;
  };
  assert.ok(one.claims.next(one.record) >= 0);
  assert.equal(one.record.localIndex, 1);
});

test('reads follow the access pattern; other operations go through the objects in order', () => {
  const order = (/** @type {number} */ claim) => 7 - claim;
  const written = indices(18);
  const reads = claimAll(openClaims([{ operation: read, weight: 1 }], { objects: 8, first: 10, written, order }));
  assert.deepEqual(
    reads.map(({ localIndex }) => localIndex),
    [17, 16, 15, 14, 13, 12, 11, 10],
  );
  const writes = claimAll(openClaims([{ operation: write, weight: 1 }], { objects: 8, first: 10, order }));
  assert.deepEqual(
    writes.map(({ localIndex }) => localIndex),
    [10, 11, 12, 13, 14, 15, 16, 17],
  );
});
