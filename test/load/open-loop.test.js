import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { Budget, budgetMemory } from '../../lib/load/budget.js';
import { OpenLoop } from '../../lib/load/loops.js';
import { runPool } from '../../lib/load/run-pool.js';
import { StageMeter } from '../../lib/measure/stage-meter.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { TimerAlarm } from '../helpers/timer-alarm.js';

/** @import { TestContext } from 'node:test' */

/** @typedef {{ localIndex: number, intendedAt: number, startedAt: number }} Start ms from the stage's start */

/**
 * An open loop of 100 operations per second over operations that a test ends.
 *
 * @param {TestContext} t
 * @param {object} choice
 * @param {number} choice.objects
 * @param {number} choice.threads
 * @param {boolean} [choice.cycles]
 * @param {(start: Start) => Promise<void> | void} [choice.answer]
 */
function startLoop(t, { objects, threads, cycles = false, answer = () => {} }) {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  const clock = new ManualClock(1_700_000_000_000);
  const startedAt = clock.now();
  const budget = new Budget({ memory: budgetMemory(), objects, cycles });
  const meter = new StageMeter(clock, startedAt);
  const pacing = { rate: 100, arrival: /** @type {const} */ ('constant'), seed: '' };
  const openLoop = new OpenLoop({ pacing, startedAt, clock, budget, alarm: new TimerAlarm(clock) });
  /** @type {Start[]} */
  const starts = [];
  const { claim, work } = openLoop.work({
    claims: {
      next(record) {
        record.localIndex = budget.claim();
        return record.localIndex;
      },
    },
    async perform({ intendedAt, localIndex }) {
      const start = { localIndex, intendedAt: intendedAt - startedAt, startedAt: clock.now() - startedAt };
      starts.push(start);
      await answer(start);
    },
    meters: { kinds: [meter] },
  });
  let isOver = false;
  const operations = Array.from({ length: threads }, () => /** @type {any} */ ({ kind: 0, intendedAt: 0 }));
  const ended = runPool({ threads: operations, claim, work }).then(() => (isOver = true));
  return {
    openLoop,
    budget,
    meter,
    starts,
    ended,
    isOver: () => isOver,
    /** @param {number} milliseconds */
    async pass(milliseconds) {
      for (let passed = 0; passed < milliseconds; passed += 5) {
        clock.advance(5);
        mock.timers.tick(5);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

test('operations start at their times, and not before', async (t) => {
  const { starts, pass, ended } = startLoop(t, { objects: 5, threads: 2 });
  await pass(100);
  await ended;
  assert.deepEqual(
    starts.map(({ localIndex, intendedAt }) => [localIndex, intendedAt]),
    [0, 1, 2, 3, 4].map((localIndex) => [localIndex, localIndex * 10]),
  );
  starts.forEach(({ intendedAt, startedAt }) => assert.ok(startedAt >= intendedAt && startedAt <= intendedAt + 5));
});

test('if all threads wait for the store, no operation is dropped: each starts late and reports its delay', async (t) => {
  /** @type {() => void} */
  let answerAll = () => {};
  const stall = new Promise((resolve) => (answerAll = () => resolve(undefined)));
  const answer = (/** @type {Start} */ { localIndex }) => (localIndex < 2 ? stall : undefined);
  const { starts, pass, ended, meter, openLoop } = startLoop(t, { objects: 20, threads: 2, answer });
  await pass(150);
  assert.equal(starts.length, 2);
  assert.equal(openLoop.backlog(), 130);
  answerAll();
  await pass(100);
  await ended;
  assert.deepEqual(
    starts.map(({ intendedAt }) => intendedAt),
    Array.from({ length: 20 }, (_, localIndex) => localIndex * 10),
  );
  const { startDelay } = meter.toRecord().latency;
  assert.equal(startDelay?.count, 20);
  assert.ok(Number(startDelay?.maximum) >= 130);
});

test('the loop is idle if nothing was in flight since the last check', async (t) => {
  /** @type {() => void} */
  let answer = () => {};
  const { openLoop, pass, ended } = startLoop(t, {
    objects: 3,
    threads: 1,
    answer: ({ localIndex }) =>
      localIndex === 1 ? new Promise((resolve) => (answer = () => resolve(undefined))) : undefined,
  });
  await pass(5);
  assert.deepEqual([openLoop.wasIdle(), openLoop.wasIdle()], [false, true], 'an operation came and went');
  await pass(10);
  assert.deepEqual([openLoop.wasIdle(), openLoop.wasIdle()], [false, false], 'one is in flight');
  answer();
  await pass(10);
  await ended;
  assert.deepEqual([openLoop.wasIdle(), openLoop.wasIdle()], [false, true]);
});
