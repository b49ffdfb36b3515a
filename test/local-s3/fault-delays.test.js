import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SAVED_MS, bandwidth, delayerOf, pass, timeOfAnswer } from '../../lib/local-s3/fault-delays.js';
import { parseFaults } from '../../lib/local-s3/faults.js';
import { mixIndex } from '../../lib/workload/mix.js';

/**
 * @import { Operation } from '../../lib/local-s3/router.js'
 */

const REQUESTS = 20_000;

/** @param {string} script of delays */
function delayers(script) {
  let drawn = 0;
  const random = () => mixIndex(drawn++, 1) / 2 ** 32;
  return parseFaults(script).items.map((item) => delayerOf(item, random));
}

/**
 * @param {string} script
 * @param {readonly number[]} arrivals ms
 * @returns {number[]} response times, ms
 */
function answers(script, arrivals) {
  const items = delayers(script);
  return arrivals.map((now) => timeOfAnswer(items, { now, operation: 'PUT' }));
}

/** Arrival times of requests: non-decreasing ms. */
const arrivalTimes = fc
  .array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 200 })
  .map((gaps) => gaps.map((_, place) => gaps.slice(0, place + 1).reduce((sum, gap) => sum + gap, 0)));

test('a queue starts requests in order of arrival, never above its rate and carry-over', () => {
  fc.assert(
    fc.property(arrivalTimes, fc.integer({ min: 20, max: 2000 }), (arrivals, rate) => {
      const begun = answers(`queue=${rate}`, arrivals);
      begun.forEach((time, place) => {
        assert.ok(time >= arrivals[place] && time >= (begun[place - 1] ?? 0));
        for (let other = 0; other < place; other++) {
          const most = 1 + ((time - begun[other] + SAVED_MS) * rate) / 1000;
          assert.ok(place - other <= most + 1e-6, `${place - other} requests in ${time - begun[other]} ms`);
        }
      });
    }),
  );
});

test('no request waits in a queue that is faster than the arrivals', () => {
  const arrivals = Array.from({ length: 100 }, (_, place) => 10 * place);
  assert.deepEqual(answers('queue=100', arrivals), arrivals);
});

test("a short hiccup does not reduce a queue's rate", () => {
  const items = delayers('queue=100');
  const time = (/** @type {number} */ now) => timeOfAnswer(items, { now, operation: 'PUT' });
  const steady = [0, 0, 0, 0, 0, 0, 0].map(time);
  assert.deepEqual(steady, [0, 0, 0, 0, 0, 0, 10]);
  assert.deepEqual([time(50), time(50), time(50), time(50)], [50, 50, 50, 50], 'made up for');
  assert.equal(time(50), 60);
});

test('a queue that never runs empty loses nothing in an hour', () => {
  const items = delayers('queue=1000');
  let last = 0;
  for (let request = 0; request < 3_600_000; request++) {
    last = timeOfAnswer(items, { now: last, operation: 'GET' });
  }
  assert.ok(Math.abs(last - (3_599_999 - SAVED_MS)) < 0.01, `${last} ms`);
});

test('a latency starts with the slot of a queue, and does not delay the following slots', () => {
  const items = delayers('queue=100,latency=20ms..50ms');
  const delays = Array.from({ length: 500 }, (_, place) => {
    const time = timeOfAnswer(items, { now: 0, operation: 'PUT' });
    return time - Math.max(0, place * 10 - SAVED_MS);
  });
  assert.ok(delays.every((delay) => delay >= 20 && delay <= 50 + 1e-6));
  assert.ok(Math.max(...delays) > 48);
});

test('a bandwidth delays bodies until their bytes have passed', () => {
  const begin = bandwidth(1_000_000);
  assert.deepEqual(
    [0, 0, 0, 1000].map((now) => begin(now)(now, 40_000)),
    [40, 40, 70, 1040],
  );
  const other = bandwidth(1_000_000);
  assert.deepEqual(
    [0, 0].map((now) => other(now)(now, 0)),
    [0, 0],
  );
});

test('concurrent bodies share a bandwidth, part by part', () => {
  const begin = bandwidth(1_000_000);
  const paces = [begin(0), begin(0)];
  const passed = [0, 0];
  for (let part = 0; part < 20; part += 1) {
    paces.forEach((pace, place) => (passed[place] = pace(passed[place], 100_000)));
  }
  // Four megabytes together, minus the carry-over.
  assert.ok(Math.abs(passed[0] - 3850) < 1e-6 && Math.abs(passed[1] - 3950) < 1e-6, `${passed}`);
});

test('a single body is as fast as the bandwidth, however late its parts are requested', () => {
  const pace = bandwidth(1_000_000)(0);
  let passed = 0;
  for (let part = 0; part < 100; part += 1) {
    passed = pace(passed + 1.5, 65_536);
  }
  assert.ok(Math.abs(passed - 6553.6) < 1e-6, `${passed}`);
});

test('a lognormal latency has the median and spread of the script', () => {
  const times = answers(
    'latency=lognormal:20ms:0.5',
    Array.from({ length: REQUESTS }, () => 0),
  ).sort((one, other) => one - other);
  for (const [share, deviations] of [
    [0.5, 0],
    [0.8413, 1],
    [0.1587, -1],
    [0.99, 2.3263],
  ]) {
    const expected = 20 * Math.exp(0.5 * deviations);
    const found = times[Math.floor(share * REQUESTS)];
    assert.ok(Math.abs(found / expected - 1) < 0.05, `${found} ms at ${share}, expected ${expected}`);
  }
});

test('a stall delays responses that are due within it, per operation since its first request', () => {
  const items = delayers('latency=10ms,stall=2s@3s');
  const time = (/** @type {Operation} */ operation, /** @type {number} */ now) =>
    timeOfAnswer(items, { now, operation });
  assert.deepEqual(
    [1000, 3989, 3990, 4500, 5989, 5990, 9000].map((now) => time('PUT', now)),
    [1010, 3999, 6000, 6000, 6000, 6000, 9010],
  );
  assert.equal(time('GET', 5000), 5010, 'the first GET comes later than the first PUT');
  assert.equal(time('GET', 8000), 10_000);
});

test('pass never resolves early', async () => {
  const delays = [0, 0.3, 1, 4.7, 20, 20.001];
  for (const delay of delays) {
    const began = performance.now();
    await pass(delay);
    assert.ok(performance.now() - began >= delay, `${delay} ms`);
  }
});
