import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProgressLine } from '../../lib/cli/progress-line.js';

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

test('a terminal shows each state as it comes', () => {
  const { live, err, showAfter } = lineOn(true);
  [0, 250, 59_750].forEach((pause) => showAfter(pause));
  assert.deepEqual(live, ['5 removed in 0s', '5 removed in 0s', '5 removed in 1m 0s']);
  assert.deepEqual(err, []);
});

test('elsewhere a line comes every ten seconds, and what is quickly over needs none', () => {
  const { live, err, showAfter } = lineOn(false);
  for (let tick = 0; tick <= 140; tick++) {
    showAfter(250);
  }
  assert.deepEqual(err, ['5 removed in 10s', '5 removed in 20s', '5 removed in 30s']);
  assert.deepEqual(live, []);
});

test('a store that has not answered for a while is named', () => {
  const { live, showAfter } = lineOn(true);
  showAfter(0, 4999);
  showAfter(0, 17_000);
  assert.deepEqual(live, ['5 removed in 0s', '5 removed in 0s, no answer for 17s']);
});
