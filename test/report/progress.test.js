import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { StagePace, phaseProgress, progressLine } from '../../lib/report/progress.js';

/** @param {Omit<Parameters<typeof progressLine>[0], 'bytesPerOperation' | 'worked' | 'pace' | 'byteRate'>} state */
function lineWithoutData(state) {
  return progressLine({ ...state, bytesPerOperation: 0, worked: state.done, pace: state.rate, byteRate: 0 });
}

test('the line shows the progress, the rate and the time left', () => {
  const state = { stage: 'Stat', objects: 10_000, duration: null, done: 2500, elapsed: 5000, rate: 500 };
  assert.equal(lineWithoutData(state), 'Stat  2,500 of 10,000  25%  500 ops/s  15s left');
  const data = { bytesPerOperation: 16_384, worked: 2500, pace: 500, byteRate: 500 * 16_384 };
  assert.equal(
    progressLine({ ...state, ...data, stage: 'Write' }),
    'Write  2,500 of 10,000  25%  500 ops/s  7.8 MiB/s  15s left',
  );
});

test('the rate covers the last five seconds, so a dead store does not look well', () => {
  let time;
  const pace = new StagePace({ stage: 'Write', objects: 10_000, bytesPerOperation: 1000, duration: null }, 0);
  for (time = 250; time <= 10_000; time += 250) {
    pace.record(time, time / 2, { moved: 500 * time, underWay: 0 });
  }
  assert.match(progressLine(pace.state(time)), / 500 ops\/s {2}0\.5 MiB\/s {2}10s left$/);
  for (; time <= 16_000; time += 250) {
    pace.record(time, 5000, { moved: 5_000_000, underWay: 0 });
  }
  assert.equal(progressLine(pace.state(time)), 'Write  5,000 of 10,000  50%  0 ops/s  0.0 MiB/s');
});

const BUCKETS = { text: 'checking the buckets', endsAt: null };
const CLOCK = { text: "measuring the store's clock", endsAt: null };
const WAIT = { text: 'waiting until Read starts', endsAt: 15_000 };

/** @param {boolean} isLive */
function openPhases(isLive) {
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
  return { progress: phaseProgress(terminal, () => time.now), lines, live, time };
}

test('on a terminal, a line shows the current phases and their time, and is redrawn while nothing happens', (t) => {
  mock.timers.enable({ apis: ['setInterval'] });
  t.after(() => mock.timers.reset());
  const { progress, lines, live, time } = openPhases(true);
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

test('elsewhere each phase is one line; a wait has its own notice', () => {
  const { progress, lines, live } = openPhases(false);
  for (const phase of [BUCKETS, CLOCK, WAIT]) {
    progress.start(phase);
    progress.end(phase);
  }
  progress.close();
  assert.deepEqual(lines, ['Checking the buckets', "Measuring the store's clock"]);
  assert.deepEqual(live, []);
});
