import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { PhaseProgress, phaseLine } from '../../lib/cli/phase-progress.js';

const BUCKETS = { text: 'checking the buckets', endsAt: null };
const CLOCK = { text: "measuring the store's clock", endsAt: null };
const WAIT = { text: 'waiting for the time of Read', endsAt: 15_000 };

/** @param {boolean} isLive */
function open(isLive) {
  /** @type {string[]} */
  const lines = [];
  /** @type {string[]} */
  const live = [];
  const time = { now: 0 };
  const terminal = {
    isLive,
    err: (/** @type {string} */ line) => lines.push(line),
    live: (/** @type {string} */ text) => live.push(text),
  };
  return { progress: new PhaseProgress(terminal, () => time.now), lines, live, time };
}

test('on a terminal a line says what is under way and for how long, and is renewed while nothing else happens', (t) => {
  mock.timers.enable({ apis: ['setInterval'] });
  t.after(() => mock.timers.reset());
  const { progress, lines, live, time } = open(true);
  progress.start(BUCKETS);
  time.now = 1250;
  mock.timers.tick(250);
  progress.start(CLOCK);
  progress.end(BUCKETS);
  time.now = 3000;
  mock.timers.tick(250);
  progress.end(CLOCK);
  mock.timers.tick(10_000);
  assert.deepEqual(live, [
    'Checking the buckets  0s',
    'Checking the buckets  1s',
    "Checking the buckets, measuring the store's clock  1s",
    "Measuring the store's clock  0s",
    "Measuring the store's clock  1s",
    '',
  ]);
  assert.deepEqual(lines, []);
});

test('what is waited for shows how long it still takes', () => {
  assert.equal(phaseLine([[WAIT, 2000]], 2100), 'Waiting for the time of Read  13s left');
  assert.equal(phaseLine([[WAIT, 2000]], 15_100), 'Waiting for the time of Read  0s left');
});

test('elsewhere each phase is one line; a wait has a notice of its own', () => {
  const { progress, lines, live } = open(false);
  for (const phase of [BUCKETS, CLOCK, WAIT]) {
    progress.start(phase);
    progress.end(phase);
  }
  progress.close();
  assert.deepEqual(lines, ['Checking the buckets', "Measuring the store's clock"]);
  assert.deepEqual(live, []);
});

test('its end takes the line away, whatever is under way', (t) => {
  mock.timers.enable({ apis: ['setInterval'] });
  t.after(() => mock.timers.reset());
  const { progress, live } = open(true);
  progress.start(BUCKETS);
  progress.close();
  mock.timers.tick(1000);
  assert.deepEqual(live, ['Checking the buckets  0s', '']);
});
