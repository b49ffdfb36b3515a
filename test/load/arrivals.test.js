import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Arrivals } from '../../lib/load/loops.js';

/** @import { Pacing } from '../../lib/load/loops.js' */

/** @param {Partial<Pacing>} [overrides] */
function arrivals(overrides = {}) {
  return new Arrivals({ rate: 100, arrival: 'constant', seed: 'run-1', ...overrides });
}

test('constant arrivals are evenly spaced at the rate, without drift', () => {
  const anyRate = fc.double({ min: 0.1, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(anyRate, fc.nat(1e9), (rate, number) => {
      const expected = (number / rate) * 1000;
      assert.ok(Math.abs(arrivals({ rate }).timeOf(number) - expected) <= expected * 1e-12);
    }),
  );
});

test('random arrivals depend only on their number and the seed, whichever worker asks', () => {
  const numbers = fc
    .uniqueArray(fc.nat(500), { minLength: 1, maxLength: 50 })
    .map((some) => some.sort((a, b) => a - b));
  fc.assert(
    fc.property(numbers, fc.string(), (asked, seed) => {
      const all = arrivals({ arrival: 'poisson', seed });
      const times = Array.from({ length: 501 }, (_, number) => all.timeOf(number));
      const some = arrivals({ arrival: 'poisson', seed });
      assert.deepEqual(
        asked.map((number) => some.timeOf(number)),
        asked.map((number) => times[number]),
      );
      times.slice(1).forEach((time, index) => assert.ok(time > times[index]));
    }),
  );
});

test('random arrivals are exponentially distributed with the mean of the rate', () => {
  const random = arrivals({ arrival: 'poisson' });
  const count = 50_000;
  const times = Array.from({ length: count + 1 }, (_, number) => random.timeOf(number));
  const gaps = times.slice(1).map((time, index) => time - times[index]);
  // Mean and standard deviation are 10 ms, so the mean of 50,000 is within 0.18 ms at four standard errors.
  assert.ok(Math.abs(times[count] / count - 10) < 0.18, String(times[count] / count));
  const share = gaps.filter((gap) => gap > 10).length / count;
  assert.ok(Math.abs(share - Math.exp(-1)) < 0.01, String(share));
});
