import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FailureNotices } from '../../lib/cli/failure-notices.js';

function prepare() {
  const world = { time: 0, told: /** @type {string[]} */ ([]) };
  const notices = new FailureNotices(
    (notice) => world.told.push(notice),
    () => world.time,
  );
  notices.start('Write');
  return { notices, world };
}

test('failures of one second are told together, the most frequent first', () => {
  const { notices, world } = prepare();
  ['timeout', 'connect', 'connect'].forEach((kind) => notices.add(kind));
  world.time = 999;
  notices.look();
  assert.deepEqual(world.told, []);
  world.time = 1000;
  notices.look();
  notices.look();
  assert.deepEqual(world.told, ['Write: 3 attempts failed and were retried: no connection made 2, timeout 1']);
});

test('a storm is told every ten seconds, and each failure once', () => {
  const { notices, world } = prepare();
  for (; world.time < 25_000; world.time += 250) {
    notices.add('throttled');
    notices.look();
  }
  notices.flush();
  const counts = world.told.map((notice) => Number(/: (\d+) attempts?/.exec(notice)?.[1]));
  assert.deepEqual(counts, [5, 40, 40, 15]);
});

test('what has not been told is told at the end of the stage, and nothing where nothing failed', () => {
  const { notices, world } = prepare();
  notices.flush();
  notices.add('timeout');
  notices.flush();
  notices.flush();
  assert.deepEqual(world.told, ['Write: 1 attempt failed and were retried: timeout 1']);
});

test('the first failure of the next stage does not wait for the pause behind the last one', () => {
  const { notices, world } = prepare();
  notices.add('timeout');
  notices.flush();
  notices.start('Read');
  notices.add('tls');
  world.time = 1000;
  notices.look();
  assert.equal(world.told[1], 'Read: 1 attempt failed and were retried: TLS failed 1');
});
