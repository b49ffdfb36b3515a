import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BLOCK_SECONDS, MAX_RATE, SecondPool, SecondSeries } from '../../lib/merge/seconds.js';

test('a day is a whole number of blocks, so that a shift by days moves blocks', () => {
  assert.equal(86_400 % BLOCK_SECONDS, 0);
});

test('series that share a pool keep their seconds apart, wherever these lie', () => {
  const second = fc.oneof(fc.integer({ min: -200, max: 200 }), fc.integer({ min: -200, max: 2e9 }));
  const tenths = fc.oneof(
    fc.nat(2000).map((count) => count * 10),
    fc.integer({ min: 65_530, max: 65_540 }).map((count) => count * 10),
    fc.nat(MAX_RATE * 10),
    fc.constant(MAX_RATE * 10),
  );
  const entry = fc.tuple(second, tenths);
  const seriesEntries = fc.array(fc.array(entry, { maxLength: 40 }), { maxLength: 5 });
  fc.assert(
    fc.property(seriesEntries, (all) => {
      const pool = new SecondPool();
      const made = all.map((entries) => ({ series: new SecondSeries(pool), expected: new Map(entries) }));
      made.forEach(({ series }, place) => all[place].forEach((told) => series.set(...told)));
      for (const { series, expected } of made) {
        for (const [at, value] of expected) {
          assert.equal(series.get(at), value);
        }
        assert.equal(series.get(3e9), undefined);
        const blocks = new Set([...expected.keys()].map((at) => Math.floor(at / BLOCK_SECONDS)));
        assert.deepEqual(
          series.blocks(),
          [...blocks].sort((one, other) => one - other),
        );
      }
    }),
  );
});

test('a second of zero operations is known, and none is known without a line', () => {
  const series = new SecondSeries(new SecondPool());
  series.set(100, 0);
  assert.deepEqual([series.get(100), series.get(101)], [0, undefined]);
});

test('the average of a second is that of all its lines, and the seconds beside it are what they were', () => {
  const series = new SecondSeries(new SecondPool());
  series.set(100, 10);
  series.set(101, 25);
  series.average(100, 25);
  series.average(100, 1);
  assert.deepEqual([series.get(100), series.get(101)], [12, 25]);
});

for (const { tenths, bytes } of [
  { tenths: 10, bytes: 2 },
  { tenths: 11, bytes: 4 },
]) {
  test(`a million seconds of ${tenths / 10} operations take ${bytes} bytes each, of fifty series together`, () => {
    const pool = new SecondPool();
    const before = process.memoryUsage().arrayBuffers;
    const all = Array.from({ length: 50 }, () => {
      const series = new SecondSeries(pool);
      for (let second = 0; second < 20_000; second += 1) {
        series.set(1_769_903_998 + second, tenths);
      }
      return series;
    });
    const taken = process.memoryUsage().arrayBuffers - before;
    assert.ok(taken < (bytes + 0.5) * 1e6, `${taken} bytes`);
    assert.ok(all.every((series) => series.get(1_769_904_000) === tenths));
  });
}
