import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slotOf } from '../../lib/run/stage-schedule.js';

test('a stage has its whole duration, and the next one starts a gap later', () => {
  assert.deepEqual(slotOf(1000, 60_000, 5000, 0), { startsAt: 1000, stopsAt: 61_000, endsAt: 65_900 });
  assert.deepEqual(slotOf(1000, 60_000, 5000, 1), { startsAt: 66_000, stopsAt: 126_000, endsAt: 130_900 });
});

test('whatever the lengths, slots follow each other and never overlap', () => {
  fc.assert(
    fc.property(
      fc.nat(1e9),
      fc.integer({ min: 1, max: 1e8 }),
      fc.nat(1e6),
      fc.nat(3),
      (start, duration, gap, place) => {
        const { startsAt, stopsAt, endsAt } = slotOf(start, duration, gap, place);
        assert.equal(stopsAt - startsAt, duration);
        assert.ok(endsAt >= stopsAt && endsAt <= stopsAt + gap);
        assert.equal(slotOf(start, duration, gap, place + 1).startsAt, stopsAt + gap);
      },
    ),
  );
});
