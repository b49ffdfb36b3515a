import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AnswerTimes } from '../../lib/local-s3/answer-times.js';

test('summarizes times, each at the nearest rank and within 0.1%', () => {
  const times = fc.array(fc.double({ min: 0.01, max: 100_000, noNaN: true }), { minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(times, (values) => {
      const answerTimes = new AnswerTimes();
      values.forEach((value) => answerTimes.record('GET', value));
      const { GET } = answerTimes.take();
      const sorted = values.toSorted((one, other) => one - other);
      const atRank = (/** @type {number} */ share) => sorted[Math.max(Math.round(share * sorted.length), 1) - 1];
      assert.equal(GET?.count, values.length);
      const { minimum, p50, p90, maximum } = /** @type {NonNullable<typeof GET>} */ (GET);
      for (const [found, expected] of [
        [minimum, sorted[0]],
        [p50, atRank(0.5)],
        [p90, atRank(0.9)],
        [maximum, sorted.at(-1) ?? 0],
      ]) {
        assert.ok(Math.abs(found - expected) <= 0.001 + expected * 0.001, `${found} instead of ${expected}`);
      }
    }),
  );
});

test('counts operations separately, and starts over after a report', () => {
  const answerTimes = new AnswerTimes();
  answerTimes.record('PUT', 1);
  answerTimes.record('HEAD', 2);
  const { PUT, HEAD, GET } = answerTimes.take();
  assert.deepEqual([PUT?.count, PUT?.maximum, HEAD?.maximum, GET], [1, 1, 2, undefined]);
  assert.deepEqual(answerTimes.take(), {});
  answerTimes.record('PUT', 0.5);
  assert.equal(answerTimes.take().PUT?.maximum, 0.5);
});

test('counts times below a microsecond or above an hour as those', () => {
  const answerTimes = new AnswerTimes();
  answerTimes.record('PUT', 0);
  answerTimes.record('PUT', 1e9);
  const { count = 0, minimum = 0, maximum = 0 } = answerTimes.take().PUT ?? {};
  assert.equal(count, 2);
  assert.equal(minimum, 0.001);
  assert.ok(Math.abs(maximum - 3_600_000) < 3600);
});
