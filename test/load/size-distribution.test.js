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
} from '../../lib/load/workload/size-distribution.js';

/** @import { SizeDistribution } from '../../lib/result/config.js' */

const bytes = fc.integer({ min: 1, max: 5 * 2 ** 30 });

/** Every distribution that can be expressed. @type {fc.Arbitrary<SizeDistribution>} */
const distributions = fc.oneof(
  fc
    .uniqueArray(bytes, { minLength: 2, maxLength: 2 })
    .map((ends) => ends.toSorted((one, other) => one - other))
    .map(([min, max]) => ({ kind: /** @type {const} */ ('log-uniform'), min, max })),
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
  const written = ['4096..1024KiB', '8MiB=10,4096=60, 256KiB=30'].map((text) =>
    formatSizes(/** @type {SizeDistribution} */ (parseSizes(text))),
  );
  assert.deepEqual(written, ['4KiB..1MiB', '4KiB=60,256KiB=30,8MiB=10']);
});

test('a single size is a number of bytes, as before', () => {
  assert.deepEqual(['16KiB', '0', '1.5MB'].map(parseSizes), [16384, 0, 1_500_000]);
  assert.equal(sizeText({ size: 16384 }), '16KiB');
  assert.equal(sizeText({ size: 2 ** 20, sizes: { kind: 'log-uniform', min: 4096, max: 2 ** 20 } }), '4KiB..1MiB');
});

test('rejects anything else with what was expected', () => {
  const refused = [
    ...['4KiB..', '..4KiB', '4KiB..4KiB', '1MiB..4KiB', '0..4KiB', '1KiB..2KiB..3KiB', '4KiB...1MiB'],
    'lognormal:64KiB:1.5',
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

test('means match the formulas', () => {
  const meanOf = (/** @type {string} */ text) =>
    meanOver(/** @type {SizeDistribution} */ (parseSizes(text)), (size) => size);
  assert.equal(meanOf('1000=60,10000=40'), 4600);
  const uniform = (2 ** 20 - 2 ** 12) / Math.log(2 ** 20 / 2 ** 12);
  assert.ok(Math.abs(meanOf('4KiB..1MiB') / uniform - 1) < 1e-3);
});
