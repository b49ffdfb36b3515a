import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overlapOf } from '../../lib/result/merge/seconds.js';

test('with one interval per host, the overlap is from the last start to the first stop', () => {
  const interval = fc.record({ start: fc.nat(100), length: fc.integer({ min: 1, max: 100 }) });
  fc.assert(
    fc.property(fc.array(interval, { minLength: 1, maxLength: 6 }), (drawn) => {
      const intervals = drawn.map(({ start, length }, host) => ({ host, start, stop: start + length }));
      const from = Math.max(...intervals.map(({ start }) => start));
      const to = Math.min(...intervals.map(({ stop }) => stop));
      const covered = new Set(intervals.flatMap(({ start, stop }) => range(start, stop)));
      const { together, any, ...moments } = overlapOf(intervals);
      assert.deepEqual([together, any], [Math.max(to - from, 0), covered.size]);
      assert.deepEqual(moments, to > from ? { from, to } : { from: null, to: null });
    }),
  );
});

test('with several runs per host, every common interval counts', () => {
  const intervals = [
    { host: 'a', start: 0, stop: 10 },
    { host: 'a', start: 20, stop: 30 },
    { host: 'b', start: 5, stop: 22 },
  ];
  assert.deepEqual(overlapOf(intervals), { together: 7, any: 30, from: 5, to: 22 });
});

/**
 * @param {number} start
 * @param {number} stop
 */
function range(start, stop) {
  return Array.from({ length: stop - start }, (_, index) => start + index);
}
