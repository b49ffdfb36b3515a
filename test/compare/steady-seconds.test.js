import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { steadySeconds } from '../../lib/compare/steady-seconds.js';
import { STARTED, stageOf } from './results.js';

/** @import { StageSum } from '../../lib/model/result.js' */

const FIRST = STARTED / 1000;

/**
 * @param {Partial<StageSum>} facts
 * @param {Parameters<typeof steadySeconds>[1]} [options]
 * @returns {number[]} the seconds that count, from that in which the stage began
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
  return Array.from({ length: to - from + 1 }, (_, place) => from + place);
}

test('a second that the stage has only in part does not count', () => {
  assert.deepEqual(placesOf({ startedAt: STARTED + 250, endedAt: STARTED + 19_750 }), range(1, 18));
  assert.deepEqual(placesOf({ startedAt: STARTED, endedAt: STARTED + 20_000 }), range(0, 19));
});

test('neither does one with something of a warm-up or of a drain in it', () => {
  const facts = { startedAt: STARTED + 250, endedAt: STARTED + 19_750, warmup: 3000, drain: 1500 };
  assert.deepEqual(placesOf(facts), range(4, 17));
});

test('where nobody knows at which moment a stage began, a second at each end is left out', () => {
  assert.deepEqual(placesOf({ warmup: null, drain: null }), range(1, 18));
});

test('of a stage whose time is not known, no second counts', () => {
  assert.deepEqual(placesOf({ startedAt: null, endedAt: null }), []);
});

/**
 * @param {number} from ms after the beginning, at which the last host was in
 * @param {number} to at which the first one was out
 * @returns {Partial<StageSum>}
 */
function ofSeveral(from, to) {
  const overlap = { together: to - from, any: 20_000, from: STARTED + from, to: STARTED + to };
  return { merge: /** @type {any} */ ({ hosts: 3, overlap }) };
}

test('of several hosts, the seconds count in which all of them were in the stage', () => {
  assert.deepEqual(placesOf(ofSeveral(2500, 17_500)), range(3, 16));
});

test('the warm-up of the host that came last, and the time of the one that came first, are theirs', () => {
  const facts = { ...ofSeveral(2500, 17_500), warmup: 4000, drain: 0 };
  assert.deepEqual(placesOf(facts, { warmup: 4000, duration: 15_000 }), range(7, 14));
});

test('hosts that were never together have no second', () => {
  const merge = /** @type {any} */ ({ hosts: 3, overlap: { together: 0, any: 20_000, from: null, to: null } });
  assert.deepEqual(placesOf({ merge }), []);
  assert.deepEqual(placesOf({ merge: /** @type {any} */ ({ hosts: 3, overlap: null }) }), []);
});

test('whatever the times are, each second that counts lies within them, and they are in order', () => {
  const time = fc.integer({ min: -5000, max: 30_000 });
  fc.assert(
    fc.property(time, time, fc.nat(9000), fc.nat(9000), (from, to, warmup, drain) => {
      const places = placesOf({ startedAt: STARTED + from, endedAt: STARTED + to, warmup, drain });
      for (const place of places) {
        assert.ok(1000 * place >= from + warmup && 1000 * (place + 1) <= to - drain);
      }
      assert.deepEqual(
        places,
        places.toSorted((one, other) => one - other),
      );
    }),
  );
});

test('a second next to a pause does not count: the process may have been suspended for a part of it', () => {
  const stage = stageOf({
    rates: Array.from({ length: 20 }, () => 100),
    facts: { startedAt: STARTED, endedAt: STARTED + 20_000, paused: 3200 },
  });
  const seconds = stage.seconds.filter(({ secondStart }) => secondStart < FIRST + 8 || secondStart > FIRST + 10);
  const places = steadySeconds({ ...stage, seconds }, null).map(({ secondStart }) => secondStart - FIRST);
  assert.deepEqual(places, [...range(0, 6), ...range(12, 19)]);
});
