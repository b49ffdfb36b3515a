import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LatencyHistogram, SecondLatencies } from '../../lib/measure/latency-histogram.js';

const anyValue = fc.record({ step: fc.nat(2), latency: fc.integer({ min: 1, max: 50_000 }) });

test('each second has the latencies recorded in it, and none is lost or reported twice', () => {
  fc.assert(
    fc.property(fc.array(anyValue, { maxLength: 60 }), fc.nat(5), (values, first) => {
      const whole = new LatencyHistogram();
      const latencies = new SecondLatencies(whole, first);
      /** @type {Map<number, number[]>} */
      const expected = new Map();
      let second = first;
      for (const { step, latency } of values) {
        second += step;
        latencies.advance(second);
        whole.record(latency);
        expected.set(second, [...(expected.get(second) ?? []), latency]);
      }
      for (let each = first; each <= second + 1; each++) {
        const own = expected.get(each);
        const taken = latencies.take(each);
        assert.equal(taken?.count ?? 0, own?.length ?? 0);
        if (own !== undefined) {
          const { mean = 0, maximum = 0 } = taken?.summary() ?? {};
          assert.ok(Math.abs(mean - own.reduce((sum, one) => sum + one, 0) / own.length) < 1e-6 * mean);
          assert.ok(Math.abs(maximum - Math.max(...own)) <= 0.001 * maximum);
        }
        assert.equal(latencies.take(each), null);
      }
    }),
  );
});

test('a late value counts in the current second and does not end it', () => {
  const whole = new LatencyHistogram();
  const latencies = new SecondLatencies(whole, 5);
  for (const second of [5, 4, 5]) {
    latencies.advance(second);
    whole.record(10);
  }
  assert.equal(latencies.take(5)?.count, 3);
  assert.equal(latencies.take(4), null);
});
