import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { faultInjectors } from '../../lib/local-s3/fault-injector.js';
import { parseFaults } from '../../lib/local-s3/faults.js';

const SIZE = 100;

/** @import { FaultInjector } from '../../lib/local-s3/fault-injector.js' */

/**
 * @param {string} script
 * @param {() => number} [now]
 */
function injector(script, now = () => 0) {
  return injectorsOf(['bucket-a'], script, now)[0];
}

/**
 * @param {string[]} buckets
 * @param {string} script
 * @param {() => number} [now]
 */
function injectorsOf(buckets, script, now = () => 0) {
  return [...faultInjectors(parseFaults(script), buckets, now).values()];
}

/**
 * @param {FaultInjector} faults
 * @param {number} requests
 */
function namesDrawn(faults, requests) {
  return Array.from({ length: requests }, () => faults.decide('GET', SIZE).fault?.name);
}

test('the same seed draws the same faults, and another seed different ones', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.integer({ min: 20, max: 80 }), (seed, percent) => {
      const script = `reset=${percent}%,hang=50%`;
      const drawn = namesDrawn(injector(`seed=${seed},${script}`), 100);
      assert.deepEqual(namesDrawn(injector(`seed=${seed},${script}`), 100), drawn);
      assert.notDeepEqual(namesDrawn(injector(`seed=${seed + 1},${script}`), 100), drawn);
    }),
  );
});

test('faults have the frequency of the script', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.integer({ min: 0, max: 100 }), (seed, percent) => {
      const requests = 4000;
      const hits = namesDrawn(injector(`seed=${seed},reset=${percent}%`), requests).filter((name) => name === 'reset');
      const expected = (requests * percent) / 100;
      // Six standard deviations of a binomial distribution: anything beyond is a defect.
      const tolerance = 6 * Math.sqrt((expected * (100 - percent)) / 100);
      assert.ok(Math.abs(hits.length - expected) <= tolerance, `${hits.length} instead of ${expected}`);
    }),
  );
});

test('another item does not shift the draws of the others', () => {
  const alone = namesDrawn(injector('reset=10%'), 200);
  const together = namesDrawn(injector('reset=10%,hang=10%'), 200);
  assert.deepEqual(
    together.map((name) => (name === 'reset' ? name : undefined)),
    alone,
  );
});

test('the first matching item of the script wins', () => {
  assert.equal(injector('hang=100%,reset=100%').decide('PUT').fault?.name, 'hang');
  assert.equal(injector('reset=100%,hang=100%').decide('PUT').fault?.name, 'reset');
});

test('listings, batch deletions, bucket checks and missing objects are not affected', () => {
  const faults = injector('status=503:100%,latency=5ms,rate=1');
  const nothing = { delay: 0, fault: null };
  for (const operation of /** @type {const} */ (['LIST', 'POST', 'BUCKET'])) {
    assert.deepEqual(faults.decide(operation, SIZE), nothing);
    assert.equal(injector(`${operation}.status=503:100%`).decide(operation).fault?.status, 503);
  }
  assert.deepEqual(faults.decide('GET', undefined), nothing);
  assert.equal(faults.decide('PUT', undefined).fault?.status, 503);
});

test('a fault that changes a response needs something to change', () => {
  for (const name of ['truncate', 'corrupt', 'drip']) {
    assert.equal(injector(`${name}=100%`).decide('GET', 0).fault, null);
    assert.equal(injector(`${name}=100%`).decide('GET', 1).fault?.name, name);
  }
  assert.equal(injector('wrong-etag=100%').decide('HEAD').fault, null);
  assert.equal(injector('wrong-etag=100%').decide('HEAD', 0).fault?.name, 'wrong-etag');
});

test('delays are within their range and add up', () => {
  const faults = injector('latency=20ms..50ms,GET.latency=100ms');
  const delays = Array.from({ length: 500 }, () => faults.decide('GET', SIZE).delay);
  assert.ok(delays.every((delay) => delay >= 120 && delay <= 150));
  assert.ok(Math.min(...delays) < 122 && Math.max(...delays) > 148);
  assert.equal(injector('latency=7ms').decide('PUT').delay, 7);
});

test('a rate lets that many requests per second pass, and a small burst', () => {
  let time = 0;
  const faults = injector('rate=500', () => time);
  let passed = 0;
  for (; time < 10_000; time += 0.5) {
    passed += faults.decide('HEAD', SIZE).fault === null ? 1 : 0;
  }
  assert.ok(Math.abs(passed - 5000) <= 26, `${passed} passed in ten seconds`);
  const none = injector('rate=1');
  none.decide('PUT');
  const { status, code } = none.decide('PUT').fault ?? {};
  assert.deepEqual([status, code], [503, 'SlowDown']);
});

test('a queue delays requests above its rate, and refuses none', () => {
  const faults = injector('queue=10,latency=20ms');
  const decisions = Array.from({ length: 4 }, () => faults.decide('HEAD', SIZE));
  assert.deepEqual(
    decisions.map(({ delay }) => delay),
    [20, 70, 170, 270],
  );
  assert.ok(decisions.every(({ fault }) => fault === null));
});

test('all operations without a method share one queue and one bandwidth', () => {
  const faults = injector('bandwidth=1kB');
  assert.equal(faults.pace('PUT')?.(50), 50);
  assert.equal(faults.pace('GET')?.(100), 100);
  assert.equal(faults.pace('PUT')?.(50), 150);
  assert.equal(faults.pace('HEAD'), null, 'a HEAD has no body');
  const apart = injector('PUT.queue=10,GET.queue=10');
  assert.deepEqual([apart.decide('PUT').delay, apart.decide('GET', SIZE).delay, apart.decide('PUT').delay], [0, 0, 50]);
});

test('buckets share a queue, have one each with EACH, and a named one has its own', () => {
  /** @param {string} script */
  const delays = (script) => {
    const buckets = injectorsOf(['bucket-a', 'bucket-b', 'bucket-c'], script);
    return [...buckets, ...buckets].map((faults) => faults.decide('PUT').delay);
  };
  assert.deepEqual(delays('queue=10'), [0, 50, 150, 250, 350, 450]);
  assert.deepEqual(delays('queue@EACH=10'), [0, 0, 0, 50, 50, 50]);
  assert.deepEqual(delays('queue@bucket-b=10'), [0, 0, 0, 0, 50, 0]);
  assert.deepEqual(delays('queue=1000,queue@EACH=20,PUT.queue@bucket-b=10'), [0, 0, 0, 0, 50, 0]);
});

test('a rate per bucket refuses the excess in each bucket', () => {
  const buckets = injectorsOf(['bucket-a', 'bucket-b'], 'rate@EACH=1,reset@bucket-b=100%');
  /** @param {FaultInjector} faults */
  const name = (faults) => faults.decide('HEAD', SIZE).fault?.name;
  assert.deepEqual([...buckets, ...buckets].map(name), [undefined, 'reset', 'rate', 'rate']);
});

test('each bucket draws its own faults if an item is for each', () => {
  const [one, other] = injectorsOf(['bucket-a', 'bucket-b'], 'reset@EACH=50%').map((faults) => namesDrawn(faults, 100));
  assert.notDeepEqual(one, other);
});

test('rejects a script that names an unknown bucket, and lists the known ones', () => {
  assert.throws(() => injectorsOf(['bucket-a', 'bucket-b'], 'GET.queue@bucket-c=10'), {
    message: "The fault script cannot be used: 'queue@bucket-c': expected one of the buckets bucket-a, bucket-b, EACH",
  });
});

test('retry-after is sent with 503 and 429 only, in whole seconds', () => {
  /** @param {string} item */
  const retryAfter = (item) => injector(`${item},retry-after=1500ms`).decide('PUT').fault?.retryAfter;
  assert.equal(retryAfter('status=503:100%'), 2);
  assert.equal(retryAfter('status=429:100%'), 2);
  assert.equal(retryAfter('status=500:100%'), null);
  assert.equal(injector('status=503:100%').decide('PUT').fault?.retryAfter, null);
});

test('closes each connection after the scripted number of requests', () => {
  const faults = injector('close=3');
  const [one, other] = [{}, {}];
  assert.deepEqual(
    [one, one, other, one, other, other].map((connection) => faults.closesAfter('PUT', connection)),
    [false, false, false, true, false, true],
  );
  assert.equal(injector('GET.close=1').closesAfter('PUT', one), false);
});
