import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CapacitySearch, STAGE_MS } from '../../lib/run/search/capacity-search.js';
import { cases } from '../helpers/cases.js';
import { chance } from '../helpers/chance.js';
import { runSearch } from '../helpers/simulated-store.js';

/**
 * @import { SearchOptions } from '../../lib/run/search/capacity-search.js'
 * @import { StoreModel } from '../helpers/simulated-store.js'
 */

/** Latencies that are constant, vary a little, or vary a lot. */
const LATENCIES = Object.freeze({
  fixed: (/** @type {number} */ mean) => () => mean,
  jittered: (/** @type {number} */ mean, /** @type {number} */ seed) => {
    const { uniform } = chance(seed);
    return () => mean * (0.95 + 0.1 * uniform());
  },
  exponential: (/** @type {number} */ mean, /** @type {number} */ seed) => {
    const { exponential } = chance(seed);
    return () => mean * exponential();
  },
});

/**
 * @param {StoreModel} model
 * @param {SearchOptions} options
 */
function search(model, options) {
  const peakSearch = new CapacitySearch(options);
  const steps = runSearch(peakSearch, model);
  return { steps, ...peakSearch.conclusion() };
}

/** @param {ReturnType<typeof search>} found */
function testedThreads({ steps }) {
  const tested = steps.filter(({ step: { phase } }) => phase === 'ramp' || phase === 'refine');
  return tested.map(({ step }) => step.threads).sort((one, other) => one - other);
}

/**
 * Whether the knee is as close to the truth as the tested numbers of threads allow.
 *
 * @param {ReturnType<typeof search>} found
 * @param {number} truth threads
 */
function isWithinOneStep(found, truth) {
  const tested = testedThreads(found);
  const index = tested.indexOf(/** @type {number} */ (found.knee));
  return (tested[index - 1] ?? 0) <= truth && truth <= (tested[index + 1] ?? Infinity);
}

test('a queueing store’s capacity and knee are found', () => {
  for (const [rate, latency] of [
    [500, 20],
    [1000, 20],
    [2000, 20],
    [500, 5],
    [1000, 5],
    [2000, 5],
    [300, 100],
  ]) {
    for (const [seed, kind] of /** @type {const} */ (['fixed', 'jittered']).entries()) {
      const model = { latency: LATENCIES[kind](latency, seed), rate };
      const found = search(model, { maxThreads: 256, unloadedLatency: latency * 1.05, halfSize: true });
      const label = `${rate}/s at ${latency}ms, ${kind}: ${JSON.stringify({ ...found, steps: testedThreads(found) })}`;
      assert.ok(found.hasPlateau, label);
      assert.ok(isWithinOneStep(found, (rate * latency) / 1000), label);
      assert.ok(found.capacity !== null && found.capacity.seconds === 10, label);
      assert.ok(found.capacity.low <= rate && rate <= found.capacity.high, label);
      assert.ok(found.capacity.high - found.capacity.low < 0.01 * rate, label);
    }
  }
});

test('with random latencies, the interval holds the capacity as often as it promises', () => {
  const held = Array.from({ length: 40 }, (_, seed) => {
    const model = { latency: LATENCIES.exponential(20, seed), rate: 500 };
    const { capacity } = search(model, { maxThreads: 128, unloadedLatency: 20 });
    return capacity !== null && capacity.low <= 500 && 500 <= capacity.high;
  });
  assert.ok(held.filter(Boolean).length >= 35, `${held.filter(Boolean).length} of 40`);
});

test('a store that never slows down has no plateau, and its capacity is a lower bound', () => {
  const found = search({ latency: LATENCIES.jittered(20, 1) }, { maxThreads: 100, unloadedLatency: 20 });
  assert.equal(found.hasPlateau, false);
  assert.equal(found.capacity?.threads, 100);
  assert.equal(found.knee, null);
  assert.ok(Math.abs((found.capacity?.operationsPerSecond ?? 0) - 5000) < 100);
});

const stores = fc.record({
  kind: fc.constantFrom(...Object.keys(LATENCIES)),
  latency: fc.double({ min: 1, max: 3000, noNaN: true }),
  rate: fc.oneof(fc.double({ min: 5, max: 2000, noNaN: true }), fc.constant(Infinity)),
  maxThreads: fc.integer({ min: 1, max: 100 }),
  probe: fc.double({ min: 0.7, max: 1.5, noNaN: true }),
  halfSize: fc.boolean(),
  maxOperations: fc.oneof(fc.integer({ min: 1, max: 40_000 }), fc.constant(Infinity)),
  sharesOperations: fc.boolean(),
  seed: fc.nat(1000),
});

const ROUNDING = 1e-6;

/** Its last step before the hold shows higher latencies than any step before. */
const SLOWER_AT_LAST = /** @type {const} */ ({
  kind: 'exponential',
  latency: 893,
  rate: Infinity,
  maxThreads: 53,
  probe: 0.7,
  halfSize: false,
  maxOperations: 1242,
  sharesOperations: false,
  seed: 729,
});

test('a search keeps to its time, threads and operations, whatever the store', () => {
  fc.assert(
    fc.property(stores, ({ kind, latency, rate, probe, seed, ...options }) => {
      const draw = LATENCIES[/** @type {keyof typeof LATENCIES} */ (kind)](latency, seed);
      const found = search({ latency: draw, rate }, { ...options, unloadedLatency: latency * probe });
      const sum = (/** @type {'elapsed' | 'consumed'} */ what) =>
        found.steps.reduce((total, { result }) => total + result[what], 0);
      assert.ok(sum('elapsed') <= STAGE_MS + ROUNDING, `${sum('elapsed')} ms`);
      assert.ok(sum('consumed') <= options.maxOperations, `${sum('consumed')} operations`);
      assert.ok(found.steps.every(({ step: { threads } }) => threads >= 1 && threads <= options.maxThreads));
      assert.ok(found.steps.filter(({ step: { phase } }) => phase === 'hold').length <= 1);
      assert.ok(found.capacity === null || found.capacity.low <= found.capacity.high);
    }),
    { numRuns: cases(50), examples: [[SLOWER_AT_LAST]] },
  );
});

/** Stores with enough operations per step to know its rate. */
const scriptedStores = fc.record({
  latency: fc.integer({ min: 1, max: 300 }),
  jitter: fc.constantFrom(0, 0.1, 0.3),
  rate: fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 20, max: 3000 }) }, fc.constant(Infinity)),
  maxThreads: fc.integer({ min: 1, max: 64 }),
  probe: fc.double({ min: 0.95, max: 1.1, noNaN: true }),
  halfSize: fc.boolean(),
  sharesOperations: fc.boolean(),
  seconds: fc.integer({ min: 2, max: 25 }),
  failures: fc.integer({ min: 0, max: 2 }),
  seeds: fc.tuple(fc.nat(1000), fc.nat(1000)),
});

/** Found by chance: the first search affords no step. */
const NOTHING_AFFORDED = {
  ...{ latency: 114, jitter: 0, rate: 20, maxThreads: 1, probe: 1.0964912280701755 },
  ...{ halfSize: false, sharesOperations: false, seconds: 2, failures: 2 },
  seeds: /** @type {[number, number]} */ ([0, 0]),
};

test('with the operations it asked for, a search does not ask again', () => {
  const numRuns = cases(120);
  let shortages = 0;
  fc.assert(
    fc.property(scriptedStores, ({ latency, jitter, rate, probe, seconds, failures, seeds, ...options }) => {
      const most = Math.min(rate, (1000 * options.maxThreads) / latency, 5000);
      const limited = (/** @type {number} */ seed, /** @type {number} */ maxOperations) => {
        const { uniform } = chance(seed);
        const draw = () => latency * (1 - jitter / 2 + jitter * uniform());
        const peakSearch = new CapacitySearch({ ...options, maxOperations, unloadedLatency: latency * probe });
        runSearch(peakSearch, { latency: draw, rate: Math.min(rate, 5000) }, 1 + failures);
        return peakSearch.conclusion();
      };
      const { operationsNeeded } = limited(seeds[0], Math.ceil(seconds * most));
      if (operationsNeeded !== null) {
        shortages += 1;
        const again = limited(seeds[1], operationsNeeded);
        assert.equal(again.operationsNeeded, null, `${operationsNeeded} were not enough: ${JSON.stringify(again)}`);
      }
    }),
    { numRuns, examples: [[NOTHING_AFFORDED]] },
  );
  assert.ok(shortages > numRuns / 6, `${shortages} shortages`);
});

test('a dip of the store in any one ramp step ends no search early', () => {
  for (let dipped = 1; dipped <= 4; dipped++) {
    for (const share of [0.3, 0.39, 0.7, 0.95]) {
      const peakSearch = new CapacitySearch({ maxThreads: 256, unloadedLatency: 20 });
      let step = 0;
      const rateOf = () => (++step === dipped ? share : 1) * 2000;
      const steps = runSearch(peakSearch, () => ({ latency: LATENCIES.fixed(20), rate: rateOf() }));
      const { hasPlateau, capacity, knee } = peakSearch.conclusion();
      const label = `${share} in step ${dipped}: ${JSON.stringify(steps.map(({ step: { phase, threads } }) => [phase, threads]))}`;
      assert.ok(hasPlateau && Number(knee) >= 38, label);
      assert.ok(Math.abs(Number(capacity?.operationsPerSecond) - 2000) < 20, label);
    }
  }
});

test('a plateau that begins at three quarters of the maximum threads or below is found', () => {
  for (const [maxThreads, rate, latency] of [
    [16, 500, 20],
    [16, 500, 22.5],
    [10, 70, 100],
    [64, 900, 50],
    [100, 3000, 22],
  ]) {
    const knee = (rate * latency) / 1000;
    const found = search({ latency: LATENCIES.fixed(latency), rate }, { maxThreads, unloadedLatency: latency });
    const label = `${maxThreads} threads, knee ${knee}: ${JSON.stringify({ ...found, steps: testedThreads(found) })}`;
    assert.ok(found.hasPlateau && found.limitingResource === null, label);
    assert.ok(Number(found.knee) >= 0.97 * knee && Number(found.knee) <= 0.75 * maxThreads, label);
    assert.ok(Math.abs(Number(found.capacity?.operationsPerSecond) - rate) < 0.01 * rate, label);
  }
});

test('half-size objects are tried only on a plateau', () => {
  const phases = (/** @type {boolean} */ halfSize, /** @type {number} */ rate) =>
    search({ latency: LATENCIES.fixed(20), rate }, { maxThreads: 64, unloadedLatency: 20, halfSize })
      .steps.map(({ step }) => step.phase)
      .filter((phase) => phase === 'half size').length;
  assert.equal(phases(true, 500), 2);
  assert.equal(phases(true, Infinity), 0);
  assert.equal(phases(false, 500), 0);
});

test('sizes are not compared with fewer operations than the same rate would need', () => {
  const sizes = (/** @type {number} */ maxOperations) => {
    const options = { maxThreads: 64, unloadedLatency: 100, halfSize: true, maxOperations };
    const { steps, limitingResource } = search({ latency: LATENCIES.fixed(100), rate: 200 }, options);
    assert.ok(steps.some(({ step: { phase } }) => phase === 'hold'));
    return { limitingResource, sizes: steps.filter(({ step: { phase } }) => phase.endsWith(' size')) };
  };
  const tooFew = sizes(4000);
  assert.deepEqual([tooFew.sizes.length, tooFew.limitingResource], [0, 'objects']);
  assert.deepEqual(
    sizes(5100).sizes.map(({ step: { phase }, result: { windows } }) => [phase, windows.length]),
    [
      ['whole size', 4],
      ['half size', 4],
      ['whole size', 4],
      ['half size', 4],
    ],
  );
});

test('a hold above everything seen before contradicts the plateau', () => {
  const peakSearch = new CapacitySearch({ maxThreads: 64, unloadedLatency: 20 });
  const rates = { ramp: 300, refine: 300, hold: 450, 'whole size': 300, 'half size': 300 };
  const taken = { elapsed: 1000, consumed: 400, attempts: 400, throttled: 0, latency: { mean: 1, p50: 1 } };
  for (let step = peakSearch.next(null); step !== null;) {
    const windows = Array.from({ length: step.minDuration / 250 }, () => rates[step?.phase ?? 'hold'] / 4);
    step = peakSearch.next({ ...taken, windows });
  }
  assert.deepEqual(
    [peakSearch.conclusion().hasPlateau, peakSearch.conclusion().capacity?.operationsPerSecond],
    [false, 450],
  );
});

test('the search ends if a store answers nothing', () => {
  const peakSearch = new CapacitySearch({ maxThreads: 64, unloadedLatency: 20 });
  peakSearch.next(null);
  const windows = [0, 0, 0, 0];
  const silence = { elapsed: 2000, consumed: 4, attempts: 4, throttled: 0, windows, latency: null };
  assert.equal(peakSearch.next(silence), null);
  assert.deepEqual([peakSearch.conclusion().knee, peakSearch.conclusion().capacity], [null, null]);
});
