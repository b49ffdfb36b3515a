import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Clock } from '../../lib/meter/clock.js';

test('time begins at the wall clock and goes on by the monotonic clock', () => {
  const time = { monotonic: 500, wall: 1_700_000_000_000 };
  const clock = new Clock({ monotonic: () => time.monotonic, wall: () => time.wall });
  assert.equal(clock.epochNow(), 1_700_000_000_000);
  time.monotonic += 1250;
  assert.equal(clock.now(), 1750);
  assert.equal(clock.epochNow(), 1_700_000_001_250);
});

test('a wall clock that is set back or ahead in mid-run changes nothing', () => {
  const time = { monotonic: 0, wall: 1_700_000_000_000 };
  const clock = new Clock({ monotonic: () => time.monotonic, wall: () => time.wall });
  for (const jump of [-3_600_000, 7_200_000, 1]) {
    time.wall += jump;
    time.monotonic += 10;
    assert.equal(clock.epochNow(), 1_700_000_000_000 + time.monotonic);
  }
});

test('without sources of its own it tells the time of this host', () => {
  const before = Date.now();
  const told = new Clock().epochNow();
  assert.ok(told > before - 1000 && told < Date.now() + 1000);
});

test('once it is set to the store’s time, only the epoch moves', () => {
  const clock = new Clock({ monotonic: () => 500, wall: () => 1_700_000_000_000 });
  clock.adjust(-1500);
  assert.equal(clock.now(), 500);
  assert.equal(clock.epochNow(), 1_699_999_998_500);
  assert.equal(clock.toEpoch(600), 1_699_999_998_600);
});
