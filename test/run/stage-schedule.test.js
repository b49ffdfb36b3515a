import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slotOf, slotsOfStage, stageTimes } from '../../lib/run/stage-schedule.js';

const START = 1_700_000_000_000;

const anyPlan = fc.record({
  threads: fc.array(fc.nat(100), { minLength: 2, maxLength: 20 }),
  seconds: fc.integer({ min: 4, max: 60 }),
  gap: fc.nat(9000),
});

/**
 * @param {{ threads: number[], seconds: number, gap: number }} plan
 * @param {number} startsAt
 * @param {number} index
 */
function slotsOf({ threads, seconds, gap }, startsAt, index) {
  return slotsOfStage({ threads, stepTime: 1000 * seconds }, gap, startsAt, index);
}

test('a stage has its whole duration, and the next one starts a gap later', () => {
  assert.deepEqual(slotOf(1000, 60_000, 5000, 0), { startsAt: 1000, stopsAt: 61_000, endsAt: 65_900 });
  assert.deepEqual(slotOf(1000, 60_000, 5000, 1), { startsAt: 66_000, stopsAt: 126_000, endsAt: 130_900 });
});

test('slots follow each other and never overlap, whatever the lengths', () => {
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

test('a ten-second slot settles for one second, counts eight, and drains for one', () => {
  const [first, second] = slotsOf({ threads: [1, 2], seconds: 10, gap: 5000 }, START, 0);
  const start = START / 1000;
  assert.deepEqual(first, { startsAt: start, countsFrom: start + 1, stopsAt: start + 9, endsAt: start + 10 });
  assert.deepEqual(second.startsAt, start + 10);
  const [next] = slotsOf({ threads: [1, 2], seconds: 10, gap: 4500 }, START, 1);
  assert.equal(next.startsAt, start + 25);
});

test('slots are whole seconds, follow each other, and count at least two seconds', () => {
  fc.assert(
    fc.property(anyPlan, fc.nat(999), fc.nat(3), (plan, milliseconds, place) => {
      const slots = slotsOf(plan, START + milliseconds, place);
      assert.equal(slots.length, plan.threads.length);
      slots.forEach((slot, index) => {
        Object.values(slot).forEach((second) => assert.ok(Number.isInteger(second)));
        assert.ok(slot.countsFrom > slot.startsAt && slot.stopsAt >= slot.countsFrom + 2 && slot.endsAt > slot.stopsAt);
        assert.equal(slot.endsAt - slot.startsAt, plan.seconds);
        assert.equal(slot.startsAt, slots[index - 1]?.endsAt ?? slot.startsAt);
      });
      const [after] = slotsOf(plan, START + milliseconds, place + 1);
      assert.ok(after.startsAt * 1000 >= slots[slots.length - 1].endsAt * 1000 + plan.gap);
    }),
  );
});

test('hosts whose clocks differ in the last bit get the same start', () => {
  fc.assert(
    fc.property(anyPlan, fc.double({ min: -0.4, max: 0.4, noNaN: true }), (plan, rounding) => {
      assert.deepEqual(slotsOf(plan, START + rounding, 0), slotsOf(plan, START, 0));
    }),
  );
});

test('without shared slots, a stage begins a gap after the one before, whenever that ends', () => {
  let now = 1000;
  const timeOf = stageTimes({ duration: 60_000, gap: 5000, sharesSlots: false }, 900, () => now);
  assert.deepEqual(timeOf(0, -Infinity), { startsAt: 900, slot: slotOf(900, 60_000, 5000, 0) });
  now = 40_000;
  assert.deepEqual(timeOf(1, 44_000), {
    startsAt: 45_000,
    slot: { startsAt: 45_000, stopsAt: 105_000, endsAt: 109_900 },
  });
  assert.deepEqual(timeOf(1, 46_000).slot, { startsAt: 46_000, stopsAt: 106_000, endsAt: 110_900 });
});
