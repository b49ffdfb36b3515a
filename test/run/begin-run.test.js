import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Clock } from '../../lib/measure/clock/clock.js';
import { chooseStart, openRunClock, openWorkers, phasesOf, waitForStart } from '../../lib/run/begin-run.js';
import { openRun } from '../../lib/run/open-run.js';
import { TimeBudget } from '../../lib/run/preflight/unloaded-latency.js';
import { freePort } from '../helpers/free-port.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';
import { SimulatedTime } from '../helpers/simulated-time.js';

/**
 * @import { StartTime } from '../../lib/result/config.js'
 * @import { Phase, RunObserver } from '../../lib/result/run-events.js'
 * @import { OpenRun } from '../../lib/run/open-run.js'
 */

const TIME_LIMIT = { timeout: 120_000 };
const NOW = Date.parse('2026-01-31T11:59:30Z');
const NEVER = new AbortController().signal;
const HOUR_MS = 3_600_000;

/** The store sends whole milliseconds, which sets the clock to within half of one; the rest allows for rounding. */
const PRECISION_MS = 1;

/**
 * A session before its first stage, with an observer that records events.
 *
 * @param {Clock} clock
 * @param {AbortSignal} [signal]
 */
function beginning(clock, signal = NEVER) {
  /** @type {string[]} */
  const notices = [];
  /** @type {string[]} */
  const shown = [];
  const told = {
    notice: (/** @type {string} */ message) => notices.push(message),
    phaseStarts: (/** @type {Phase} */ { text }) => shown.push(text),
    phaseEnds() {},
    runIsNamed() {},
  };
  const observer = /** @type {RunObserver} */ (/** @type {unknown} */ (told));
  const run = /** @type {OpenRun} */ ({ clock });
  const [phases, budget] = [phasesOf(observer), new TimeBudget(clock.now)];
  return { notices, shown, observer, run, signal, phases, budget };
}

/**
 * @param {ManualClock} clock
 * @param {Partial<StartTime>} startAt
 * @param {string | null} [clockProblem]
 * @param {number} [launchedAt] monotonic ms
 */
function choose(clock, startAt, clockProblem = null, launchedAt = clock.now()) {
  const config = runConfig(NO_TARGET, { startAt: { after: () => NOW, isCommon: true, ...startAt } });
  return chooseStart(config, clock, launchedAt, clockProblem);
}

test('without --start-at a run starts as soon as it can', () => {
  const clock = new ManualClock(NOW);
  assert.deepEqual(chooseStart(runConfig(NO_TARGET), clock, 0, null), { startsAt: null, problem: null });
  assert.deepEqual(chooseStart(runConfig(NO_TARGET), clock, 0, 'no clock'), { startsAt: null, problem: null });
});

test('a start is chosen by the store’s clock and counts from the launch of the process', () => {
  const clock = new ManualClock(NOW - 4000);
  const launchedAt = clock.now();
  clock.adjust(4000);
  clock.advance(2500);
  const startAt = { after: (/** @type {number} */ launched) => launched + 30_000 };
  assert.deepEqual(choose(clock, startAt, null, launchedAt), { startsAt: NOW + 30_000, problem: null });
  assert.equal(choose(clock, { after: () => NOW }, null, launchedAt).problem, null, 'a start that passed meanwhile');
  const { problem } = choose(clock, { after: () => NOW - 1 }, null, launchedAt);
  assert.equal(problem, "--start-at: 2026-01-31T11:59:29.999Z was 2.5s ago by the store's clock");
});

test('a start long ago or more than a week ahead is a problem, reported in readable units', () => {
  const clock = new ManualClock(NOW);
  const problemOf = (/** @type {number} */ startsAt) => choose(clock, { after: () => startsAt }).problem;
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

test('a common start needs the store’s clock; a start after a delay does not', () => {
  const clock = new ManualClock(NOW);
  const { problem } = choose(clock, {}, 'no response had a Date header');
  assert.equal(
    problem,
    "--start-at: hosts cannot start together, because the store's clock is unknown: no response had a Date header",
  );
  assert.equal(choose(clock, { isCommon: false }, 'no response had a Date header').problem, null);
});

test('a run announces its start, opens its connections ten seconds before it, and then begins', async (t) => {
  const time = new SimulatedTime(t, NOW);
  const { notices, shown, ...begin } = beginning(time.clock);
  /** @type {number[]} */
  const openedAt = [];
  let begun = false;
  const waiting = waitForStart(time.clock.now() + 15_500, begin, async () => {
    openedAt.push(time.clock.epochNow() - NOW);
  }).then(() => (begun = true));
  await time.pass(15_499);
  assert.equal(begun, false);
  await time.pass(1);
  assert.equal(begun, true);
  await waiting;
  assert.deepEqual(openedAt, [5500]);
  assert.deepEqual(notices, ["Waiting until 2026-01-31T11:59:45.500Z (15.5s from now by the store's clock)"]);
  assert.deepEqual(shown, ['waiting until 2026-01-31T11:59:45.500Z']);
});

test('a start that is late by more than a few milliseconds is reported', async () => {
  const clock = new ManualClock(NOW);
  const { notices, ...begin } = beginning(clock);
  const start = clock.now() + 100;
  await waitForStart(start, begin, async () => clock.advance(120));
  assert.deepEqual(notices, ["Waiting until 2026-01-31T11:59:30.100Z (0.1s from now by the store's clock)"]);
  await waitForStart(start, begin, async () => clock.advance(1180));
  assert.equal(notices.at(-1), 'Starting 1.2s late');
});

test('a stop request ends the wait', TIME_LIMIT, async () => {
  const controller = new AbortController();
  const clock = new ManualClock(NOW);
  const waiting = waitForStart(clock.now() + HOUR_MS, beginning(clock, controller.signal), async () => {});
  controller.abort();
  await waiting;
});

test('the embedded store uses this host’s clock and is not asked', async () => {
  const clock = new ManualClock(NOW);
  const run = await openRun(runConfig(NO_TARGET), { clock, random: Math.random });
  const runClock = openRunClock(runConfig(NO_TARGET), run, NEVER, null);
  await runClock.measure((measure) => measure());
  assert.deepEqual([runClock.facts(), runClock.problem()], [{ offset: 0, uncertainty: 0 }, null]);
  assert.equal(run.requests.clock, 0);
  await runClock.stop();
  await run.close();
});

test('the run’s clock is set to the store’s, and the requests are counted', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t, { faults: 'skew=+90s' });
  const config = runConfig(endpoint);
  const store = { ...config.store, isEmbedded: false };
  const clock = new Clock();
  const run = await openRun({ ...config, store }, { clock, random: Math.random });
  const before = clock.toEpoch(0);
  const runClock = openRunClock({ ...config, store }, run, NEVER, null);
  await runClock.measure((measure) => measure());
  const { offset, uncertainty } = /** @type {any} */ (runClock.facts());
  assert.ok(Math.abs(offset - 90_000) <= uncertainty + PRECISION_MS, `${offset} ± ${uncertainty}`);
  assert.ok(Math.abs(clock.toEpoch(0) - before - offset) <= 0.1, 'the clock is set');
  const { requests } = await endpoint.report();
  assert.deepEqual([requests.GET.total > 5, requests.GET.total], [true, run.requests.clock]);
  await runClock.stop();
  await run.close();
});

test('connections that cannot be opened in advance are reported, unless the run is stopping', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t, { port: await freePort() });
  await endpoint.close();
  const config = runConfig(endpoint, { threads: 3 });
  for (const [signal, expected] of /** @type {const} */ ([
    [
      NEVER,
      /^3 of 3 connections could not be opened in advance \(.*ECONNREFUSED.*\); each will open when it is first used$/,
    ],
    [AbortSignal.abort(), null],
  ])) {
    const run = await openRun(config, { clock: new Clock(), random: Math.random });
    const { notices, observer } = beginning(run.clock);
    await openWorkers({ config, run, signal, observer });
    await run.close();
    assert.equal(notices.length, expected === null ? 0 : 1);
    assert.match(notices.join(), expected ?? /^$/);
  }
});

test('no connection is opened in advance without keep-alive', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t);
  const config = runConfig(endpoint, { keepAlive: false });
  const run = await openRun(config, { clock: new Clock(), random: Math.random });
  await openWorkers({ config, run, signal: NEVER, observer: beginning(run.clock).observer });
  assert.equal((await endpoint.report()).connections, 0);
  await run.close();
});
