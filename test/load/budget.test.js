import fc from 'fast-check';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { Budget, budgetMemory } from '../../lib/load/budget.js';

const MAX_CLAIM = 2 ** 32 - 1;

/**
 * @param {number} objects
 * @param {boolean} [cycles]
 */
function budgetOf(objects, cycles = false) {
  return new Budget({ memory: budgetMemory(), objects, cycles });
}

/**
 * @param {Budget} budget
 * @returns {number} the localIndex of the claimed object, or -1
 */
function claimObject(budget) {
  const claim = budget.claim();
  return claim < 0 ? -1 : budget.localIndexAt(claim % budget.objects);
}

test('all who share the memory see the last success', () => {
  const memory = budgetMemory();
  const [one, other] = [0, 1].map(() => new Budget({ memory, objects: 3, cycles: true }));
  one.shareSuccess(17);
  assert.equal(other.shareSuccess(0), 17);
});

test('all who share the memory share its objects, in any order', () => {
  const turns = fc.array(fc.nat(3), { maxLength: 80 });
  fc.assert(
    fc.property(turns, fc.nat(60), fc.boolean(), (order, objects, cycles) => {
      const memory = budgetMemory();
      const budgets = Array.from({ length: 4 }, () => new Budget({ memory, objects, cycles }));
      const claimed = order.map((localIndex) => claimObject(budgets[localIndex]));
      const expected = order.map((_, claim) => {
        const isLeft = objects > 0 && (cycles || claim < objects);
        return isLeft ? claim % objects : -1;
      });
      assert.deepEqual(claimed, expected);
    }),
  );
});

test('a budget hands out no more than its most operations, whether or not it cycles', () => {
  for (const [objects, cycles, expected] of /** @type {const} */ ([
    [3, true, [0, 1, 2, 0, 1, -1]],
    [9, false, [0, 1, 2, 3, 4, -1]],
    [2, false, [0, 1, -1, -1, -1, -1]],
  ])) {
    const budget = new Budget({ memory: budgetMemory(), objects, cycles, most: 5 });
    assert.deepEqual(
      expected.map(() => claimObject(budget)),
      expected,
    );
    assert.equal(budget.arrive() >= 0, true);
  }
});

test('a cycling budget repeats all objects until it is closed', () => {
  const budget = budgetOf(3, true);
  assert.deepEqual(
    Array.from({ length: 7 }, () => claimObject(budget)),
    [0, 1, 2, 0, 1, 2, 0],
  );
  budget.close();
  assert.equal(budget.claim(), -1);
});

test('a cycle continues when its claim counter wraps around', () => {
  const memory = budgetMemory();
  const budget = new Budget({ memory, objects: 7, cycles: true });
  Atomics.store(new Uint32Array(memory), 0, MAX_CLAIM);
  const claimed = [claimObject(budget), claimObject(budget), claimObject(budget)];
  assert.ok(
    claimed.every((localIndex) => localIndex >= 0 && localIndex < 7),
    String(claimed),
  );
});

test('the last success is the latest that any worker reported', () => {
  const memory = budgetMemory();
  const [one, other] = [0, 1].map(() => new Budget({ memory, objects: 1, cycles: false }));
  assert.equal(one.shareSuccess(100), 100);
  assert.equal(other.shareSuccess(50), 100);
  assert.equal(other.shareSuccess(150), 150);
  assert.equal(one.shareSuccess(100), 150);
});

test('threads that claim at the same time get each object once', { timeout: 120_000 }, async () => {
  const objects = 100_000;
  const memory = budgetMemory();
  const claimed = await Promise.all(Array.from({ length: 3 }, () => claimAll(memory, objects)));
  const seen = new Uint8Array(objects);
  claimed.flat().forEach((localIndex) => (seen[localIndex] += 1));
  assert.equal(claimed.flat().length, objects);
  assert.ok(seen.every((times) => times === 1));
});

/**
 * @param {SharedArrayBuffer} memory
 * @param {number} objects
 * @returns {Promise<number[]>} the objects that a separate thread gets
 */
async function claimAll(memory, objects) {
  const code = `
    import { parentPort, workerData } from 'node:worker_threads';
    const { Budget } = await import(workerData.module);
    const budget = new Budget(workerData);
    parentPort.postMessage('ready');
    parentPort.once('message', () => {
      const claimed = [];
      for (let localIndex = budget.claim(); localIndex >= 0; localIndex = budget.claim()) {
        claimed.push(localIndex);
      }
      parentPort.postMessage(claimed);
    });
  `;
  const module = new URL('../../lib/load/budget.js', import.meta.url).href;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), {
    workerData: { module, memory, objects, cycles: false },
  });
  // The thread may end in the same turn in which its last message arrives.
  const ended = once(worker, 'exit');
  await once(worker, 'message');
  worker.postMessage('go');
  const [claimed] = await once(worker, 'message');
  await ended;
  return claimed;
}
