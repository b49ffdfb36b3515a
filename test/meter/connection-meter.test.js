import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionMeter } from '../../lib/meter/connection-meter.js';
import { cases } from '../helpers/cases.js';

/** Tolerance for floating-point sums in a different order. */
const ROUNDING = 1e-9;

const anyCost = fc.record({
  tcp: fc.double({ min: 0, max: 5000, noNaN: true }),
  tls: fc.option(fc.double({ min: 0, max: 5000, noNaN: true })),
});

/** @param {readonly { tcp: number, tls: number | null }[]} costs */
function meterOf(costs) {
  const meter = new ConnectionMeter();
  costs.forEach((cost) => meter.opened(cost));
  return meter;
}

test('the costs of several workers add up to those of a single worker', () => {
  fc.assert(
    fc.property(fc.array(fc.array(anyCost, { maxLength: 6 }), { maxLength: 4 }), (cores) => {
      const sum = new ConnectionMeter();
      cores.forEach((costs) => sum.addState(structuredClone(meterOf(costs).take())));
      const [{ tcp, tls }, expected] = [sum.costs(), meterOf(cores.flat()).costs()];
      for (const [told, right] of [
        [tcp, expected.tcp],
        [tls, expected.tls],
      ]) {
        assert.deepEqual(told && { ...told, mean: 0 }, right && { ...right, mean: 0 });
        assert.ok(Math.abs((told?.mean ?? 0) - (right?.mean ?? 0)) < ROUNDING * 5000);
      }
    }),
    { numRuns: cases(60) },
  );
});

test('responding data centres are counted per connection, busiest first, across workers and takes', () => {
  const meter = new ConnectionMeter();
  ['AMS', 'FRA', 'FRA'].forEach((colo) => meter.answered(colo));
  const sum = new ConnectionMeter();
  sum.answered('AMS');
  sum.answered('PRG');
  sum.answered('AMS');
  sum.addState(structuredClone(meter.take()));
  assert.deepEqual(Object.entries(sum.costs().colos ?? {}), [
    ['AMS', 3],
    ['FRA', 2],
    ['PRG', 1],
  ]);
  assert.deepEqual(meter.take().colos, {});
});
