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

test('failures of one second are told together, the most frequent first', () => {
  const { notices, context } = prepare();
  ['timeout', 'connect', 'connect'].forEach((kind) => notices.add(kind));
  context.time = 999;
  notices.look();
  assert.deepEqual(context.told, []);
  context.time = 1000;
  notices.look();
  notices.look();
  assert.deepEqual(context.told, ['Write: 3 attempts failed and were retried: could not connect 2, timeout 1']);
});

test('a storm is told every ten seconds, and each failure once', () => {
  const { notices, context } = prepare();
  for (; context.time < 25_000; context.time += 250) {
    notices.add('throttled');
    notices.look();
  }
  notices.flush();
  const counts = context.told.map((notice) => Number(/: (\d+) attempts?/.exec(notice)?.[1]));
  assert.deepEqual(counts, [5, 40, 40, 15]);
});

test('what has not been told is told at the end of the stage, and nothing where nothing failed', () => {
  const { notices, context } = prepare();
  notices.flush();
  notices.add('timeout');
  notices.flush();
  notices.flush();
  assert.deepEqual(context.told, ['Write: 1 attempt failed and were retried: timeout 1']);
});

test('the first failure of the next stage does not wait for the pause behind the last one', () => {
  const { notices, context } = prepare();
  notices.add('timeout');
  notices.flush();
  notices.start('Read');
  notices.add('tls');
  context.time = 1000;
  notices.look();
  assert.equal(context.told[1], 'Read: 1 attempt failed and were retried: TLS failed 1');
});
