import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeRamps } from '../../lib/result/merge/ramp.js';
import { formatRamp } from '../../lib/report/merge-text.js';
import { cases } from '../helpers/cases.js';

/**
 * @import { MergedRamp, RampResult, RampShortfall, RampStep } from '../../lib/result/result.js'
 * @import { StageRamp } from '../../lib/result/merge/hosts.js'
 */

const START = 1_700_000_000;
const SLOT_SECONDS = 10;

/** A shortfall, or a step that the log lacks. @typedef {RampShortfall | 'cut'} Trouble */

/**
 * @param {object} load
 * @param {readonly number[][]} load.threads of each host, by slot
 * @param {(slot: number, active: readonly number[]) => number[]} load.rates ops/s per host, given its threads in a slot
 * @param {Readonly<Record<string, Trouble>>} [load.troubles] by host and slot, such as `1 0`
 * @returns {StageRamp[]}
 */
function hostsOf({ threads, rates, troubles = {} }) {
  return threads.map((ofHost, host) => {
    const steps = ofHost.flatMap((count, slot) => {
      const trouble = troubles[`${host} ${slot}`] ?? null;
      const active = threads.map((each, other) => (troubles[`${other} ${slot}`] === undefined ? each[slot] : 0));
      const rate = trouble === null ? rates(slot, active)[host] : 0;
      return trouble === 'cut' ? [] : [stepOf(slot, count, rate, trouble)];
    });
    /** @type {RampResult} */
    const ramp = { steps };
    return { host: `host-${host}`, ramp };
  });
}

/**
 * @param {number} slot
 * @param {number} threads
 * @param {number} rate
 * @param {RampShortfall | null} shortfall
 * @returns {RampStep}
 */
function stepOf(slot, threads, rate, shortfall) {
  const slotStart = START + SLOT_SECONDS * slot;
  const isIn = threads > 0 && shortfall !== 'late';
  // Rounding carries over to the next second, so that the sum is exact.
  const operations = Array.from(
    { length: 8 },
    (_, second) => Math.floor((second + 1) * rate) - Math.floor(second * rate),
  );
  return {
    slotStart,
    slotSeconds: SLOT_SECONDS,
    hosts: Number(isIn),
    threads: isIn ? threads : 0,
    secondStart: slotStart + 1,
    operations,
    latency: null,
    histogram: null,
    errors: Number(isIn),
    throttled: 0,
    shortfall,
  };
}

/**
 * @param {{ each: number, limit: number }} store ops/s of a single thread, and of all hosts together
 * @returns {(slot: number, active: readonly number[]) => number[]}
 */
function storeWith({ each, limit }) {
  return (_, active) => {
    const sum = active.reduce((total, threads) => total + threads, 0);
    return active.map((threads) => (sum === 0 ? 0 : threads * Math.min(each, limit / sum)));
  };
}

/**
 * @param {readonly StageRamp[]} hosts
 * @param {boolean} [shardIsMissing]
 */
function merged(hosts, shardIsMissing = false) {
  const result = mergeRamps(hosts, shardIsMissing);
  assert.ok(result !== null);
  return { ...result, text: formatRamp(result) };
}

const STEPS = [8, 16, 32, 64, 128];
const STORE = storeWith({ each: 20, limit: 1500 });

/** There is a plateau if the last threads add less than this. */
const MIN_GROWTH = 1.03;

/** @param {MergedRamp} ramp */
function countingSlots({ slots }) {
  return slots.flatMap(({ counts }, index) => (counts ? [index] : []));
}

test('sums match the seconds, and no capacity is above the limit, whatever hosts, threads and limit', () => {
  const anyHosts = fc.record({
    hosts: fc.integer({ min: 1, max: 5 }),
    each: fc.integer({ min: 5, max: 50 }),
    limit: fc.integer({ min: 200, max: 20_000 }),
  });
  fc.assert(
    fc.property(anyHosts, ({ hosts, each, limit }) => {
      const threads = Array.from({ length: hosts }, () => STEPS);
      const { ramp, merged: found } = merged(hostsOf({ threads, rates: storeWith({ each, limit }) }));
      ramp.steps.forEach(({ operations, errors }, slot) => {
        assert.equal(errors, hosts);
        const mean = operations.reduce((sum, count) => sum + count, 0) / operations.length;
        assert.equal(found.slots[slot].operationsPerSecond, mean);
        assert.ok(Math.abs(mean - Math.min(limit, hosts * STEPS[slot] * each)) <= hosts + 1);
      });
      assert.ok(Number(found.capacity?.operationsPerSecond) <= limit + hosts + 1);
      const [before, last] = STEPS.slice(-2).map((count) => Math.min(limit, hosts * count * each));
      // A small increase may fall on either side, so the knee may or may not be below the last step.
      if (last === before || last / before > MIN_GROWTH + 0.01) {
        assert.equal(found.hasPlateau, last === before);
      }
    }),
    { numRuns: cases(60), examples: [[{ hosts: 3, each: 42, limit: 8065 }], [{ hosts: 2, each: 47, limit: 6078 }]] },
  );
});

test('a killed host leaves no false plateau: slots without it do not count', () => {
  // If the slots after its end counted, their sum would seem to level off.
  const threads = [STEPS, STEPS, STEPS];
  const troubles = { '2 3': /** @type {const} */ ('cut'), '2 4': /** @type {const} */ ('cut') };
  const { merged: ramp, text } = merged(hostsOf({ threads, rates: storeWith({ each: 20, limit: 1e6 }), troubles }));
  assert.deepEqual(countingSlots(ramp), [0, 1, 2]);
  assert.equal(ramp.hasPlateau, false);
  assert.deepEqual(ramp.missing, [{ host: 'host-2', slots: [START + 30, START + 40], shortfalls: [null, null] }]);
  assert.match(text[4], / host-2 left no record of it in its log$/);
  assert.match(
    text.slice(-2).join(' '),
    /^Ramp: capacity at least .* with 96 threads, without a plateau .*: use more threads.*; 3 of 5 slots count/,
  );
});

test('the limit is found in the slots that all hosts share, if one host came late and one was killed', () => {
  const steps = [8, 16, 32, 64, 128, 256];
  const troubles = {
    ...{ '0 0': /** @type {const} */ ('late'), '0 1': /** @type {const} */ ('late') },
    ...{ '1 5': /** @type {const} */ ('cut') },
  };
  const { merged: ramp, text } = merged(hostsOf({ threads: [steps, steps, steps], rates: STORE, troubles }));
  assert.deepEqual(countingSlots(ramp), [2, 3, 4]);
  assert.equal(ramp.hasPlateau, true);
  assert.ok(Math.abs(Number(ramp.capacity?.operationsPerSecond) - 1500) < 3);
  assert.deepEqual(
    [ramp.slots[0].threads, ramp.slots[0].hosts],
    [16, 2],
    'a host that skipped the step is not in the sum',
  );
  assert.match(text[1], / host-0 started late$/);
});

test('a host without objects for the stage takes part in no slot and spoils none', () => {
  const [one, other] = hostsOf({ threads: [STEPS, STEPS], rates: STORE });
  const steps = STEPS.map((_, slot) => stepOf(slot, 0, 0, 'objects'));
  const { merged: ramp } = merged([one, { ...other, ramp: { steps } }]);
  assert.equal(countingSlots(ramp).length, STEPS.length);
});

test('hosts with different slots have none in common', () => {
  const [one, other] = hostsOf({ threads: [STEPS, STEPS], rates: STORE });
  const steps = other.ramp?.steps.map((step) => ({
    ...step,
    slotStart: step.slotStart + 3,
    secondStart: step.secondStart + 3,
  }));
  const { merged: ramp } = merged([one, { ...other, ramp: { steps: steps ?? [] } }]);
  assert.deepEqual([ramp.slots.length, countingSlots(ramp)], [10, []]);
});
