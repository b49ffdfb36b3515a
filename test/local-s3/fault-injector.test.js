import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FaultInjector } from '../../lib/local-s3/fault-injector.js';
import { SAVED_MS, parseFaults } from '../../lib/local-s3/faults.js';

const bucket = 'bucket-a';
const OBJECT = { bucket, size: 100 };

/**
 * @param {string} script
 * @param {() => number} [now]
 */
function injector(script, now = () => 0) {
  return new FaultInjector(parseFaults(script), [bucket, 'bucket-b'], now);
}

/**
 * @param {string} script
 * @param {number} requests
 */
function namesDrawn(script, requests) {
  const faults = injector(script);
  return Array.from({ length: requests }, () => faults.decide('GET', OBJECT).fault?.name);
}

/**
 * @param {string} script of delays
 * @returns {(now: number) => number} when a request that arrives at `now` takes effect
 */
function delaying(script) {
  let time = 0;
  const faults = injector(script, () => time);
  return (now) => {
    time = now;
    return now + faults.decide('PUT', OBJECT).delay;
  };
}

test('the same seed draws the same faults, at the frequency of the script, and another seed different ones', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.integer({ min: 5, max: 95 }), (seed, percent) => {
      const requests = 2000;
      const script = `reset=${percent}%,hang=50%`;
      const drawn = namesDrawn(`seed=${seed},${script}`, requests);
      assert.deepEqual(namesDrawn(`seed=${seed},${script}`, requests), drawn);
      assert.notDeepEqual(namesDrawn(`seed=${seed + 1},${script}`, requests), drawn);
      const expected = (requests * percent) / 100;
      // Six standard deviations of a binomial distribution: anything beyond is a defect.
      const tolerance = 6 * Math.sqrt((expected * (100 - percent)) / 100);
      const hits = drawn.filter((name) => name === 'reset').length;
      assert.ok(Math.abs(hits - expected) <= tolerance, `${hits} instead of ${expected}`);
    }),
  );
});

test('listings, batch deletions and bucket checks are affected only if they are named, and missing objects never', () => {
  const faults = injector('status=503:100%,latency=5ms,rate=1');
  const nothing = { delay: 0, fault: null };
  for (const operation of /** @type {const} */ (['LIST', 'POST', 'BUCKET'])) {
    assert.deepEqual(faults.decide(operation, OBJECT), nothing);
    assert.equal(injector(`${operation}.status=503:100%`).decide(operation, { bucket }).fault?.status, 503);
  }
  assert.deepEqual(faults.decide('GET', { bucket }), nothing);
  assert.equal(faults.decide('PUT', { bucket }).fault?.name, 'status');
});

test('buckets share an item, unless it names one of them', () => {
  for (const [script, delays] of /** @type {[string, number[]][]} */ ([
    ['queue=10', [0, 50, 150, 250]],
    ['queue@bucket-b=10', [0, 0, 0, 50]],
    ['latency=5ms,queue=10,PUT.queue@bucket-b=1000', [5, 55, 155, 255]],
  ])) {
    const faults = injector(script);
    const drawn = [bucket, 'bucket-b', bucket, 'bucket-b'].map((each) => faults.decide('PUT', { bucket: each }).delay);
    assert.deepEqual(drawn, delays, script);
  }
  assert.throws(() => injector('GET.queue@bucket-d=10'), {
    message: "The fault script cannot be used: 'queue@bucket-d': expected one of the buckets bucket-a, bucket-b",
  });
});

/** Arrival times of requests: non-decreasing ms. */
const arrivalTimes = fc
  .array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 200 })
  .map((gaps) => gaps.map((_, place) => gaps.slice(0, place + 1).reduce((sum, gap) => sum + gap, 0)));

test('a queue starts requests in order of arrival, never above its rate and carry-over', () => {
  fc.assert(
    fc.property(arrivalTimes, fc.integer({ min: 20, max: 2000 }), (arrivals, rate) => {
      const time = delaying(`queue=${rate}`);
      const begun = arrivals.map((now) => time(now));
      begun.forEach((_, place) => {
        assert.ok(begun[place] >= arrivals[place] && begun[place] >= (begun[place - 1] ?? 0) - 1e-6);
        for (let other = 0; other < place; other++) {
          const most = 1 + ((begun[place] - begun[other] + SAVED_MS) * rate) / 1000;
          assert.ok(place - other <= most + 1e-6, `${place - other} requests in ${begun[place] - begun[other]} ms`);
        }
      });
    }),
  );
});
