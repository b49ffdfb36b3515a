import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget, budgetMemory } from '../../lib/load/budget.js';
import { runPool } from '../../lib/load/run-pool.js';
import { cases } from '../helpers/cases.js';

/**
 * @param {number} count
 * @returns {string[]}
 */
function threadsOf(count) {
  return Array.from({ length: count }, (_, index) => `thread ${index}`);
}

/** @param {number} objects */
function budgetOf(objects) {
  return new Budget({ memory: budgetMemory(), objects, cycles: false });
}

test('all work is done once, with one task per thread at a time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(60), fc.integer({ min: 1, max: 12 }), fc.scheduler(), async (pieces, count, scheduler) => {
      const budget = budgetOf(pieces);
      /** @type {number[]} */
      const done = [];
      const busy = new Set();
      let most = 0;
      const pool = runPool({
        threads: threadsOf(count),
        claim: () => budget.claim(),
        work: async (thread, piece) => {
          assert.ok(!busy.has(thread), `${thread} does two things at a time`);
          busy.add(thread);
          most = Math.max(most, busy.size);
          await scheduler.schedule(Promise.resolve());
          busy.delete(thread);
          done.push(piece);
        },
      });
      await scheduler.waitFor(pool);
      assert.deepEqual(
        done.sort((one, other) => one - other),
        Array.from({ length: pieces }, (_, piece) => piece),
      );
      assert.equal(most, Math.min(count, pieces));
    }),
    { numRuns: cases(50) },
  );
});

test('an error ends its thread and is thrown once the others are done', async () => {
  const budget = budgetOf(20);
  const error = new Error('broken');
  let done = 0;
  const pool = runPool({
    threads: threadsOf(3),
    claim: () => budget.claim(),
    work: async (_thread, piece) => {
      if (piece === 4) {
        throw error;
      }
      await null;
      done += 1;
    },
  });
  await assert.rejects(pool, error);
  assert.equal(done, 19);
});
