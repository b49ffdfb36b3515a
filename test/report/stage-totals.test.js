import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { StageTotals } from '../../lib/report/telemetry/run-metrics.js';
import { stageSnapshot } from '../helpers/stage-snapshot.js';

/** @param {StageTotals} totals */
function figuresOf({ sum }) {
  assert.ok(sum !== null);
  const [{ operations, attempts, errors, latency }] = sum.kinds;
  return [
    operations,
    attempts,
    errors.timeout ?? 0,
    latency.operations?.count ?? 0,
    sum.buckets[0].operations,
    sum.connections.opened,
  ];
}

test('a stage that ends without a final snapshot keeps its latest one', () => {
  const totals = new StageTotals();
  assert.equal(totals.sum, null);
  totals.take([stageSnapshot({ latencies: [1, 2] })]);
  totals.end();
  assert.deepEqual([...figuresOf(totals), totals.current], [2, 2, 0, 2, 2, 2, null]);
});

test('for any steps, nothing ever decreases, and the final sum includes all of them', () => {
  const anyStep = fc.array(fc.nat(5), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(anyStep, { minLength: 1, maxLength: 5 }), (steps) => {
      const totals = new StageTotals();
      let before = [0, 0, 0, 0, 0, 0];
      let all = 0;
      for (const increments of steps) {
        let operations = 0;
        increments.forEach((increment, index) => {
          operations += increment;
          const seen = { latencies: Array(operations).fill(1), errors: { timeout: operations } };
          totals.take([stageSnapshot(seen, { isFinal: index === increments.length - 1 })]);
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
