import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SAVED_MS } from '../../lib/local-s3/fault-effects.js';
import { faultInjectors } from '../../lib/local-s3/fault-injector.js';
import { parseFaults } from '../../lib/local-s3/faults.js';

/**
 * @import { FaultInjector } from '../../lib/local-s3/fault-injector.js'
 * @import { Operation } from '../../lib/local-s3/router.js'
 */

const SIZE = 100;

/**
 * @param {string} script
 * @param {{ buckets?: string[], now?: () => number }} [choice]
 * @returns {FaultInjector[]} by bucket
 */
function injectors(script, { buckets = ['bucket-a'], now = () => 0 } = {}) {
  return [...faultInjectors(parseFaults(script), buckets, now).values()];
}

/**
 * @param {string} script
 * @param {number} requests
 */
function namesDrawn(script, requests) {
  const [faults] = injectors(script);
  return Array.from({ length: requests }, () => faults.decide('GET', SIZE).fault?.name);
}

/**
 * @param {string} script of delays
 * @returns {(now: number, operation?: Operation) => number} when a request that arrives at `now` takes effect
 */
function delaying(script) {
  let time = 0;
  const [faults] = injectors(script, { now: () => time });
  return (now, operation = 'PUT') => {
    time = now;
    return now + faults.decide(operation, SIZE).delay;
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
  const [faults] = injectors('status=503:100%,latency=5ms,rate=1');
  const nothing = { delay: 0, fault: null };
  for (const operation of /** @type {const} */ (['LIST', 'POST', 'BUCKET'])) {
    assert.deepEqual(faults.decide(operation, SIZE), nothing);
    assert.equal(injectors(`${operation}.status=503:100%`)[0].decide(operation).fault?.status, 503);
  }
  assert.deepEqual(faults.decide('GET', undefined), nothing);
  assert.equal(faults.decide('PUT', undefined).fault?.status, 503);
});

test('a rate lets that many requests per second pass, and a small burst', () => {
  let time = 0;
  const [faults] = injectors('rate=500', { now: () => time });
  let passed = 0;
  for (; time < 10_000; time += 0.5) {
    const { fault } = faults.decide('HEAD', SIZE);
    passed += fault === null ? 1 : 0;
    assert.ok(fault === null || (fault.status === 503 && fault.code === 'SlowDown'));
  }
  assert.ok(Math.abs(passed - 5000) <= 26, `${passed} passed in ten seconds`);
});

test('buckets share an item, have one each with EACH, and a named one has its own', () => {
  const buckets = ['bucket-a', 'bucket-b', 'bucket-c'];
  const twice = (/** @type {string} */ script) => {
    const faults = injectors(script, { buckets });
    return [...faults, ...faults];
  };
  for (const [script, delays] of /** @type {[string, number[]][]} */ ([
    ['queue=10', [0, 50, 150, 250, 350, 450]],
    ['queue@EACH=10', [0, 0, 0, 50, 50, 50]],
    ['queue@bucket-b=10', [0, 0, 0, 0, 50, 0]],
    ['queue=1000,queue@EACH=20,PUT.queue@bucket-b=10', [0, 0, 0, 0, 50, 0]],
  ])) {
    assert.deepEqual(
      twice(script).map((faults) => faults.decide('PUT').delay),
      delays,
    );
  }
  const names = twice('rate@EACH=1,reset@bucket-b=100%').map((faults) => faults.decide('HEAD', SIZE).fault?.name);
  assert.deepEqual(names, [undefined, 'reset', undefined, 'rate', 'rate', 'rate']);
  const [one, other] = injectors('reset@EACH=50%', { buckets }).map((faults) =>
    Array.from({ length: 100 }, () => faults.decide('PUT').fault?.name),
  );
  assert.notDeepEqual(one, other);
  assert.throws(() => injectors('GET.queue@bucket-d=10', { buckets }), {
    message:
      "The fault script cannot be used: 'queue@bucket-d': expected one of the buckets bucket-a, bucket-b, bucket-c, EACH",
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

test('bodies share a bandwidth, part by part, and none is faster than it would be alone, or slowed by late parts', () => {
  let now = 0;
  const faultsWith = (/** @type {string} */ script) => injectors(script, { now: () => now })[0];
  const shared = faultsWith('bandwidth=1MB');
  const paces = [shared.pace('PUT'), shared.pace('GET')];
  const passed = [0, 0];
  for (let part = 0; part < 20; part += 1) {
    paces.forEach((pace, place) => {
      now = passed[place];
      passed[place] = now + (pace?.(100_000) ?? 0);
    });
  }
  // Four megabytes together, minus the carry-over.
  assert.ok(Math.abs(passed[0] - 3850) < 1e-6 && Math.abs(passed[1] - 3950) < 1e-6, `${passed}`);
  assert.equal(shared.pace('HEAD'), null, 'a HEAD has no body');

  now = 0;
  const pace = faultsWith('bandwidth=1MB').pace('GET');
  let last = 0;
  for (let part = 0; part < 100; part += 1) {
    now = last + 1.5;
    last = now + (pace?.(65_536) ?? 0);
  }
  assert.ok(Math.abs(last - 6553.6) < 1e-6, `${last}`);
});
