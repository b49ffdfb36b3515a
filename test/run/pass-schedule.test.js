import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_STAGES, operationsOf } from '../../lib/operations/registry.js';
import { stageOf } from '../../lib/operations/stage.js';
import { PassSchedule, shortestPass, stageTimesOf } from '../../lib/run/pass-schedule.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

/** Write, Read, Stat and Remove. */
const STAGES = operationsOf(DEFAULT_STAGES).map((operation) => stageOf(operation));

const BY_WORK = { duration: undefined, gap: 5000 };

/** @param {readonly number[]} lengths ms */
function took(...lengths) {
  return lengths.map((duration) => ({ duration }));
}

test('a stage gets more time than it took on either side, and the same offset in the slots of both', () => {
  const schedule = new PassSchedule(STAGES, BY_WORK);
  schedule.take(took(1000, 2000, 400, 100));
  schedule.take(took(2000, 1000, 800, 100));
  const { offsets, length } = schedule.times();
  assert.deepEqual(offsets, [0, 2600, 5200, 6300]);
  assert.equal(length, 6300 + 225 + 250);
});

test('a stage that was slow once gets less time again after four passes', () => {
  const schedule = new PassSchedule(STAGES.slice(0, 1), BY_WORK);
  schedule.take(took(60_000));
  Array.from({ length: 3 }, () => schedule.take(took(1000)));
  assert.ok(schedule.times().length > 60_000);
  schedule.take(took(1000));
  assert.equal(schedule.times().length, 1250 + 100 + 250);
});

test('a timed stage gets its duration and the gap; a stage that removes all objects gets what it took', () => {
  const schedule = new PassSchedule(STAGES, { duration: 3000, gap: 1000 });
  schedule.take(took(3000, 3000, 3000, 2000));
  assert.deepEqual(schedule.times(), { offsets: [0, 4000, 8000, 12_000], length: 12_000 + 2600 + 250 });
});

test('the stages of a pass begin at their offsets and stop after their duration', () => {
  const times = { offsets: [0, 4000], length: 9000 };
  assert.deepEqual(stageTimesOf(times, 500, BY_WORK)(1), { startsAt: 4500, slot: null });
  assert.deepEqual(stageTimesOf(times, 500, { duration: 3000, gap: 1000 })(1), {
    startsAt: 4500,
    slot: { startsAt: 4500, stopsAt: 7500, endsAt: 8400 },
  });
});

test('the shortest pass is its operations divided among all threads', () => {
  const unloaded = new Map([
    ['write', { p50: 20 }],
    ['read', { p50: 10 }],
    ['stat', { p50: 5 }],
    ['remove', { p50: 5 }],
  ]);
  const config = runConfig(NO_TARGET, { objects: 1000, threads: 10 });
  const timed = runConfig(NO_TARGET, { objects: 1000, threads: 10, duration: 3000, gap: 1000 });
  assert.equal(shortestPass(STAGES, config, unloaded), 4000);
  assert.equal(shortestPass(STAGES, timed, unloaded), 3 * 4000 + 500);
  unloaded.delete('read');
  assert.equal(shortestPass(STAGES, config, unloaded), null);
});
