import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QUANTITIES, showValue, toBase, unitNamed } from '../../lib/result/figures/quantities.js';

/** @import { QuantityName } from '../../lib/result/figures/quantities.js' */

const NAMES = /** @type {QuantityName[]} */ (Object.keys(QUANTITIES));

const quantityAndUnit = fc
  .constantFrom(...NAMES)
  .chain((quantity) => fc.tuple(fc.constant(quantity), fc.constantFrom(...Object.keys(QUANTITIES[quantity].units))));

test('limits have the units of results: ms, ops/s, bytes and shares of 1', () => {
  for (const [quantity, value, unit, expected] of /** @type {[QuantityName, number, string, number][]} */ ([
    ['time', 50, 'ms', 50],
    ['time', 1.5, 's', 1500],
    ['time', 250, 'us', 0.25],
    ['rate', 800, '', 800],
    ['throughput', 2, 'MB/s', 2 * 1024 ** 2],
    ['throughput', 2, 'MiB/s', 2 * 1024 ** 2],
    ['throughput', 3, 'KiB/s', 3072],
    ['size', 1, 'GiB', 1024 ** 3],
    ['share', 7, '%', 0.07],
    ['count', 0, '', 0],
  ])) {
    assert.equal(toBase(quantity, value, unit), expected, `${value}${unit}`);
  }
});

test('a quantity has only its own units, and no names that every object has', () => {
  for (const quantity of NAMES) {
    for (const strange of ['parsec', '__proto__', 'constructor', 'toString', 'MS', 'mb/s']) {
      assert.equal(unitNamed(quantity, strange), null, `${quantity} ${strange}`);
    }
  }
  assert.deepEqual([unitNamed('time', 'µs'), unitNamed('time', 'μs'), unitNamed('rate', 'ops/s')], ['us', 'us', '']);
});

test('a shown value is on the same side of its limit as the real one', () => {
  const figure = fc.double({ min: 0, max: 1e12, noNaN: true });
  fc.assert(
    fc.property(quantityAndUnit, figure, figure, fc.boolean(), ([quantity, unit], value, other, isClose) => {
      const limit = isClose ? value * (1 + (other / 1e12 - 0.5) * 1e-6) : other;
      const shown = Number.parseFloat(showValue(quantity, value, limit, unit));
      const [times, dividedBy] = QUANTITIES[quantity].units[unit];
      const [inUnit, edge] = [value, limit].map((each) => (each * dividedBy) / times);
      // A difference below the shown digits cannot show.
      if (Math.abs(inUnit - edge) > 1e-9 * edge && inUnit > 1e-9 && edge > 1e-9) {
        assert.equal(Math.sign(shown - edge), Math.sign(inUnit - edge), `${value} beside ${limit}`);
      }
    }),
  );
});
