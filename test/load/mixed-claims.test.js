import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Budget, budgetMemory } from '../../lib/load/budget.js';
import { MixedClaims } from '../../lib/load/claims.js';
import { OperationRecord } from '../../lib/load/operations/operation-record.js';
import { operationNamed } from '../../lib/load/operations/registry.js';
import { MixedObjects, isAbsent, mixedMemory } from '../../lib/load/workload/mixed-objects.js';
import { fakeEngine } from '../helpers/fake-store.js';

/** Critical value of the chi-squared distribution with 99 degrees of freedom at 0.999. */
const CRITICAL_99 = 148.23;

/**
 * @param {Record<string, number>} shares
 * @param {{ objects: number, operations?: number, now?: () => number }} options
 */
function openClaims(shares, { objects, operations = 100_000, now = () => 0 }) {
  const { workload: fixed, connections } = fakeEngine({ answer: () => {}, objects });
  const mixed = new MixedObjects(mixedMemory(objects, { copies: true, timeout: 1000 }));
  const workload = { ...fixed, mixed, sizeOf: () => 1000 };
  for (let object = 0; object < objects; object++) {
    workload.ledger.add(object, 1);
  }
  const kinds = Object.entries(shares).map(([name, weight]) => ({ operation: operationNamed(name), weight }));
  const budget = new Budget({ memory: budgetMemory(), objects: operations, cycles: false });
  const claims = new MixedClaims(kinds, { workload, budget, objects, now, seed: 'run-1' });
  const record = new OperationRecord(kinds[0].operation, workload, connections[0]);
  return { claims, record, workload };
}

/** @param {ReturnType<typeof openClaims>} opened */
function nextPlaced({ claims, record }) {
  assert.ok(claims.next(record) >= 0);
  return claims.place(record, 0);
}

describe('a mixed stage', () => {
  test('reads each object equally often (chi-squared at 0.001)', () => {
    const opened = openClaims({ read: 60, stat: 40 }, { objects: 100 });
    const counts = Array.from({ length: 100 }, () => 0);
    for (let claim = 0; claim < 100_000; claim++) {
      assert.equal(nextPlaced(opened), 0);
      counts[opened.record.localIndex] += 1;
    }
    const chi = counts.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
    assert.ok(chi < CRITICAL_99, `${chi}`);
  });

  test('writes each object equally often, and none twice within a second', () => {
    let now = 0;
    const opened = openClaims({ write: 90, read: 10 }, { objects: 100, now: () => now });
    const counts = Array.from({ length: 100 }, () => 0);
    /** @type {Map<number, number>} */
    const last = new Map();
    for (let claim = 0; claim < 50_000; claim++) {
      now += 50;
      assert.equal(nextPlaced(opened), 0);
      const { record, claims } = opened;
      if (record.operation.creates) {
        assert.ok(now - (last.get(record.localIndex) ?? -Infinity) >= 1000);
        last.set(record.localIndex, now);
        counts[record.localIndex] += 1;
        claims.done(record);
      }
    }
    const chi = counts.reduce((sum, count) => sum + (count - 450) ** 2 / 450, 0);
    assert.ok(chi < CRITICAL_99, `${chi}`);
  });

  test('waits as long as every key was written within the last second', () => {
    let now = 10;
    const opened = openClaims({ write: 99, read: 1 }, { objects: 3, now: () => now });
    const { claims, record } = opened;
    for (let write = 0; write < 3;) {
      assert.equal(nextPlaced(opened), 0);
      if (record.operation.creates) {
        claims.done(record);
        write += 1;
      }
    }
    let wait = nextPlaced(opened);
    while (!record.operation.creates && wait === 0) {
      wait = nextPlaced(opened);
    }
    assert.equal(wait, 100, 'it checks at this interval whether the stage is over');
    now = 1005;
    assert.equal(claims.place(record, 0), 5);
    now = 1010;
    assert.equal(claims.place(record, 0), 0);
  });

  test('fills the slot of a removed object by the next write after a second', () => {
    let now = 0;
    const opened = openClaims({ write: 50, remove: 50 }, { objects: 50, now: () => now });
    const { claims, record, workload } = opened;
    /** @type {number[]} */
    const removed = [];
    for (let operation = 0; operation < 2000; operation++) {
      now += 100;
      assert.equal(nextPlaced(opened), 0);
      const { localIndex } = record;
      if (record.operation.removes) {
        assert.ok(workload.ledger.has(localIndex), 'only existing objects are removed');
        assert.ok(isAbsent(record.state));
        workload.ledger.delete(localIndex);
        removed.push(localIndex);
      } else {
        const [next] = removed;
        if (next !== undefined && workload.mixed.pauses.freeFrom(next) <= now) {
          assert.fail('the slot that was removed first is still empty, but another one was written');
        }
        const place = removed.indexOf(localIndex);
        if (place >= 0) {
          removed.splice(place, 1);
        }
        workload.ledger.add(localIndex, 1);
      }
      claims.done(record);
    }
    assert.ok(workload.ledger.count >= 25, `${workload.ledger.count} of 50 are there`);
  });

  test('sets a key aside after an unknown outcome until the timeout and two seconds have passed', () => {
    let now = 0;
    const opened = openClaims({ write: 50, remove: 50 }, { objects: 3, now: () => now });
    const { claims, record, workload } = opened;
    assert.equal(nextPlaced(opened), 0);
    const setAside = record.localIndex;
    record.outcomeUnknown = true;
    // Neither as an object to overwrite nor as a gap to fill.
    workload.ledger.delete(setAside);
    claims.done(record);
    record.outcomeUnknown = false;
    const chosen = new Set();
    for (; now < 3000; now += 100) {
      if (nextPlaced(opened) === 0) {
        chosen.add(record.localIndex);
        if (record.operation.removes) {
          workload.ledger.delete(record.localIndex);
        } else {
          workload.ledger.add(record.localIndex, 1);
        }
        claims.done(record);
      }
    }
    assert.equal(chosen.size, 2, 'a gap that is set aside does not block the others');
    assert.ok(!chosen.has(setAside));
    while (!record.operation.creates || record.localIndex !== setAside) {
      now += 100;
      assert.ok(now < 10_000);
      if (nextPlaced(opened) === 0) {
        claims.done(record);
      }
    }
  });

  test('copies no object twice within a second, and writes its source meanwhile', () => {
    const opened = openClaims({ copy: 50, write: 50 }, { objects: 1 });
    const { claims, record } = opened;
    const placed = { copy: 0, write: 0 };
    for (let operation = 0; operation < 20; operation++) {
      if (nextPlaced(opened) === 0) {
        placed[/** @type {'copy' | 'write'} */ (record.operation.name)] += 1;
        claims.done(record);
      }
    }
    assert.deepEqual(placed, { copy: 1, write: 1 });
  });

  test('looks for other objects each time, and skips an operation that finds none for a second', () => {
    const opened = openClaims({ read: 60, stat: 40 }, { objects: 1000 });
    const { claims, record, workload } = opened;
    for (let object = 0; object < 1000; object++) {
      workload.ledger.delete(object);
    }
    const places = Array.from({ length: 11 }, (_, round) =>
      round === 0 ? nextPlaced(opened) : claims.place(record, round),
    );
    assert.deepEqual(places, [...Array.from({ length: 10 }, () => 100), -1]);
    // A claim tries 320 objects, so one in ten is enough to find one.
    for (let object = 0; object < 100; object++) {
      workload.ledger.add(object, 1);
    }
    for (let claim = 0; claim < 100; claim++) {
      let place = nextPlaced(opened);
      for (let round = 1; place > 0; round++) {
        place = claims.place(record, round);
      }
      assert.equal(place, 0);
    }
  });

  for (const [threads, shares] of /** @type {[number, Record<string, number>][]} */ ([
    [1, { write: 50, remove: 50 }],
    [4, { write: 50, remove: 50 }],
    [5, { read: 70, write: 15, remove: 15 }],
  ])) {
    test(`continues although all ${threads} threads want absent objects: ${JSON.stringify(shares)}`, () => {
      let now = 0;
      const opened = openClaims(shares, { objects: 5, now: () => now });
      const { claims, workload } = opened;
      const { operation, connection } = opened.record;
      const busy = Array.from({ length: threads }, () => ({
        record: new OperationRecord(operation, workload, connection),
        round: -1,
      }));
      let done = 0;
      for (let look = 0; look < 40_000; look++) {
        now += 100 / threads;
        const thread = busy[look % threads];
        const { record } = thread;
        if (thread.round < 0) {
          assert.ok(claims.next(record) >= 0);
        }
        thread.round += 1;
        const place = claims.place(record, thread.round);
        if (place > 0) {
          continue;
        }
        thread.round = -1;
        done += 1;
        if (place === 0) {
          if (record.operation.removes) {
            workload.ledger.delete(record.localIndex);
          } else if (record.operation.creates) {
            workload.ledger.add(record.localIndex, 1);
          }
          claims.done(record);
        }
      }
      // Each of them takes at most ten looks.
      assert.ok(done > 40_000 / 12, `${done} operations ended`);
    });
  }
});
