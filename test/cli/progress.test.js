import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Progress, progressLine } from '../../lib/cli/progress.js';

test('the line tells how far a stage is, how fast it goes, and how long it still takes', () => {
  const line = progressLine({ stage: 'Write', objects: 10_000, duration: null, done: 2500, elapsed: 5000, rate: 500 });
  assert.equal(line, 'Write  2500 of 10000  25%  500 ops/s  15s left');
});

test('minutes are told apart from seconds, and nothing is foretold before the first operation', () => {
  assert.equal(
    progressLine({ stage: 'Read', objects: 10_000, duration: null, done: 100, elapsed: 1000, rate: 100 }),
    'Read  100 of 10000  1%  100 ops/s  1m 39s left',
  );
  assert.equal(
    progressLine({ stage: 'Stat', objects: 10, duration: null, done: 0, elapsed: 250, rate: 0 }),
    'Stat  0 of 10  0%  0 ops/s',
  );
  assert.equal(
    progressLine({ stage: 'Stat', objects: 3, duration: null, done: 2, elapsed: 1000, rate: 2 }),
    'Stat  2 of 3  66%  2 ops/s  1s left',
  );
});

test('where time ends a stage, the line tells how much of it has passed', () => {
  const stage = { stage: 'Write', objects: 10_000, duration: 10_000, done: 2500 };
  assert.equal(progressLine({ ...stage, elapsed: 5000, rate: 500 }), 'Write  2500 operations  50%  500 ops/s  5s left');
  assert.equal(
    progressLine({ ...stage, elapsed: 10_500, rate: 238 }),
    'Write  2500 operations  100%  238 ops/s  0s left',
  );
});

test('the line is shown while a stage runs, and taken away at its end', () => {
  let time = 1000;
  /** @type {string[]} */
  const shown = [];
  const progress = new Progress({ live: (text) => shown.push(text) }, () => time);
  progress.show(5);
  progress.start({ stage: 'Write', objects: 100, duration: null });
  time = 1250;
  progress.show(25);
  time = 1500;
  progress.show(50);
  progress.stop();
  progress.show(60);
  assert.deepEqual(shown, [
    'Write  25 of 100  25%  100 ops/s  1s left',
    'Write  50 of 100  50%  100 ops/s  1s left',
    '',
  ]);
});

test('each stage counts its time anew', () => {
  let time = 0;
  /** @type {string[]} */
  const shown = [];
  const progress = new Progress({ live: (text) => shown.push(text) }, () => time);
  for (const stage of /** @type {const} */ (['Write', 'Read'])) {
    progress.start({ stage, objects: 10, duration: null });
    time += 500;
    progress.show(5);
    progress.stop();
  }
  assert.deepEqual(shown, ['Write  5 of 10  50%  10 ops/s  1s left', '', 'Read  5 of 10  50%  10 ops/s  1s left', '']);
});

test('the rate is that of the last five seconds: a store that has gone does not look well', () => {
  let time = 0;
  let shown = '';
  const progress = new Progress({ live: (text) => (shown = text) }, () => time);
  progress.start({ stage: 'Write', objects: 10_000, duration: null });
  for (time = 250; time <= 10_000; time += 250) {
    progress.show(time / 2);
  }
  assert.match(shown, / 500 ops\/s {2}10s left$/);
  for (; time <= 16_000; time += 250) {
    progress.show(5000);
  }
  assert.equal(shown, 'Write  5000 of 10000  50%  0 ops/s');
});
