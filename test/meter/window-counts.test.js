import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WindowCounts } from '../../lib/meter/stage-meter.js';

test('operations count in the window in which they completed, on however many cores', () => {
  const anyTimes = fc.array(fc.array(fc.integer({ min: -100, max: 5000 }), { maxLength: 30 }), { maxLength: 4 });
  fc.assert(
    fc.property(anyTimes, fc.integer({ min: 1, max: 700 }), (cores, width) => {
      const windows = { startsAt: 1000, width };
      const sum = new WindowCounts(windows);
      for (const times of cores) {
        const counts = new WindowCounts(windows);
        times.forEach((time) => counts.add(1000 + time));
        sum.addCounts(counts.counts);
      }
      const all = cores.flat();
      assert.equal(
        sum.counts.reduce((total, count) => total + count, 0),
        all.length,
      );
      sum.counts.forEach((count, index) => {
        const from = index === 0 ? -Infinity : index * width;
        assert.equal(count, all.filter((time) => time >= from && time < (index + 1) * width).length);
      });
    }),
  );
});
