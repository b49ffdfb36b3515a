import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LatencyHistogram } from '../../lib/measure/latency-histogram.js';
import { addRecords } from '../../lib/result/add.js';
import { SCHEMA } from '../../lib/result/schema.js';
import { cases } from '../helpers/cases.js';

/** @import { RampResult, RampStep } from '../../lib/result/result.js' */

const START = 1_700_000_000;

/**
 * @param {number} slot
 * @param {readonly number[]} operations
 * @param {Partial<RampStep>} [overrides]
 * @returns {RampStep} with latencies of 5 ms
 */
function stepOf(slot, operations, overrides = {}) {
  const latencies = new LatencyHistogram();
  operations.forEach((count) => Array.from({ length: count }, () => latencies.record(5)));
  return {
    slotStart: START + 4 * slot,
    slotSeconds: 4,
    hosts: 1,
    threads: 4,
    secondStart: START + 4 * slot + 1,
    operations,
    latency: latencies.summary(),
    histogram: operations.every((count) => count === 0) ? null : latencies.encode(),
    errors: 0,
    throttled: 0,
    shortfall: null,
    ...overrides,
  };
}

const anyRamp = fc
  .uniqueArray(
    fc.record({
      slot: fc.nat(4),
      operations: fc.tuple(fc.nat(30), fc.nat(30)),
      threads: fc.nat(9),
      errors: fc.nat(3),
      shortfall: fc.constantFrom(null, null, null, 'late', 'objects', 'stopped'),
    }),
    { selector: ({ slot }) => slot, minLength: 1 },
  )
  .map((steps) => {
    const ofSlots = steps.map(({ slot, operations, ...rest }) =>
      stepOf(slot, operations, /** @type {Partial<RampStep>} */ ({ ...rest, hosts: Number(rest.threads > 0) })),
    );
    return /** @type {RampResult} */ ({
      steps: ofSlots.sort((one, other) => one.slotStart - other.slotStart),
    });
  });

/** @param {readonly RampResult[]} ramps */
function addRamps(ramps) {
  return addRecords(SCHEMA.$defs.ramp, ramps);
}

test('loses no operation, error or latency of a slot, and counts none twice', () => {
  fc.assert(
    fc.property(fc.array(anyRamp, { minLength: 1, maxLength: 4 }), (ramps) => {
      const sum = addRamps(ramps);
      const all = ramps.flatMap(({ steps }) => steps);
      for (const step of sum.steps) {
        const same = all.filter(({ slotStart }) => slotStart === step.slotStart);
        step.operations.forEach((count, second) => {
          assert.equal(
            count,
            same.reduce((total, { operations }) => total + operations[second], 0),
          );
        });
        assert.equal(
          step.errors,
          same.reduce((total, { errors }) => total + errors, 0),
        );
        const operations = step.operations.reduce((total, count) => total + count, 0);
        assert.equal(step.latency?.count ?? 0, operations);
      }
      assert.equal(sum.steps.length, new Set(all.map(({ slotStart }) => slotStart)).size);
    }),
    { numRuns: cases(60) },
  );
});
