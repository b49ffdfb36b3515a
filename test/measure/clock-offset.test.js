import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClockOffset } from '../../lib/measure/clock/store-clock.js';

const anyQuestion = fc.record({
  sentAt: fc.integer({ min: 1_700_000_000_000, max: 1_700_000_100_000 }),
  there: fc.nat(400),
  back: fc.nat(400),
});

/**
 * The response of a store whose clock is ahead by an offset.
 *
 * @param {{ sentAt: number, there: number, back: number }} question with travel times in ms
 * @param {number} offset ms
 */
function sampleOf({ sentAt, there, back }, offset) {
  const date = Math.floor((sentAt + there + offset) / 1000) * 1000;
  return { sentAt, receivedAt: sentAt + there + back, date };
}

const anyOffset = fc.integer({ min: -3_600_000, max: 3_600_000 });

test('the true offset is within the uncertainty, however long requests and responses travel', () => {
  fc.assert(
    fc.property(anyOffset, fc.array(anyQuestion, { minLength: 1, maxLength: 20 }), (offset, questions) => {
      const measured = new ClockOffset();
      for (const question of questions) {
        measured.add(sampleOf(question, offset));
      }
      assert.ok(measured.width >= 0);
      assert.ok(Math.abs(measured.offset - offset) <= measured.uncertainty + 1e-6);
      assert.equal(measured.samples, questions.length);
      assert.equal(measured.bestRoundTrip, Math.min(...questions.map(({ there, back }) => there + back)));
    }),
  );
});

test('another response never makes the offset less certain', () => {
  fc.assert(
    fc.property(anyOffset, fc.array(anyQuestion, { minLength: 2, maxLength: 20 }), (offset, questions) => {
      const measured = new ClockOffset();
      let before = Infinity;
      for (const question of questions) {
        measured.add(sampleOf(question, offset));
        assert.ok(measured.uncertainty <= before);
        before = measured.uncertainty;
      }
    }),
  );
});

test('requests around the turn of the store’s second leave an uncertainty of about half a round trip', () => {
  const measured = new ClockOffset();
  for (let sentAt = 1_700_000_000_900; sentAt < 1_700_000_001_100; sentAt += 1) {
    measured.add(sampleOf({ sentAt, there: 5, back: 5 }, 40));
  }
  assert.ok(Math.abs(measured.offset - 40) <= 6, String(measured.offset));
  assert.ok(measured.uncertainty <= 6, String(measured.uncertainty));
});

test('contradicting responses make the offset uncertain', () => {
  const measured = new ClockOffset();
  const question = { sentAt: 1_700_000_000_500, there: 5, back: 5 };
  measured.add(sampleOf(question, 0));
  measured.add(sampleOf(question, 10_000));
  assert.ok(measured.width < 0);
  assert.ok(measured.uncertainty >= 4000, String(measured.uncertainty));
  assert.equal(measured.uncertainty, -measured.width / 2 + 5, 'half a round trip more than they lie apart');
});
