import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quadOrders, turnsOf } from '../../lib/run/quad-orders.js';
import { chance } from '../helpers/chance.js';

test('as many quads begin with A as with B, or one more', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 1e6 }), (quads, seed) => {
      const orders = quadOrders(quads, chance(seed).uniform);
      const withA = orders.filter((order) => order === 'ABBA').length;
      assert.equal(orders.length, quads);
      assert.ok(orders.every((order) => order === 'ABBA' || order === 'BAAB'));
      assert.ok(Math.abs(2 * withA - quads) <= 1, orders.join(' '));
    }),
  );
});

test('each position has either order equally often, and every arrangement occurs', () => {
  const { uniform } = chance(1);
  const all = Array.from({ length: 6000 }, () => quadOrders(4, uniform));
  const counts = new Map();
  all.forEach((orders) => counts.set(orders.join(' '), (counts.get(orders.join(' ')) ?? 0) + 1));
  // Two of four: six orders.
  assert.equal(counts.size, 6);
  [...counts].forEach(([orders, count]) => assert.ok(count > 850 && count < 1150, `${orders}: ${count}`));
});

test('with an odd number, the extra quad is either order at random', () => {
  const { uniform } = chance(2);
  const withA = Array.from({ length: 1000 }, () => quadOrders(1, uniform)[0]).filter((order) => order === 'ABBA');
  assert.ok(withA.length > 430 && withA.length < 570, String(withA.length));
});

test('in both orders, the turns of each side have the same mean time', () => {
  assert.deepEqual(turnsOf('ABBA'), ['a', 'b', 'b', 'a']);
  assert.deepEqual(turnsOf('BAAB'), ['b', 'a', 'a', 'b']);
});
