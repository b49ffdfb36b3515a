import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { Clock } from '../../lib/clock/clock.js';

/** The system tells whole milliseconds; the rest is for a thread that is kept waiting at each of its readings. */
const PRECISION_MS = 5;

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
  const after = Date.now();
  assert.ok(told > before - PRECISION_MS && told < after + 1 + PRECISION_MS, `${told}, from ${before} to ${after}`);
});

test('a thread that has to wait between two readings of its clocks does not set time ahead or back', () => {
  const EPOCH = 1_700_000_000_000;
  const READING_MS = 0.001;
  for (let waits = 1; waits <= 12; waits++) {
    let passed = 0;
    let readings = 0;
    const read = () => {
      readings += 1;
      passed += readings === waits ? 76 : READING_MS;
      return passed;
    };
    const clock = new Clock({ monotonic: read, wall: () => EPOCH + read() });
    assert.ok(Math.abs(clock.toEpoch(0) - EPOCH) < 2 * READING_MS, `${clock.toEpoch(0) - EPOCH}ms aside`);
  }
});

test('once it is set to the store’s time, only the epoch moves', () => {
  const clock = new Clock({ monotonic: () => 500, wall: () => 1_700_000_000_000 });
  clock.adjust(-1500);
  assert.equal(clock.now(), 500);
  assert.equal(clock.epochNow(), 1_699_999_998_500);
  assert.equal(clock.toEpoch(600), 1_699_999_998_600);
});

test(
  'in another thread it tells the same time, by the epoch and by the monotonic clock',
  { timeout: 120_000 },
  async () => {
    const clock = new Clock();
    clock.adjust(-86_400_000);
    const thread = await clockReader();
    let best = Infinity;
    for (let reading = 0; reading < 10; reading++) {
      const before = { now: clock.now(), epoch: clock.epochNow() };
      thread.postMessage(clock.toState());
      const [told] = await once(thread, 'message');
      const after = { now: clock.now(), epoch: clock.epochNow() };
      const early = Math.max(before.now - told.now, before.epoch - told.epoch);
      const late = Math.max(told.now - after.now, told.epoch - after.epoch);
      best = Math.min(best, Math.max(early, late, 0));
    }
    await thread.terminate();
    assert.ok(best < 5, `${best}ms aside`);
  },
);

/** @returns {Promise<Worker>} a thread that tells the time by each state of a clock that it is sent */
async function clockReader() {
  const code = `
    import { parentPort, workerData } from 'node:worker_threads';
    const { Clock } = await import(workerData);
    parentPort.on('message', (state) => {
      const clock = Clock.fromState(state);
      parentPort.postMessage({ now: clock.now(), epoch: clock.epochNow() });
    });
    parentPort.postMessage('ready');
  `;
  const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), {
    workerData: new URL('../../lib/clock/clock.js', import.meta.url).href,
  });
  await once(thread, 'message');
  return thread;
}

test('a moment is in the same second for all threads, to the last bit', () => {
  const clock = new Clock();
  clock.adjust(1 / 3);
  const other = Clock.fromState(clock.toState());
  const another = Clock.fromState(other.toState());
  for (const moment of [0, 1 / 7, 123_456.789, clock.now()]) {
    assert.equal(other.toEpoch(moment), clock.toEpoch(moment));
    assert.equal(another.toEpoch(moment), clock.toEpoch(moment));
  }
});
