import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'node:test';
import { RUN_SLICE, runsSlices, sliceAnswerIn } from '../../lib/edge/slice.js';

const ANSWER = fc.uniqueArray(fc.nat(40), { maxLength: 30 }).chain((indices) =>
  fc.record({
    successes: fc.constant(indices.filter((index) => index % 3 > 0).map((index) => [index, 1, 2, 2, 77])),
    failures: fc.constant(
      indices
        .filter((index) => index % 3 === 0)
        .map((index) => ({ index, begunAt: 0, finishedAt: 3, error: null, finding: '' })),
    ),
    startedAt: fc.constant(1000),
    endedAt: fc.integer({ min: 1003, max: 2000 }),
    colo: fc.constant('AMS'),
  }),
);

/** @param {string} text of the Worker's answer */
const readAnswer = (text) => /** @type {NonNullable<typeof RUN_SLICE.readOutput>} */ (RUN_SLICE.readOutput)(text);

test('a valid answer lists each operation at most once', () => {
  fc.assert(
    fc.property(ANSWER, (answer) => {
      assert.notEqual(sliceAnswerIn(readAnswer(JSON.stringify(answer)), 41), null);
      const [twice] = answer.successes;
      if (twice !== undefined) {
        assert.equal(sliceAnswerIn({ ...answer, successes: [...answer.successes, twice] }, 41), null);
        assert.equal(sliceAnswerIn(answer, Number(twice[0])), null, 'for an operation outside the slice');
        assert.equal(
          sliceAnswerIn({ ...answer, successes: [[twice[0], 5, 4, 4, 77]] }, 41),
          null,
          'that ended before it began',
        );
        const telling = (/** @type {unknown} */ fitting) =>
          sliceAnswerIn({ ...answer, successes: [[...twice, fitting]] }, 41);
        assert.ok([null, [], [3, 4]].every((fitting) => telling(fitting) !== null));
        assert.ok([7, 'x', ['x'], [null]].every((fitting) => telling(fitting) === null));
      }
    }),
  );
});

test('any other text is not a valid answer', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      assert.equal(sliceAnswerIn(readAnswer(text), 10), null);
    }),
  );
  assert.equal(sliceAnswerIn(readAnswer('null'), 10), null);
});

test('an answer with an invalid entry for an operation is rejected', () => {
  const whole = { startedAt: 1000, endedAt: 1100, colo: '', successes: [], failures: [] };
  fc.assert(
    fc.property(fc.oneof(fc.constant('null'), fc.json()), fc.constantFrom('successes', 'failures'), (text, list) => {
      assert.equal(sliceAnswerIn(readAnswer(JSON.stringify({ ...whole, [list]: [JSON.parse(text)] })), 10), null);
    }),
  );
});

test('only the edge client has slices, and not with a request per operation', () => {
  assert.ok(runsSlices({ client: 'edge' }));
  assert.ok(!runsSlices({ client: 'edge', through: true }));
  assert.ok(!runsSlices({ client: 'direct' }));
});
