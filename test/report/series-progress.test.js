import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seriesProgress } from '../../lib/report/series-progress.js';

/**
 * @import { TestContext } from 'node:test'
 *
 * @param {TestContext} t
 * @param {{ isLive: boolean }} options
 */
function progressOf(t, { isLive }) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  /** @type {string[]} */
  const lines = [];
  /** @type {string[]} */
  const live = [];
  const screen = {
    err: (/** @type {string} */ line) => lines.push(line),
    live: (/** @type {string} */ line) => live.push(line),
    isLive,
  };
  const time = { now: 1000 };
  const progress = seriesProgress(screen, { now: () => time.now, before: 2, total: 5, quiet: false });
  t.after(() => progress.close());
  return { progress, time, lines, shown: () => live.at(-1), tick: () => t.mock.timers.tick(500) };
}

/** @param {number} average */
function turnOf(average) {
  return /** @type {any} */ ({ problem: null, result: { stages: [{ stage: 'Write', average, operations: 10 }] } });
}

test('the line of a series shows what its run does, how many are left, and how long they take', (t) => {
  const { progress, time, shown, tick } = progressOf(t, { isLive: true });
  const { listener } = progress;
  progress.starts('threads=8');
  assert.equal(shown(), 'threads=8: starting (3 left)');
  listener.phaseStarts?.(/** @type {any} */ ({ text: 'Opening the connections' }));
  tick();
  assert.equal(shown(), 'threads=8: Opening the connections (3 left)');
  listener.stageStarts?.({
    stage: 'Write',
    objects: 100,
    threads: 8,
    buckets: 1,
    bytesPerOperation: 1,
    duration: null,
  });
  time.now += 1000;
  listener.progress?.(50, { moved: 50, underWay: 0 });
  tick();
  assert.match(String(shown()), /^threads=8: Write 50%, \d+ ops\/s \(3 left\)$/);
  time.now += 9000;
  progress.ends(turnOf(1234));
  progress.starts('threads=16');
  assert.equal(shown(), 'threads=16: starting (2 left, about 20s)');
});

test('the end of a run is a line with its rates, or with the reason why it failed', (t) => {
  const { progress, time, lines } = progressOf(t, { isLive: false });
  progress.starts('a');
  progress.listener.warning?.('the clock is wrong');
  progress.listener.warning?.('the clock is wrong');
  time.now += 2000;
  assert.equal(progress.ends(turnOf(1234)), null);
  progress.starts('b');
  progress.listener.failed?.('Write', { bucket: 'x', key: 'k', attempts: 1 }, 'PUT k failed');
  progress.listener.integrityError?.('Read', 'k is wrong');
  const reason = progress.ends(/** @type {any} */ ({ problem: 'no operation succeeded', result: null }));
  assert.equal(reason, 'no operation succeeded: PUT k failed');
  assert.deepEqual(lines, [
    'warning: a: the clock is wrong',
    '3 of 5, a: Write 1,234 ops/s (2 left, about 4s)',
    '4 of 5, b: failed: no operation succeeded: PUT k failed (1 left, about 1s)',
  ]);
});
