import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RATE_SEARCH_MS, RateSearch, verdictOf } from '../../lib/run/search/rate-search.js';
import { chance } from '../helpers/chance.js';

/**
 * @import { RateVerdict } from '../../lib/result/result.js'
 * @import { RateConclusion } from '../../lib/result/search.js'
 */

/**
 * @typedef {object} Queue
 * @property {number} service ms for which each operation occupies the store
 * @property {number} delay further ms until its answer
 * @property {number} slo ms
 * @property {boolean} isRandom whether operations arrive at random
 */

/**
 * The latencies of a queue with one server follow a recursion: D. V. Lindley, The theory of queues with a single
 * server, 1952.
 *
 * @param {Queue} queue
 * @param {number} rate ops/s
 * @param {number} count
 * @param {number} seed
 */
function latenciesOf({ service, delay, isRandom }, rate, count, seed) {
  const { exponential } = chance(seed);
  let wait = 0;
  return Array.from({ length: count }, () => {
    wait = Math.max(wait + service - ((isRandom ? exponential() : 1) * 1000) / rate, 0);
    return wait + delay;
  });
}

const THREADS = 200;

/** Time in which a step's last operations complete. */
const STEP_END_MS = 50;

/** @param {readonly { settle: number, maxDuration: number }[]} steps */
function elapsedOf(steps) {
  return steps.reduce((sum, { settle, maxDuration }) => sum + settle + maxDuration + STEP_END_MS, 0);
}

/**
 * @param {Queue} queue
 * @param {object} [options]
 * @param {number} [options.seed]
 * @param {number} [options.maxOperations]
 * @param {number} [options.clientRate] ops/s that the client can start
 * @param {number} [options.busyStep] index of a step in which the host is busy
 * @param {number} [options.hiccupStep] index of a step in which the store stalls for a moment
 * @param {number} [options.errorsAbove] ops/s above which attempts fail
 */
function search(queue, options = {}) {
  const { seed = 1, maxOperations, clientRate = Infinity, busyStep = -1, hiccupStep = -1 } = options;
  const { errorsAbove = Infinity } = options;
  const found = new RateSearch({
    maxThreads: THREADS,
    unloadedLatency: queue.delay,
    isRandom: queue.isRandom,
    maxOperations,
  });
  const most = Math.min(1000 / queue.service, (1000 * THREADS) / queue.delay, clientRate);
  const steps = [];
  for (let step = found.next(null); step !== null;) {
    const { rate = most, settle, maxDuration } = step;
    const count = Math.min(Math.round((rate * (settle + maxDuration)) / 1000), step.operations);
    const isLate = rate > clientRate || steps.length === busyStep;
    const measured = latenciesOf(queue, rate, count, 1000 * seed + steps.length)
      .slice(Math.round((rate * settle) / 1000))
      .map((latency) => (isLate ? latency + queue.slo : latency));
    if (steps.length === hiccupStep) {
      measured.fill(2 * queue.slo, 0, Math.ceil(0.03 * measured.length));
    }
    const late = (/** @type {readonly number[]} */ latencies) => latencies.filter((each) => each > queue.slo).length;
    const seconds = Array.from({ length: Math.floor(maxDuration / 1000) }, (_, second) => {
      const part = measured.slice(Math.round(second * rate), Math.round((second + 1) * rate));
      return { operations: part.length, late: late(part) };
    });
    steps.push({ ...step, rate: step.rate, count });
    step = found.next({
      elapsed: settle + maxDuration + STEP_END_MS,
      consumed: count,
      attempts: count,
      closedRate: (1000 * measured.length) / maxDuration,
      measurement: {
        ...{
          completed: measured.length,
          late: late(measured),
          seconds,
          duration: maxDuration,
          isClientBusy: false,
          isHostUnsteady: false,
        },
        ...{ attempts: measured.length, lateAttempts: isLate ? 0 : late(measured), allAttempts: count },
        failedAttempts: rate > errorsAbove ? Math.ceil(0.01 * count) : 0,
        p99: measured.toSorted((one, other) => one - other)[Math.floor(0.99 * measured.length)],
        maximum: Math.max(...measured),
      },
    });
  }
  return { steps, ...found.conclusion() };
}

/** The rate at which 1% of operations are late in the long run. @param {Queue} queue */
function kneeOf(queue) {
  let [low, high] = [0, 1000 / queue.service];
  while (high / Math.max(low, 1) > 1.002) {
    const rate = (low + high) / 2;
    const late = latenciesOf(queue, rate, 400_000, 7).filter((latency) => latency > queue.slo).length;
    [low, high] = late <= 4000 ? [rate, high] : [low, rate];
  }
  return low;
}

const SHARP = { service: 2, delay: 20, slo: 50, isRandom: false };

test('if nothing queues below the store’s own rate, that rate is found', () => {
  for (const service of [0.5, 1, 2, 5]) {
    const { bound, rate, interval, held } = search({ ...SHARP, service });
    const truth = 1000 / service;
    assert.equal(bound, 'exact');
    assert.ok(Math.abs(Number(rate) / truth - 1) < 0.05, `${rate} of ${truth}`);
    assert.ok(interval && interval.low <= truth && truth <= 1.01 * interval.high, JSON.stringify({ truth, interval }));
    assert.ok(held !== null && held.p99 <= 50);
  }
});

test('for random arrivals, the rate at which the 99th percentile reaches its limit is found', () => {
  const queue = { service: 1, delay: 20, slo: 40, isRandom: true };
  const truth = kneeOf(queue);
  const found = Array.from({ length: 40 }, (_, seed) => search(queue, { seed }));
  const near = found.filter(({ rate }) => Math.abs(Number(rate) / truth - 1) < 0.05);
  const covered = found.filter(({ interval }) => interval && interval.low <= truth && truth <= interval.high);
  assert.ok(near.length >= 38, `${near.length} of 40 within 5% of ${truth}`);
  assert.ok(covered.length >= 35, `${covered.length} of 40 intervals hold it`);
});

test('a closed loop shows where to begin, so that a sharp limit takes half of the search’s time', () => {
  const random = { service: 1, delay: 20, slo: 40, isRandom: true };
  const times = [SHARP, { ...SHARP, service: 0.2 }, random].map((queue) => {
    const { steps } = search(queue);
    assert.equal(steps[0].rate, undefined);
    assert.equal(Math.round(Number(steps[1].rate) * queue.service), 950);
    return elapsedOf(steps);
  });
  assert.ok(Math.max(...times.slice(0, 2)) < RATE_SEARCH_MS / 2 && times[2] < RATE_SEARCH_MS, String(times));
});

const CLOSED_RATE = 1600;

/**
 * @param {(rate: number, place: number) => RateVerdict} verdictAt
 * @returns {RateConclusion & { rates: number[] }} of a search whose steps have the given verdicts
 */
function searchWith(verdictAt) {
  const found = new RateSearch({ maxThreads: 200, unloadedLatency: 20 });
  const rates = [];
  for (let step = found.next(null); step !== null;) {
    const { rate = CLOSED_RATE, settle, maxDuration: duration } = step;
    const isClosed = step.rate === undefined;
    const verdict = isClosed ? 'missed' : verdictAt(rate, rates.length);
    const completed = Math.round((rate * duration) / 1000);
    const late = verdict === 'kept' ? 0 : completed;
    if (!isClosed) {
      rates.push(Math.round(rate));
    }
    step = found.next({
      elapsed: settle + duration,
      consumed: completed,
      attempts: completed,
      closedRate: CLOSED_RATE,
      measurement: {
        ...{ completed, late, seconds: [{ operations: completed, late }], attempts: completed },
        ...{ lateAttempts: verdict === 'missed' ? late : 0, failedAttempts: 0, allAttempts: completed, duration },
        ...{ p99: 20, maximum: 20, isClientBusy: false, isHostUnsteady: false },
      },
    });
  }
  return { rates, ...found.conclusion() };
}

test('a rate that a busy host could not try at first and the store then missed is a limit of the store', () => {
  const busyAt = (/** @type {number} */ busy) => (/** @type {number} */ rate, /** @type {number} */ index) =>
    rate < 1599 ? 'kept' : index === busy ? 'client' : 'missed';
  const usual = searchWith(busyAt(-1));
  const found = searchWith(busyAt(1));
  assert.deepEqual([usual.bound, usual.isClientLimited], ['exact', false]);
  assert.deepEqual(
    [found.bound, found.isClientLimited, found.rate, found.interval],
    ['exact', false, usual.rate, usual.interval],
  );
});

test('a host that stalls for several steps is waited for, within limits', () => {
  const stillFor = (/** @type {number} */ steps) => (/** @type {number} */ rate, /** @type {number} */ index) =>
    index >= 2 && index < 2 + steps ? 'client' : rate < 1599 ? 'kept' : 'missed';
  const usual = searchWith(stillFor(0));
  const found = searchWith(stillFor(3));
  assert.deepEqual([found.bound, found.rate], ['exact', usual.rate]);
  const given = searchWith(stillFor(Infinity));
  assert.deepEqual([given.bound, given.isClientLimited], ['at least', true]);
});

test('after a brief stall of the store in any step, the rate is tried again before it counts as too high', () => {
  const queue = { service: 1, delay: 20, slo: 40, isRandom: true };
  const truth = kneeOf(queue);
  for (let hiccupStep = 0; hiccupStep < 8; hiccupStep += 1) {
    const { bound, rate, interval } = search(queue, { hiccupStep });
    assert.equal(bound, 'exact');
    const isInInterval =
      interval !== null && truth >= interval.low && truth <= interval.high && interval.high < 1.3 * interval.low;
    const isNear = Math.abs(Number(rate) / truth - 1) < 0.05;
    assert.ok(isNear || isInInterval, `${rate} of ${truth}, hiccup in step ${hiccupStep}`);
  }
});

test('if the store becomes slower than everything it kept, lower rates are searched', () => {
  const lasting = CLOSED_RATE / 2;
  const { bound, rate } = searchWith((each, place) => (place === 0 || each < lasting ? 'kept' : 'missed'));
  assert.equal(bound, 'exact');
  assert.ok(Number(rate) > 0.95 * lasting && Number(rate) < lasting, String(rate));
});

test('a store that is always slower than the limit keeps no rate', () => {
  const { bound, rate } = search({ ...SHARP, slo: 10 });
  assert.deepEqual([bound, rate], ['at most', 1]);
});

test('too few operations end the search with the number needed, and no more are started', () => {
  const { steps, bound, limitingResource, operationsNeeded } = search(SHARP, { maxOperations: 3000 });
  assert.equal(bound, 'at least');
  assert.equal(limitingResource, 'objects');
  assert.ok(steps.reduce((sum, { count }) => sum + count, 0) <= 3000);
  assert.ok(operationsNeeded !== null && operationsNeeded > 3000);
});

test('an operation that the store answered in time was late because of the client', () => {
  const measurement = {
    ...{ completed: 1000, late: 50, seconds: [], attempts: 1000, lateAttempts: 0, failedAttempts: 0 },
    ...{ allAttempts: 1000, p99: 60, maximum: 70, duration: 2000, isClientBusy: false, isHostUnsteady: false },
  };
  assert.equal(verdictOf(500, measurement), 'client');
  assert.equal(verdictOf(500, { ...measurement, lateAttempts: 50 }), 'missed');
  assert.equal(verdictOf(500, { ...measurement, lateAttempts: 50, isClientBusy: true }), 'client');
  const unsteady = { ...measurement, lateAttempts: 900, isHostUnsteady: true };
  assert.equal(verdictOf(500, unsteady), 'client');
  assert.equal(verdictOf(500, { ...unsteady, late: 900 }), 'missed');
  assert.equal(verdictOf(500, { ...measurement, late: 10 }), 'kept');
  assert.equal(verdictOf(500, { ...measurement, late: 10, failedAttempts: 2 }), 'missed');
  assert.equal(verdictOf(2000, { ...measurement, late: 0, lateAttempts: 1000 }), 'missed');
});
