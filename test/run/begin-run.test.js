import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Clock } from '../../lib/meter/clock.js';
import { chooseStart, openCores, startStoreClock, waitForStart, waitUntil } from '../../lib/run/begin-run.js';
import { openRun } from '../../lib/run/open-run.js';
import { freePort } from '../helpers/free-port.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';
import { SimulatedTime } from '../helpers/simulated-time.js';

/** @import { RunObserver } from '../../lib/run/benchmark-run.js' */

const TIME_LIMIT = { timeout: 30_000 };
const NOW = Date.parse('2026-01-31T11:59:30Z');
const NEVER = new AbortController().signal;
const HOUR_MS = 3_600_000;

/** Hosts tell their time in whole milliseconds, so that a clock is set by it to half of one; the rest is for rounding. */
const PRECISION_MS = 1;

/** An observer that keeps its notices. */
function noticing() {
  /** @type {string[]} */
  const notices = [];
  const observer = { notice: (/** @type {string} */ message) => notices.push(message) };
  return { notices, observer: /** @type {RunObserver} */ (/** @type {unknown} */ (observer)) };
}

test('without --start-at a run starts as soon as it can', async () => {
  const clock = new ManualClock(NOW);
  assert.deepEqual(chooseStart(runConfig(NO_TARGET), clock), { startsAt: null, problem: null });
  const { notices, observer } = noticing();
  assert.equal(await waitForStart(null, clock, NEVER, observer, null), clock.now());
  assert.deepEqual(notices, []);
});

test('a start is chosen by the store’s clock; one that has passed is a problem', () => {
  const clock = new ManualClock(NOW - 4000);
  clock.adjust(4000);
  const inTime = chooseStart(runConfig(NO_TARGET, { startAt: (now) => now + 30_000 }), clock);
  assert.deepEqual(inTime, { startsAt: NOW + 30_000, problem: null });
  assert.equal(chooseStart(runConfig(NO_TARGET, { startAt: (now) => now }), clock).problem, null);
  const { problem } = chooseStart(runConfig(NO_TARGET, { startAt: () => NOW - 2500 }), clock);
  assert.equal(problem, "--start-at: 2026-01-31T11:59:27.500Z was 2.5s ago by the store's clock");
});

test('a start that lies far back, or more than a week ahead, is a problem, told in units that can be read', () => {
  const clock = new ManualClock(NOW);
  const problemOf = (/** @type {number} */ startsAt) =>
    chooseStart(runConfig(NO_TARGET, { startAt: () => startsAt }), clock).problem;
  const week = 7 * 24 * HOUR_MS;
  assert.equal(
    problemOf(NOW - week - 2 * HOUR_MS),
    "--start-at: 2026-01-24T09:59:30.000Z was 7d 2h ago by the store's clock",
  );
  assert.equal(problemOf(NOW + week), null);
  assert.equal(
    problemOf(NOW + week + HOUR_MS),
    "--start-at: 2026-02-07T12:59:30.000Z is more than 7d 0h ahead by the store's clock",
  );
});

test('a run waits for its start, says so, and begins when it has come', async (t) => {
  const time = new SimulatedTime(t, NOW);
  const { notices, observer } = noticing();
  const startsAt = NOW + 1500;
  let begun = false;
  const waiting = waitForStart(startsAt, time.clock, NEVER, observer, null).then((moment) => {
    begun = true;
    return moment;
  });
  await time.pass(1499);
  assert.equal(begun, false);
  await time.pass(1);
  assert.equal(begun, true);
  assert.equal(time.clock.toEpoch(await waiting), startsAt);
  assert.deepEqual(notices, ["Waiting for 2026-01-31T11:59:31.500Z, in 1.5s by the store's clock"]);
});

test('a late start is told, and the later stages keep to the start that was agreed on', async () => {
  const clock = new ManualClock(NOW);
  const { notices, observer } = noticing();
  assert.equal(clock.toEpoch(await waitForStart(NOW - 1200, clock, NEVER, observer, null)), NOW - 1200);
  assert.deepEqual(notices, ['Starting 1.2s late: the connections took that long to open']);
});

test('a start that is missed by some milliseconds is in time', async () => {
  const clock = new ManualClock(NOW);
  const { notices, observer } = noticing();
  await waitForStart(NOW - 20, clock, NEVER, observer, null);
  assert.deepEqual(notices, ["Waiting for 2026-01-31T11:59:29.980Z, in 0.0s by the store's clock"]);
});

test('connections that were closed during the wait are opened anew before its end', async (t) => {
  const time = new SimulatedTime(t, NOW);
  const { observer } = noticing();
  /** @type {number[]} */
  const openedAt = [];
  const cores = {
    async openConnections() {
      openedAt.push(time.clock.epochNow() - NOW);
      return { failed: 0, reason: '' };
    },
  };
  const waiting = waitForStart(NOW + 10_000, time.clock, NEVER, observer, cores);
  await time.pass(10_000);
  await waiting;
  assert.deepEqual(openedAt, [7000]);
});

test('a stop ends the wait', TIME_LIMIT, async () => {
  const { observer } = noticing();
  const controller = new AbortController();
  const waiting = waitForStart(NOW + HOUR_MS, new ManualClock(NOW), controller.signal, observer, null);
  controller.abort();
  await waiting;
});

test('a wait may be longer than a timer takes', async (t) => {
  const time = new SimulatedTime(t, NOW);
  const hours = 30 * 24;
  let isOver = false;
  const waiting = waitUntil(time.clock.now() + hours * HOUR_MS, time.clock, NEVER).then(() => (isOver = true));
  for (let hour = 0; hour < hours; hour++) {
    assert.equal(isOver, false, `over after ${hour} hours`);
    await time.leap(HOUR_MS);
  }
  await waiting;
});

test('a moment that has passed is not waited for', async () => {
  const clock = new ManualClock(NOW);
  await waitUntil(clock.now() - 1, clock, NEVER);
});

test('a store on this host has this host’s clock, and is not asked', async () => {
  const run = await openRun(runConfig(NO_TARGET), { clock: new ManualClock(NOW), random: Math.random });
  const storeClock = await startStoreClock(runConfig(NO_TARGET), run, NEVER);
  assert.deepEqual(storeClock.facts(), { offset: 0, uncertainty: 0 });
  assert.equal(run.requests.clock, 0);
  await storeClock.stop();
  await run.close();
});

test('the run’s clock is set by the store’s, and the questions are counted', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t, { faults: 'skew=+90s' });
  const config = runConfig(endpoint);
  const store = { ...config.store, isEmbedded: false };
  const clock = new Clock();
  const run = await openRun({ ...config, store }, { clock, random: Math.random });
  const before = clock.toEpoch(0);
  const storeClock = await startStoreClock({ ...config, store }, run, NEVER);
  const { offset, uncertainty } = /** @type {any} */ (storeClock.facts());
  assert.ok(Math.abs(offset - 90_000) <= uncertainty + PRECISION_MS, `${offset} ± ${uncertainty}`);
  assert.ok(Math.abs(clock.toEpoch(0) - before - offset) <= 0.1, 'the clock is set');
  const { requests } = await endpoint.report();
  assert.deepEqual([requests.GET.total > 5, requests.GET.total], [true, run.requests.clock]);
  await storeClock.stop();
  await run.close();
});

test('connections that cannot be opened ahead are told, unless the run is to stop', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t, { port: await freePort() });
  await endpoint.close();
  const config = runConfig(endpoint, { threads: 3 });
  for (const [signal, expected] of /** @type {const} */ ([
    [NEVER, /^3 of 3 connections could not be opened ahead \(.*ECONNREFUSED.*\): they are opened when .*needed$/],
    [AbortSignal.abort(), null],
  ])) {
    const run = await openRun(config, { clock: new Clock(), random: Math.random });
    const { notices, observer } = noticing();
    await openCores(config, run, signal, observer);
    await run.close();
    assert.equal(notices.length, expected === null ? 0 : 1);
    assert.match(notices.join(), expected ?? /^$/);
  }
});

test('nothing is opened ahead where no connection is kept', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t);
  const config = runConfig(endpoint, { keepAlive: false });
  const run = await openRun(config, { clock: new Clock(), random: Math.random });
  await openCores(config, run, NEVER, noticing().observer);
  assert.equal((await endpoint.report()).connections, 0);
  await run.close();
});
