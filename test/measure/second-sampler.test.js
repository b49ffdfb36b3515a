import fc from 'fast-check';
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { SecondCounts, SecondSampler } from '../../lib/measure/second-counts.js';
import { cases } from '../helpers/cases.js';
import { ManualClock } from '../helpers/manual-clock.js';

/** @import { SecondCount } from '../../lib/result/result.js' */

const EPOCH_SECOND = 1_700_000_000;

/**
 * A stage with a simulated clock and mocked Node timers.
 *
 * @param {number} milliseconds into the second in which the stage starts
 */
function startSampler(milliseconds) {
  const clock = new ManualClock(EPOCH_SECOND * 1000 + milliseconds);
  const startedAt = clock.now();
  const counts = new SecondCounts(clock, startedAt);
  /** @type {SecondCount[]} */
  const seconds = [];
  const sampler = new SecondSampler({ clock, counts, startedAt, onSecond: (second) => seconds.push(second) });
  mock.timers.enable({ apis: ['setTimeout'] });
  sampler.start();
  return {
    counts,
    seconds,
    clock,
    /** @param {number} passed ms */
    pass(passed) {
      clock.advance(passed);
      mock.timers.tick(passed);
    },
    stop() {
      sampler.stop(clock.now());
      mock.timers.reset();
    },
  };
}

/** @param {readonly SecondCount[]} seconds */
function operationsOf(seconds) {
  return seconds.map(({ operations }) => operations);
}

test('a timer that is several seconds late passes on each of them, including empty ones', () => {
  const stage = startSampler(0);
  stage.counts.add(stage.clock.now(), 1);
  stage.clock.advance(3300);
  stage.counts.add(stage.clock.now(), 1);
  stage.pass(0);
  mock.timers.tick(1000);
  assert.deepEqual(operationsOf(stage.seconds), [1, 0, 0]);
  stage.stop();
  assert.deepEqual(operationsOf(stage.seconds), [1, 0, 0, 1]);
});

test('an end on a boundary passes on the previous second once, whether or not the timer fired first', () => {
  for (const timerComesFirst of [true, false]) {
    const stage = startSampler(0);
    stage.counts.add(stage.clock.now(), 1);
    if (timerComesFirst) {
      stage.pass(1000);
    } else {
      stage.clock.advance(1000);
    }
    stage.stop();
    assert.deepEqual(operationsOf(stage.seconds), [1]);
  }
});

test('regardless of the timers, the seconds are complete, in order, unique, and add up to the stage', () => {
  const step = fc.record({ passed: fc.nat(2500), lag: fc.nat(1500), operations: fc.nat(3) });
  fc.assert(
    fc.property(fc.nat(999), fc.array(step, { maxLength: 20 }), (offset, steps) => {
      const stage = startSampler(offset);
      let total = 0;
      for (const { passed, lag, operations } of steps) {
        stage.clock.advance(lag);
        stage.pass(passed);
        for (let count = 0; count < operations; count++) {
          stage.counts.add(stage.clock.now(), 5);
          total += 1;
        }
      }
      stage.stop();
      assert.deepEqual(stage.seconds, stage.counts.until(stage.clock.now()));
      assert.deepEqual(
        stage.seconds.map(({ secondStart }) => secondStart),
        stage.seconds.map((_, index) => EPOCH_SECOND + index),
      );
      assert.equal(
        operationsOf(stage.seconds).reduce((sum, count) => sum + count, 0),
        total,
      );
      assert.equal(
        stage.seconds.reduce((sum, { bytes }) => sum + bytes, 0),
        5 * total,
      );
    }),
    { numRuns: cases(200) },
  );
});
