import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreClock } from '../../lib/measure/clock/store-clock.js';
import { cases } from '../helpers/cases.js';
import { SimulatedTime } from '../helpers/simulated-time.js';

/**
 * @import { ClockFacts } from '../../lib/result/result.js'
 * @import { ObjectConnection } from '../../lib/store/object-store.js'
 * @import { TestContext } from 'node:test'
 */

/**
 * @typedef {object} PlayedStore
 * @property {(() => number)[]} offsets ms by which its clocks are ahead of this host's; responses use them in turn
 * @property {() => [there: number, back: number]} [travel] ms of a request and its response
 * @property {boolean} [tellsTime]
 */

const TIME_LIMIT = { timeout: 120_000 };
const START = 1_700_000_000_000;
const NEVER = new AbortController().signal;

/** Figures are rounded to 0.1 ms, and simulated timers are late by less than 1 ms. */
const PRECISION = 1.1;

/**
 * @param {TestContext} t
 * @param {PlayedStore} store
 * @param {number} [phase] ms into a second at which it starts
 */
function openClock(t, { offsets, travel = () => [4, 4], tellsTime = true }, phase = 0) {
  const time = new SimulatedTime(t, START + phase);
  let questions = 0;
  const connections = /** @type {ObjectConnection[]} */ (/** @type {unknown} */ ([{}, {}, {}, {}]));
  const busy = new Set();
  const request = async (/** @type {ObjectConnection} */ connection) => {
    assert.ok(!busy.has(connection), 'a connection carries one question at a time');
    busy.add(connection);
    const offset = offsets[questions % offsets.length];
    questions += 1;
    const [there, back] = travel();
    await wait(there);
    const date = Math.floor((time.hostTime + offset()) / 1000) * 1000;
    await wait(back);
    busy.delete(connection);
    return tellsTime ? date : 0;
  };
  return {
    time,
    storeClock: new StoreClock({ clock: time.clock, request, connections }),
    asked: () => questions,
  };
}

/** @param {number} milliseconds */
function wait(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** @param {StoreClock} storeClock */
function factsOf(storeClock) {
  return /** @type {ClockFacts} */ (storeClock.facts);
}

test('the true offset is within the uncertainty, whatever the offset and the travel times', TIME_LIMIT, async (t) => {
  const scenario = fc.record({
    offset: fc.integer({ min: -3_600_000, max: 3_600_000 }),
    phase: fc.nat(999),
    slowest: fc.constantFrom(2, 20, 150),
    draws: fc.infiniteStream(fc.nat(1000)),
  });
  await fc.assert(
    fc.asyncProperty(scenario, async ({ offset, phase, slowest, draws }) => {
      const draw = () => Math.round((draws.next().value / 1000) * slowest);
      const { time, storeClock } = openClock(t, { offsets: [() => offset], travel: () => [draw(), draw()] }, phase);
      const startedAt = time.hostTime;
      await time.until(storeClock.measure(NEVER));
      time.end();
      const { offset: told, uncertainty } = factsOf(storeClock);
      assert.ok(Math.abs(told - offset) <= uncertainty + PRECISION, `${told} ± ${uncertainty}, in truth ${offset}`);
      assert.ok(uncertainty <= 2 * slowest + 40, `± ${uncertainty}ms over round trips of at most ${2 * slowest}ms`);
      const storeTime = time.hostTime + offset;
      assert.ok(Math.abs(time.clock.epochNow() - storeTime) <= uncertainty + PRECISION, 'the clock is set');
      assert.ok(time.hostTime - startedAt <= 4500, 'it takes some two seconds');
    }),
    { numRuns: cases(30) },
  );
});

test('short round trips determine the offset within a few milliseconds', TIME_LIMIT, async (t) => {
  const { time, storeClock, asked } = openClock(t, { offsets: [() => 12_345] }, 300);
  await time.until(storeClock.measure(NEVER));
  const { offset, uncertainty } = factsOf(storeClock);
  assert.ok(uncertainty <= 10 && Math.abs(offset - 12_345) <= uncertainty + PRECISION, `${offset} ± ${uncertainty}`);
  assert.ok(asked() <= 60, `${asked()} questions`);
});

test('a store without Date headers leaves the clock unchanged', TIME_LIMIT, async (t) => {
  const { time, storeClock } = openClock(t, { offsets: [() => 5000], tellsTime: false });
  await time.until(storeClock.measure(NEVER), 5000);
  assert.equal(storeClock.facts, null);
  assert.equal(storeClock.problem, 'no response had a Date header');
  assert.equal(time.clock.epochNow(), time.hostTime);
});

for (const [there, apart] of [
  [1, 4500],
  // No multiple of the interval between requests: what falls on the same millisecond has no fixed order.
  [57, 5000],
]) {
  test(
    `does not examine a distant store's turn more closely than its distance allows: ${there} ms`,
    TIME_LIMIT,
    async (t) => {
      const { time, storeClock } = openClock(t, { offsets: [() => 0], travel: () => [there, there] }, 10);
      const startedAt = time.hostTime;
      await time.until(storeClock.measure(NEVER), apart);
      const turns = there === 1 ? 2 : 1;
      assert.equal(Math.floor(time.hostTime / 1000) - Math.floor(startedAt / 1000), turns);
      assert.ok(factsOf(storeClock).uncertainty <= there + 25, String(factsOf(storeClock).uncertainty));
    },
  );
}

test('the clock is unknown if the responses leave it uncertain by more than five seconds', TIME_LIMIT, async (t) => {
  const hours = 25 * 3_600_000;
  const { time, storeClock } = openClock(t, { offsets: [() => hours, () => -hours] });
  await time.until(storeClock.measure(NEVER), 5000);
  assert.equal(storeClock.facts, null);
  assert.match(String(storeClock.problem), /^the store's Date headers leave its clock uncertain by ±1d 0h$/);
  assert.equal(time.clock.epochNow(), time.hostTime, 'the clock is not set');
});

test('responses from two clocks make the offset as uncertain as the difference between them', TIME_LIMIT, async (t) => {
  const { time, storeClock } = openClock(t, { offsets: [() => 0, () => 5000] });
  await time.until(storeClock.measure(NEVER), 5000);
  const { offset, uncertainty } = factsOf(storeClock);
  assert.ok(uncertainty >= 1900 && uncertainty <= 2510, `± ${uncertainty}`);
  assert.ok(offset > 1500 && offset < 3500, String(offset));
});

test('a stop aborts the measurement', TIME_LIMIT, async (t) => {
  const { time, storeClock } = openClock(t, { offsets: [() => 0] }, 500);
  const controller = new AbortController();
  const measuring = storeClock.measure(controller.signal);
  await time.pass(100);
  controller.abort();
  await time.until(measuring, 20);
});
