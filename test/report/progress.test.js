import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import {
  PhaseProgress,
  ProgressLine,
  StageProgress,
  formatCleanupProgress,
  progressLine,
} from '../../lib/report/progress.js';

const NO_FLOW = { moved: 0, underWay: 0 };
const MIB = 1024 ** 2;

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

/**
 * The live lines of a Write.
 *
 * @param {Partial<Parameters<StageProgress['start']>[0]>} plan
 * @param {readonly [time: number, done: number, flow?: typeof NO_FLOW][]} seen
 */
function shownOf(plan, seen) {
  let time = 0;
  /** @type {string[]} */
  const shown = [];
  const progress = new StageProgress({ live: (text) => shown.push(text) }, () => time);
  progress.start({ stage: 'Write', objects: 10, bytesPerOperation: 10 * MIB, duration: null, ...plan });
  for (const [at, done, flow = NO_FLOW] of seen) {
    time = at;
    progress.show(done, flow);
  }
  return shown;
}

test('data counts as it flows, long before the first large object is done', () => {
  const shown = shownOf({}, [
    [1000, 0, { moved: 5 * MIB, underWay: 5 * MIB }],
    [2000, 0, { moved: 10 * MIB, underWay: 10 * MIB }],
    [3000, 1, { moved: 15 * MIB, underWay: 5 * MIB }],
  ]);
  assert.deepEqual(shown, [
    'Write  0 of 10  5%  0 ops/s  5.0 MiB/s  19s left',
    'Write  0 of 10  10%  0 ops/s  5.0 MiB/s  18s left',
    'Write  1 of 10  15%  0 ops/s  5.0 MiB/s  17s left',
  ]);
});

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

/** @param {boolean} isLive */
function lineOn(isLive) {
  let now = 5000;
  /** @type {string[]} */
  const live = [];
  /** @type {string[]} */
  const err = [];
  const terminal = {
    isLive,
    live: (/** @type {string} */ text) => live.push(text),
    err: (/** @type {string} */ text) => err.push(text),
  };
  const line = new ProgressLine(terminal, () => now);
  const showAfter = (/** @type {number} */ milliseconds, silence = 0) => {
    now += milliseconds;
    line.show('5 removed', silence);
  };
  return { live, err, showAfter };
}

test('a store that has not answered for a while is mentioned', () => {
  const { live, showAfter } = lineOn(true);
  showAfter(0, 4999);
  showAfter(0, 17_000);
  assert.deepEqual(live, ['5 removed after 0s', '5 removed after 0s, no response for 17s']);
});

test('the progress of a clean-up is the number of objects left or, if unknown, removed', () => {
  assert.equal(formatCleanupProgress({ removed: 5, expected: null, silence: 0 }), 'Clean-up: 5 objects removed');
  assert.equal(formatCleanupProgress({ removed: 5, expected: 9, silence: 0 }), 'Clean-up: 4 of 9 objects left');
  assert.equal(formatCleanupProgress({ removed: 10, expected: 9, silence: 0 }), 'Clean-up: 0 of 10 objects left');
});
