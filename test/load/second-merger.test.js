import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SecondMerger } from '../../lib/load/workers.js';
import { LatencyHistogram } from '../../lib/measure/latency-histogram.js';

/**
 * @import { MeasuredSecond } from '../../lib/load/workers.js'
 * @import { SecondCount } from '../../lib/result/result.js'
 */

/**
 * @param {SecondCount} count
 * @param {readonly number[]} [milliseconds]
 * @returns {MeasuredSecond}
 */
function measured(count, milliseconds = []) {
  const latencies = new LatencyHistogram();
  milliseconds.forEach((latency) => latencies.record(latency));
  return { ...count, billed: [count.operations], latencies: latencies.toRecord() };
}

/** Each worker begins a little later than the first one and reports every second from its first to its last. */
const anyWorker = fc.record({
  first: fc.nat(2),
  counts: fc.array(fc.record({ operations: fc.nat(1000), bytes: fc.nat(1e9) }), { maxLength: 6 }),
});

/** @param {number} cores */
function merge(cores) {
  /** @type {SecondCount[]} */
  const told = [];
  return {
    told,
    merger: new SecondMerger(cores, ({ secondStart, operations, bytes }) =>
      told.push({ secondStart, operations, bytes }),
    ),
  };
}

/** @param {readonly SecondCount[]} counts */
function sumBySecond(counts) {
  /** @type {Map<number, SecondCount>} */
  const sums = new Map();
  for (const { secondStart, operations, bytes } of counts) {
    const sum = sums.get(secondStart) ?? { secondStart, operations: 0, bytes: 0 };
    sums.set(secondStart, { secondStart, operations: sum.operations + operations, bytes: sum.bytes + bytes });
  }
  return [...sums.values()].sort((one, other) => one.secondStart - other.secondStart);
}

test('each second is reported once, in order, with the sum of all workers, however their seconds arrive', () => {
  const cores = fc.array(anyWorker, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(cores, fc.infiniteStream(fc.nat()), (scripts, draws) => {
      const waiting = scripts.map(({ first, counts }) =>
        counts.map((count, index) => ({ secondStart: first + index, ...count })),
      );
      const all = waiting.flat();
      const running = waiting.map((_, core) => core);
      const { told, merger } = merge(scripts.length);
      while (running.length > 0) {
        const index = draws.next().value % running.length;
        const core = running[index];
        const next = waiting[core].shift();
        if (next === undefined) {
          merger.end(core);
          running.splice(index, 1);
        } else {
          merger.add(core, measured(next));
        }
      }
      assert.deepEqual(told, sumBySecond(all));
    }),
  );
});

test('a worker that has ended is no longer waited for', () => {
  const { told, merger } = merge(2);
  merger.add(0, measured({ secondStart: 10, operations: 1, bytes: 1 }));
  merger.end(1);
  merger.add(0, measured({ secondStart: 11, operations: 2, bytes: 2 }));
  assert.deepEqual(
    told.map(({ secondStart, operations }) => [secondStart, operations]),
    [
      [10, 1],
      [11, 2],
    ],
  );
});

test('the latencies of a second include all workers', () => {
  /** @type {MeasuredSecond[]} */
  const told = [];
  const merger = new SecondMerger(2, (second) => told.push(second));
  merger.add(0, measured({ secondStart: 3, operations: 2, bytes: 2 }, [1, 9]));
  merger.add(1, measured({ secondStart: 3, operations: 1, bytes: 1 }, [5]));
  const { count = 0, minimum, p50 = 0, maximum } = told[0].latencies.latency ?? {};
  assert.deepEqual([count, minimum, Math.round(p50), maximum], [3, 1, 5, 9]);
});
