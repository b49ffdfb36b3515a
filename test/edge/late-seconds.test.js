import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'node:test';
import { Clock } from '../../lib/clock/clock.js';
import { LateSeconds } from '../../lib/edge/late-seconds.js';
import { StageMeters } from '../../lib/meter/stage-meter.js';

test('each operation counts in the second in which it ended, whatever the order of the reports', () => {
  const clock = new Clock();
  const startedAt = clock.now();
  const times = fc.array(fc.integer({ min: 0, max: 6000 }), { maxLength: 60 });
  fc.assert(
    fc.property(times, fc.array(fc.integer({ min: 0, max: 6000 }), { maxLength: 6 }), (ends, known) => {
      const meters = new StageMeters(1, clock, startedAt);
      const [meter] = meters.kinds;
      /** @type {any[]} */
      const seconds = [];
      const late = new LateSeconds({
        counts: meters,
        startedAt,
        onSecond: (second) => seconds.push({ ...second, latencies: meters.takeSecond(second.secondStart).count }),
      });
      const moments = [...known].sort((one, other) => one - other);
      let [from, index] = [0, 0];
      for (const end of ends) {
        if (index < moments.length && end % 5 === 0) {
          from = moments[index++];
          late.knownUntil(startedAt + from);
        }
        const finishedAt = startedAt + Math.max(end, from);
        const timings = { startedAt, attemptStartedAt: startedAt, finishedAt };
        late.add({ finishedAt, count: () => meter.succeeded(timings, 1) });
      }
      late.stop(startedAt + 6001);
      const starts = seconds.map(({ secondStart }) => secondStart);
      assert.deepEqual(starts, [...new Set(starts)].toSorted());
      assert.equal(
        seconds.reduce((sum, { operations }) => sum + operations, 0),
        ends.length,
      );
      seconds.forEach(({ operations, latencies }) => assert.equal(latencies, operations));
    }),
  );
});
