import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FailureNotices } from '../../lib/report/failure-notices.js';

function prepare() {
  const context = { time: 0, told: /** @type {string[]} */ ([]) };
  const notices = new FailureNotices(
    (notice) => context.told.push(notice),
    () => context.time,
  );
  notices.start('Write');
  return { notices, context };
}

test('failures of one second share a notice, most frequent first', () => {
  const { notices, context } = prepare();
  ['timeout', 'connect', 'connect'].forEach((kind) => notices.add(kind));
  context.time = 999;
  notices.check();
  assert.deepEqual(context.told, []);
  context.time = 1000;
  notices.check();
  notices.check();
  assert.deepEqual(context.told, ['Write: 3 attempts failed and were retried: could not connect 2, timeout 1']);
});

test('a storm gives a notice every ten seconds, with each failure once', () => {
  const { notices, context } = prepare();
  for (; context.time < 25_000; context.time += 250) {
    notices.add('throttled');
    notices.check();
  }
  notices.flush();
  const counts = context.told.map((notice) => Number(/: (\d+) attempts?/.exec(notice)?.[1]));
  assert.deepEqual(counts, [5, 40, 40, 15]);
});
