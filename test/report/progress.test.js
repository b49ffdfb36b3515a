import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { PhaseProgress, StageProgress, progressLine } from '../../lib/report/progress.js';

/** @param {Omit<Parameters<typeof progressLine>[0], 'bytesPerOperation' | 'worked' | 'pace' | 'byteRate'>} state */
function lineWithoutData(state) {
  return progressLine({ ...state, bytesPerOperation: 0, worked: state.done, pace: state.rate, byteRate: 0 });
}

test('the line shows the progress, the rate and the time left', () => {
  const state = { stage: 'Stat', objects: 10_000, duration: null, done: 2500, elapsed: 5000, rate: 500 };
  assert.equal(lineWithoutData(state), 'Stat  2500 of 10000  25%  500 ops/s  15s left');
  const data = { bytesPerOperation: 16_384, worked: 2500, pace: 500, byteRate: 500 * 16_384 };
  assert.equal(
    progressLine({ ...state, ...data, stage: 'Write' }),
    'Write  2500 of 10000  25%  500 ops/s  7.8 MiB/s  15s left',
  );
});

const NO_FLOW = { moved: 0, underWay: 0 };

test('the line is shown while a stage runs, and removed at its end', () => {
  let time = 1000;
  /** @type {string[]} */
  const shown = [];
  const progress = new StageProgress({ live: (text) => shown.push(text) }, () => time);
  progress.show(5, NO_FLOW);
  progress.start({ stage: 'Stat', objects: 100, bytesPerOperation: 0, duration: null });
  time = 1250;
  progress.show(25, NO_FLOW);
  time = 1500;
  progress.show(50, NO_FLOW);
  progress.stop();
  progress.show(60, NO_FLOW);
  assert.deepEqual(shown, ['Stat  25 of 100  25%  100 ops/s  1s left', 'Stat  50 of 100  50%  100 ops/s  1s left', '']);
});

test('the rate covers the last five seconds, so a dead store does not look well', () => {
  let time = 0;
  let shown = '';
  const progress = new StageProgress({ live: (text) => (shown = text) }, () => time);
  progress.start({ stage: 'Write', objects: 10_000, bytesPerOperation: 1000, duration: null });
  for (time = 250; time <= 10_000; time += 250) {
    progress.show(time / 2, { moved: 500 * time, underWay: 0 });
  }
  assert.match(shown, / 500 ops\/s {2}0\.5 MiB\/s {2}10s left$/);
  for (; time <= 16_000; time += 250) {
    progress.show(5000, { moved: 5_000_000, underWay: 0 });
  }
  assert.equal(shown, 'Write  5000 of 10000  50%  0 ops/s  0.0 MiB/s');
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
  return { progress: new PhaseProgress(terminal, () => time.now), lines, live, time };
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
