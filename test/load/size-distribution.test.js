import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatSizes,
  largestSize,
  meanOver,
  parseSizes,
  sizeQuantile,
  sizeText,
  smallestSize,
  typicalSize,
} from '../../lib/load/workload/size-distribution.js';

/** @import { SizeDistribution } from '../../lib/result/config.js' */

const bytes = fc.integer({ min: 1, max: 5 * 2 ** 30 });

/** Every distribution that can be expressed. @type {fc.Arbitrary<SizeDistribution>} */
const distributions = fc.oneof(
  fc
    .uniqueArray(bytes, { minLength: 2, maxLength: 2 })
    .map((ends) => ends.toSorted((one, other) => one - other))
    .map(([min, max]) => ({ kind: /** @type {const} */ ('log-uniform'), min, max })),
  fc.record(
    {
      kind: fc.constant(/** @type {const} */ ('lognormal')),
      median: bytes,
      sigma: fc.integer({ min: 1, max: 4000 }).map((thousandths) => thousandths / 1000),
    },
    { noNullPrototype: true },
  ),
  fc
    .uniqueArray(
      fc.record(
        { bytes: fc.nat(5 * 2 ** 30), weight: fc.integer({ min: 1, max: 999_999 }) },
        { noNullPrototype: true },
      ),
      {
        selector: ({ bytes: size }) => size,
        minLength: 2,
        maxLength: 6,
      },
    )
    .map((sizes) => ({
      kind: /** @type {const} */ ('weighted'),
      sizes: sizes.toSorted((one, other) => one.bytes - other.bytes),
    })),
);

test('reads back a formatted distribution', () => {
  fc.assert(
    fc.property(distributions, (distribution) => {
      const text = formatSizes(distribution);
      assert.deepEqual(parseSizes(text), distribution);
      assert.equal(formatSizes(/** @type {SizeDistribution} */ (parseSizes(text))), text);
    }),
  );
});

test('formats every notation of a distribution in the same way', () => {
  const written = ['4096..1024KiB', 'lognormal:64kib:1.50', '8MiB=10,4096=60, 256KiB=30'].map((text) =>
    formatSizes(/** @type {SizeDistribution} */ (parseSizes(text))),
  );
  assert.deepEqual(written, ['4KiB..1MiB', 'lognormal:64KiB:1.5', '4KiB=60,256KiB=30,8MiB=10']);
});

test('a single size is a number of bytes, as before', () => {
  assert.deepEqual(['16KiB', '0', '1.5MB'].map(parseSizes), [16384, 0, 1_500_000]);
  assert.equal(sizeText({ size: 16384 }), '16KiB');
  assert.equal(sizeText({ size: 2 ** 20, sizes: { kind: 'log-uniform', min: 4096, max: 2 ** 20 } }), '4KiB..1MiB');
});

test('rejects anything else with what was expected', () => {
  const refused = [
    ...['4KiB..', '..4KiB', '4KiB..4KiB', '1MiB..4KiB', '0..4KiB', '1KiB..2KiB..3KiB', '4KiB...1MiB'],
    ...['lognormal:64KiB', 'lognormal:64KiB:0', 'lognormal:64KiB:4.1', 'lognormal:0:1', 'normal:64KiB:1'],
    ...['lognormal:64KiB:1.5:2', 'lognormal:64KiB:NaN'],
    ...['4KiB=60', '4KiB=60,4096=40', '4KiB=0,8KiB=1', '4KiB=x,8KiB=1', '4KiB=60,', '4KiB=60,8KiB', '4KiB=-1,8KiB=2'],
    Array.from({ length: 11 }, (_, place) => `${place}KiB=1`).join(','),
    Array.from({ length: 8 }, (_, place) => `${5_000_000_000 + place}=999999`).join(','),
  ];
  for (const text of refused) {
    assert.throws(
      () => parseSizes(text),
      (/** @type {Error} */ error) => error instanceof RangeError && error.message.startsWith('expected'),
      text,
    );
  }
});

test('no size is outside the bounds, and larger shares never have smaller sizes', () => {
  const shares = fc.tuple(
    fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  );
  fc.assert(
    fc.property(distributions, shares, (distribution, both) => {
      const quantile = sizeQuantile(distribution);
      const [less, more] = both.toSorted((one, other) => one - other).map(quantile);
      assert.ok(Number.isSafeInteger(less) && Number.isSafeInteger(more));
      assert.ok(smallestSize(distribution) <= less && less <= more && more <= largestSize(distribution));
    }),
  );
});

test('the extremes of a log-normal distribution are 3.09 sigma from its median', () => {
  const distribution = /** @type {SizeDistribution} */ (parseSizes('lognormal:64KiB:1.5'));
  const reach = Math.exp(1.5 * 3.090232306167813);
  assert.ok(Math.abs(largestSize(distribution) / (65536 * reach) - 1) < 0.001);
  assert.ok(Math.abs(smallestSize(distribution) / (65536 / reach) - 1) < 0.001);
  assert.equal(typicalSize({ size: 0, sizes: distribution }), 65536);
});

test('means match the formulas', () => {
  const meanOf = (/** @type {string} */ text) =>
    meanOver(/** @type {SizeDistribution} */ (parseSizes(text)), (size) => size);
  assert.equal(meanOf('1000=60,10000=40'), 4600);
  const uniform = (2 ** 20 - 2 ** 12) / Math.log(2 ** 20 / 2 ** 12);
  assert.ok(Math.abs(meanOf('4KiB..1MiB') / uniform - 1) < 1e-3);
  // Both tails lack a thousandth, of which the upper one weighs more: Φ(3.09 - 0.5) - Φ(-3.09 - 0.5), over 0.998.
  const lognormal = (65536 * Math.exp(0.5 ** 2 / 2) * (0.995207 - 0.000165)) / 0.998;
  assert.ok(Math.abs(meanOf('lognormal:64KiB:0.5') / lognormal - 1) < 1e-3);
});
