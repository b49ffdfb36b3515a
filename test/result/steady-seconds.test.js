import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { steadySeconds } from '../../lib/result/compare/estimates.js';
import { STARTED, stageOf } from './results.js';

/** @import { StageSum } from '../../lib/result/result.js' */

const FIRST = STARTED / 1000;

/**
 * @param {Partial<StageSum>} facts
 * @param {Parameters<typeof steadySeconds>[1]} [options]
 * @returns {number[]} the seconds that count, relative to the one in which the stage started
 */
function placesOf(facts, options = null) {
  const stage = stageOf({ rates: Array.from({ length: 20 }, () => 100), facts });
  return steadySeconds(stage, options).map(({ secondStart }) => secondStart - FIRST);
}

/**
 * @param {number} from
 * @param {number} to
 */
function range(from, to) {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/**
 * @param {number} from ms after the start, when the last host joined
 * @param {number} to when the first host left
 * @returns {Partial<StageSum>}
 */
function ofSeveral(from, to) {
  const overlap = { together: to - from, any: 20_000, from: STARTED + from, to: STARTED + to };
  return { merge: /** @type {any} */ ({ hosts: 3, overlap }) };
}

test('for several hosts, seconds count while all of them are in the stage', () => {
  assert.deepEqual(placesOf(ofSeveral(2500, 17_500)), range(3, 16));
});

test("the last host's warm-up and the first host's duration count", () => {
  const facts = { ...ofSeveral(2500, 17_500), warmup: 4000, drain: 0 };
  assert.deepEqual(placesOf(facts, { warmup: 4000, duration: 15_000 }), range(7, 14));
});

test('seconds that count are within all times, and in order', () => {
  const time = fc.integer({ min: -5000, max: 30_000 });
  fc.assert(
    fc.property(time, time, fc.nat(9000), fc.nat(9000), (from, to, warmup, drain) => {
      const places = placesOf({ startedAt: STARTED + from, endedAt: STARTED + to, warmup, drain });
      for (const index of places) {
        assert.ok(1000 * index >= from + warmup && 1000 * (index + 1) <= to - drain);
      }
      assert.deepEqual(
        places,
        places.toSorted((one, other) => one - other),
      );
    }),
  );
});

test('a second next to a pause does not count: the process may have been suspended for part of it', () => {
  const stage = stageOf({
    rates: Array.from({ length: 20 }, () => 100),
    facts: { startedAt: STARTED, endedAt: STARTED + 20_000, paused: 3200 },
  });
  const seconds = stage.seconds.filter(({ secondStart }) => secondStart < FIRST + 8 || secondStart > FIRST + 10);
  const places = steadySeconds({ ...stage, seconds }, null).map(({ secondStart }) => secondStart - FIRST);
  assert.deepEqual(places, [...range(0, 6), ...range(12, 19)]);
});
