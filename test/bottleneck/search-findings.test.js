import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketBottleneck, rateBottleneck } from '../../lib/bottleneck/search-findings.js';

/**
 * @import { Bottleneck, ClientLoad } from '../../lib/model/result.js'
 * @import { BucketConclusion, RateConclusion } from '../../lib/model/search.js'
 */

/** @param {Bottleneck['cause']} cause @returns {Bottleneck} */
const named = (cause) => ({ cause, certainty: 'proven', evidence: 'of the step', advice: null });

/** @param {number} operationsPerSecond */
function rate(operationsPerSecond) {
  return { operationsPerSecond, low: operationsPerSecond, high: operationsPerSecond, confidence: 0.95 };
}

/** @param {Partial<BucketConclusion>} found */
function overBuckets(found) {
  const steps = [
    { buckets: 1, threads: 8, rate: rate(400) },
    { buckets: 2, threads: 16, rate: rate(800) },
  ];
  return /** @type {BucketConclusion} */ ({ steps, reason: null, needed: null, threadsPerBucket: 8, ...found });
}

/** @param {Partial<RateConclusion>} [found] */
function overRates(found) {
  return /** @type {RateConclusion} */ ({ bound: 'exact', rate: 400, isClientLimited: false, ...found });
}

const clientLoad = /** @type {ClientLoad} */ ({ eventLoopUtilization: 0.1 });

test('a limit over buckets is that of the store, or beyond this host', () => {
  const ofEach = bucketBottleneck(overBuckets({ limit: 'per bucket' }), named('inconclusive'), false);
  assert.equal(ofEach.cause, 'store');
  const ofAll = bucketBottleneck(overBuckets({ limit: 'whole store' }), named('inconclusive'), false);
  assert.equal(ofAll.cause, 'beyond this host');
});

test('a host with too little CPU keeps a limit over buckets from being blamed on the store', () => {
  for (const limit of /** @type {const} */ (['per bucket', 'whole store'])) {
    const found = bucketBottleneck(overBuckets({ limit }), named('inconclusive'), true);
    const { evidence, advice } = found;
    assert.deepEqual([found.cause, found.certainty], ['host CPU', 'likely']);
    assert.equal(evidence, '2 buckets did 2.00 times as much as one, 800.0 ops/s, but this host had too little CPU');
    assert.equal(advice, 'a host with more CPU');
    assert.deepEqual(bucketBottleneck(overBuckets({ limit }), named('host CPU'), true), named('host CPU'));
  }
});

test('an inconclusive search over buckets gives its reason', () => {
  const found = overBuckets({ limit: 'inconclusive', reason: 'in between' });
  assert.equal(bucketBottleneck(found, named('store'), false).cause, 'inconclusive');
});

test('a rate above which answers are late is a limit beyond this host, unless the host had too little CPU', () => {
  const broken = { slo: 50, isByErrors: false };
  const shown = { bottleneck: named('inconclusive'), clientLoad };
  const found = rateBottleneck(overRates(), shown, { ...broken, isBusy: false });
  assert.deepEqual(
    [found.cause, found.evidence],
    ['beyond this host', 'responses took longer than 50.00ms at rates above about 400.0/s, event loop 10% busy'],
  );
  const busy = rateBottleneck(overRates(), shown, { ...broken, isBusy: true });
  assert.deepEqual(
    [busy.cause, busy.evidence],
    [
      'beyond this host',
      'responses took longer than 50.00ms at rates above about 400.0/s, but this host had too little CPU',
    ],
  );
  const full = { bottleneck: named('client CPU'), clientLoad };
  assert.deepEqual(rateBottleneck(overRates(), full, { ...broken, isBusy: true }), named('client CPU'));
});

test('a rate that this host missed, although its event loops had time left, takes more threads', () => {
  const broken = { slo: 50, isByErrors: false, isBusy: false };
  const missed = overRates({ bound: 'at least', isClientLimited: true });
  const causeOf = (/** @type {number} */ eventLoopUtilization, isBusy = false) => {
    const load = /** @type {ClientLoad} */ ({ eventLoopUtilization });
    const { cause, certainty } = rateBottleneck(
      missed,
      { bottleneck: named('inconclusive'), clientLoad: load },
      { ...broken, isBusy },
    );
    return `${certainty} ${cause}`;
  };
  assert.deepEqual(
    [causeOf(0.1), causeOf(0.8), causeOf(0.1, true)],
    ['likely concurrency', 'unknown inconclusive', 'likely host CPU'],
  );
});
