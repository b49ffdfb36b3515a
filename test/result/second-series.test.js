import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SecondSeries } from '../../lib/result/second-series.js';

const anySecond = fc.oneof(fc.integer({ min: -200, max: 200 }), fc.integer({ min: -200, max: 2e9 }));
const anyRate = fc.oneof(
  fc.nat(2000),
  fc.nat(4e8).map((tenths) => tenths / 10),
);
const entries = fc.uniqueArray(fc.tuple(anySecond, anyRate, fc.nat(2 ** 40)), { selector: ([second]) => second });

test('the seconds of a series keep their order, counts and bytes, however sparse', () => {
  fc.assert(
    fc.property(entries, fc.boolean(), (all, isUniform) => {
      const series = new SecondSeries();
      const seconds = all.map(([secondStart, operations, bytes]) => ({
        secondStart,
        operations,
        bytes: isUniform ? Math.round(operations * 10) * 1024 : bytes,
      }));
      for (const { secondStart, operations, bytes } of seconds) {
        series.add(secondStart, operations, true);
        series.setBytes(secondStart, bytes);
      }
      const read = [...series].map(({ secondStart, operations, bytes }) => ({ secondStart, operations, bytes }));
      assert.deepEqual(
        read,
        seconds.toSorted((one, other) => one.secondStart - other.secondStart),
      );
      assert.equal(series.get(3e9), undefined);
    }),
  );
});

test('reports a gap of counts after one second, of rates after three', () => {
  const series = new SecondSeries();
  const found = [100, 102, 105, 109].map((second, place) => series.add(second, 1, place === 1));
  assert.deepEqual(found, [null, 'gap', null, 'gap']);
  assert.equal(series.add(200, 1e12, true), 'impossible');
});

test('a series moves by days with all data of its seconds', () => {
  const series = new SecondSeries();
  series.add(100, 5, true);
  series.add(101, 2, true);
  series.setBytes(100, 50);
  series.setBytes(101, 999);
  series.setDetails(101, { failedAttempts: 3, throttled: 1 });
  series.move(-86_400);
  assert.deepEqual(
    [...series].map(({ secondStart, bytes, failedAttempts }) => [secondStart, bytes, failedAttempts]),
    [
      [100 - 86_400, 50, undefined],
      [101 - 86_400, 999, 3],
    ],
  );
  assert.deepEqual(series.extent, { first: 100 - 86_400, last: 101 - 86_400 });
});
