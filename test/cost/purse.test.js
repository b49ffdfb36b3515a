import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Purse, nanodollars } from '../../lib/cost/purse.js';

test('prices are whole nanodollars, rounded up', () => {
  assert.deepEqual([4.5e-6, 0.36e-6, 4.5e-9, 0, 0.1, 12.345678].map(nanodollars), [
    ...[4500n, 360n, 5n, 0n, 100_000_000n, 12_345_678_000n],
  ]);
});

test('never takes more than is left, whoever takes it, and a request that is too expensive takes nothing', () => {
  const amounts = fc.array(fc.bigInt({ min: 0n, max: 5000n }), { maxLength: 100 });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100 }), amounts, (micros, asked) => {
      const purse = Purse.of(micros / 1e6);
      const purses = [purse, new Purse(purse.memory)];
      let left = BigInt(micros) * 1000n;
      for (const [place, amount] of asked.entries()) {
        const isTaken = purses[place % 2].take(amount);
        assert.equal(isTaken, amount <= left);
        left -= isTaken ? amount : 0n;
      }
      assert.ok(purse.take(left));
      assert.ok(!purse.take(1n));
    }),
  );
});

test('deducts spent money even if there was less, and money that is given back can be taken again', () => {
  const purse = Purse.of(9e-6);
  purse.spend(3);
  assert.ok(!purse.take(1n));
  purse.give(4500n);
  assert.ok(purse.take(0n) && !purse.take(1n));
  purse.give(360n);
  assert.ok(purse.take(360n) && !purse.take(360n));
});
