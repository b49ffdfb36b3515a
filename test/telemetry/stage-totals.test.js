import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { StageTotals } from '../../lib/telemetry/stage-totals.js';
import { stageSnapshot } from '../helpers/stage-snapshot.js';

const KNOWN = { operations: ['read'], buckets: ['one'] };

/** @param {StageTotals} totals */
function figuresOf({ sums }) {
  const read = sums.kinds.get('read');
  const one = sums.buckets.get('one');
  assert.ok(read !== undefined && one !== undefined);
  const { operations, attempts, errors } = read.counts;
  const timeouts = errors.timeout ?? 0;
  return [operations, attempts, timeouts, read.latencies.operations.count, one.operations, sums.connections.opened];
}

test('a stage that is known beforehand begins at nothing', () => {
  const totals = new StageTotals(KNOWN);
  assert.deepEqual(figuresOf(totals), [0, 0, 0, 0, 0, 0]);
  assert.equal(totals.current, null);
});

test('a later snapshot of a step takes the place of the one before, and steps are added up', () => {
  const totals = new StageTotals(KNOWN);
  totals.take(stageSnapshot({ latencies: [1] }));
  totals.take(stageSnapshot({ latencies: [1, 2], errors: { timeout: 1 } }));
  assert.deepEqual(figuresOf(totals), [2, 3, 1, 2, 2, 2]);
  totals.take(stageSnapshot({ latencies: [1, 2, 3], errors: { timeout: 1 } }, { isFinal: true }));
  assert.deepEqual(figuresOf(totals), [3, 4, 1, 3, 3, 2]);
  totals.take(stageSnapshot({ latencies: [4] }));
  assert.deepEqual(figuresOf(totals), [4, 5, 1, 4, 4, 4]);
});

test('a stage that ended without its last snapshot stays as it was seen', () => {
  const totals = new StageTotals(KNOWN);
  totals.take(stageSnapshot({ latencies: [1, 2] }));
  totals.end();
  assert.deepEqual([...figuresOf(totals), totals.current], [2, 2, 0, 2, 2, 2, null]);
});

test('whatever the steps are, nothing ever becomes less, and the end has all of them', () => {
  const anyStep = fc.array(fc.nat(5), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 5 }), (steps) => {
      const totals = new StageTotals(KNOWN);
      let before = figuresOf(totals);
      let all = 0;
      for (const increments of steps) {
        let operations = 0;
        increments.forEach((increment, place) => {
          operations += increment;
          const isFinal = place === increments.length - 1;
          totals.take(
            stageSnapshot({ latencies: Array(operations).fill(1), errors: { timeout: operations } }, { isFinal }),
          );
          const now = figuresOf(totals);
          assert.ok(now.every((figure, each) => figure >= before[each]));
          before = now;
        });
        all += operations;
      }
      assert.deepEqual(figuresOf(totals).slice(0, 5), [all, 2 * all, all, all, all]);
    }),
  );
});
