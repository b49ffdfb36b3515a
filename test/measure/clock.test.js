import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mock, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { Clock } from '../../lib/measure/clock/clock.js';

/** @import { TestContext } from 'node:test' */

/** The system's time has a resolution of 1 ms; the rest allows for a thread that waits at each reading. */
const PRECISION_MS = 5;

test('setting the wall clock back or ahead during a run changes nothing', () => {
  const time = { monotonic: 0, wall: 1_700_000_000_000 };
  const clock = new Clock({ monotonic: () => time.monotonic, wall: () => time.wall });
  for (const jump of [-3_600_000, 7_200_000, 1]) {
    time.wall += jump;
    time.monotonic += 10;
    assert.equal(clock.epochNow(), 1_700_000_000_000 + time.monotonic);
  }
});

test("uses this host's time by default", () => {
  const before = Date.now();
  const told = new Clock().epochNow();
  const after = Date.now();
  assert.ok(told > before - PRECISION_MS && told < after + 1 + PRECISION_MS, `${told}, from ${before} to ${after}`);
});

test('a thread that waits between readings of its clocks does not shift time', () => {
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

test('another thread has the same time, both epoch and monotonic', { timeout: 120_000 }, async () => {
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
});

/** @returns {Promise<Worker>} a thread that reports the time according to each clock state it receives */
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
    workerData: new URL('../../lib/measure/clock/clock.js', import.meta.url).href,
  });
  await once(thread, 'message');
  return thread;
}

test('a time is in the same second for all threads, to the last bit', () => {
  const clock = new Clock();
  clock.adjust(1 / 3);
  const other = Clock.fromState(clock.toState());
  const another = Clock.fromState(other.toState());
  for (const moment of [0, 1 / 7, 123_456.789, clock.now()]) {
    assert.equal(other.toEpoch(moment), clock.toEpoch(moment));
    assert.equal(another.toEpoch(moment), clock.toEpoch(moment));
  }
});

/**
 * A clock that detects pauses, 10 s after its start.
 *
 * @param {TestContext} t
 */
function watchedClock(t) {
  mock.timers.enable({ apis: ['setInterval'] });
  t.after(() => mock.timers.reset());
  const time = { monotonic: 10_000, demand: 0, up: 0 };
  const clock = new Clock({
    monotonic: () => time.monotonic,
    wall: () => 1_700_000_000_000,
    demand: () => time.demand,
    up: () => time.up,
  });
  /** @type {string[]} */
  const warnings = [];
  clock.watchPauses((message) => warnings.push(message));
  const advance = (/** @type {number} */ milliseconds) => {
    time.monotonic += milliseconds;
    time.up += milliseconds;
  };
  return { clock, time, warnings, advance, tick: () => mock.timers.tick(250) };
}

/** @param {string} seconds */
function suspended(seconds) {
  return `this process was suspended for ${seconds}s: that time is excluded from rates and percentiles`;
}

test('while the process is suspended, monotonic time stops and the epoch does not', (t) => {
  const { clock, warnings, advance, tick } = watchedClock(t);
  advance(100);
  const before = clock.now();
  assert.equal(before, 10_100);
  advance(5000);
  const after = clock.now();
  assert.ok(after > before && after < before + 1, `${after}`);
  assert.ok(Math.abs(clock.epochNow() - 1_700_000_005_100) < 0.01);
  assert.equal(clock.toEpoch(before), 1_700_000_000_100);
  assert.deepEqual(warnings, []);
  tick();
  tick();
  assert.deepEqual(warnings, [suspended('5.0')]);
  const [began, ended] = [1_700_000_000_100, 1_700_000_005_100];
  assert.equal(Math.round(clock.pausedBetween(began - 1000, ended + 1000)), 5000);
  assert.equal(clock.pausedBetween(began + 1000, began + 2000), 1000);
  assert.equal(clock.pausedBetween(ended, ended + 1000), 0);
  assert.equal(clock.fromEpoch(began - 50), 10_050);
  assert.equal(clock.fromEpoch(began + 2500), before);
  assert.ok(Math.abs(clock.fromEpoch(ended + 50) - 10_150) < 0.01);
  assert.ok(clock.wasSuspended(before, after) && clock.wasSuspended(before - 10, after + 10));
  assert.ok(!clock.wasSuspended(before - 10, before - 5) && !clock.wasSuspended(after, after + 10));
});

test('each of several pauses moves the epoch from its own start', (t) => {
  const { clock, advance } = watchedClock(t);
  for (const pause of [2500, 3000]) {
    advance(500);
    clock.now();
    advance(pause);
    clock.now();
  }
  assert.ok(Math.abs(clock.now() - 11_000) < 0.01, `${clock.now()}`);
  const epochs = [10_499, 10_501, 10_999, 11_001].map((moment) =>
    Math.round(clock.toEpoch(moment) - 1_700_000_000_000),
  );
  assert.deepEqual(epochs, [499, 3001, 3499, 6501]);
});

test('a process that computes without reading its clock was not suspended', (t) => {
  const { clock, time, warnings, advance, tick } = watchedClock(t);
  clock.now();
  advance(5000);
  time.demand += 4500;
  assert.equal(clock.now(), 15_000);
  tick();
  assert.deepEqual(warnings, []);
});

test('a process that waits for responses and occasionally reads its clock was not suspended', (t) => {
  const { clock, warnings, advance, tick } = watchedClock(t);
  for (let ticks = 0; ticks < 20; ticks++) {
    advance(1900);
    tick();
  }
  assert.equal(clock.now(), 48_000);
  assert.deepEqual(warnings, []);
});

test('a gap does not count as a pause before detection starts', () => {
  let time = 0;
  const clock = new Clock({ monotonic: () => time });
  clock.now();
  time += 3_600_000;
  assert.equal(clock.now(), 3_600_000);
});

test('sleep of the machine, in which monotonic time stands still, moves only the epoch', (t) => {
  const { clock, time, warnings, advance, tick } = watchedClock(t);
  advance(250);
  time.up += 30_000;
  tick();
  assert.deepEqual(warnings, [suspended('30.0')]);
  advance(10);
  assert.equal(clock.now(), 10_260);
  assert.equal(clock.epochNow(), 1_700_000_030_260);
  assert.equal(clock.toEpoch(10_000), 1_700_000_000_000);
});

test('a clock passed to another thread after a pause continues with the same time', (t) => {
  const { clock, advance } = watchedClock(t);
  clock.now();
  advance(5000);
  const before = clock.now();
  const { origin, systemTime } = clock.toState();
  assert.equal(origin + before, clock.toEpoch(before));
  assert.equal(systemTime + before, clock.toSystem(before));
});
