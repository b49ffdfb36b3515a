import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compareQuads } from '../../lib/result/compare/compare-quads.js';
import { MAX_QUADS, MIN_QUADS } from '../../lib/options/values.js';
import { quadOrders } from '../../lib/series/series.js';
import { chance } from '../helpers/chance.js';
import { simulateQuads } from '../helpers/simulated-quads.js';

const MARGIN = 0.03;

/**
 * @param {Parameters<typeof simulateQuads>[0]} model
 * @param {string} [metric]
 */
function compared(model, metric = 'rate') {
  const [stage] = compareQuads(simulateQuads(model), { margin: MARGIN });
  const found = stage.metrics.find((each) => each.metric === metric);
  assert.ok(found !== undefined);
  return found;
}

/** Drifts by 10% over all quads. @param {number} time from 0 to 1 */
const drift = (time) => 1 + 0.1 * time;

describe('a drift of 10% from the first pass to the last', () => {
  test('cancels out in every quad, in any order', () => {
    for (const seed of [1, 2, 3]) {
      const orders = quadOrders(8, chance(seed).uniform);
      const { verdict, ratio, logRatios } = compared({ orders, drift });
      assert.equal(logRatios.length, 8);
      assert.ok(
        logRatios.every((logRatio) => Math.abs(logRatio) < 1e-4),
        String(logRatios),
      );
      assert.equal(verdict, 'the same');
      assert.ok(Math.abs(Number(ratio) - 1) < 1e-5);
    }
  });
});

describe('what the quads show', () => {
  const orders = quadOrders(8, chance(5).uniform);

  test('a proven difference within the margin counts as no change', () => {
    const { verdict, tTest, low } = compared({ orders, ratio: 1.02, noise: 0.001, random: chance(8) });
    assert.equal(verdict, 'the same');
    assert.ok(Number(low) > 1 && Number(tTest) < 0.05);
  });

  test('no more quads are advised than a comparison may have', () => {
    const counts = [
      ...[0.02, 0.05, 0.1, 0.2].flatMap((noise) => [6, 8, 20].map((count) => [noise, count])),
      [0.5, MAX_QUADS],
    ];
    const foretold = counts.map(([noise, count]) => {
      const model = { orders: quadOrders(count, chance(11).uniform), ratio: 1.02, noise, random: chance(12) };
      const { verdict, moreQuads } = compared(model);
      return { verdict, count, moreQuads };
    });
    const unknown = foretold.filter(({ verdict }) => verdict === 'cannot tell');
    assert.ok(
      unknown.some(({ moreQuads }) => moreQuads === null) && unknown.some(({ moreQuads }) => moreQuads !== null),
    );
    assert.ok(unknown.every(({ count, moreQuads }) => moreQuads === null || count + moreQuads <= MAX_QUADS));
    assert.ok(unknown.every(({ moreQuads }) => moreQuads === null || moreQuads > 0));
    assert.ok(unknown.every(({ count, moreQuads }) => count < MAX_QUADS || moreQuads === null));
  });

  test('too few quads decide nothing', () => {
    const few = compared({ orders: orders.slice(0, MIN_QUADS - 1), ratio: 2 });
    const { verdict, low, high, tTest, moreQuads, ratio } = few;
    assert.deepEqual(
      { verdict, low, high, tTest, moreQuads },
      { verdict: 'cannot tell', low: null, high: null, tTest: null, moreQuads: 1 },
    );
    assert.ok(Math.abs(Number(ratio) - 2) < 1e-9);
  });

  test('a quad with an unknown figure is left out of that metric only', () => {
    const quads = simulateQuads({ orders });
    quads[3].passes[2].stages[0].metrics.p99 = null;
    const [{ metrics }] = compareQuads(quads, { margin: MARGIN });
    assert.deepEqual(
      metrics.map(({ metric, logRatios }) => [metric, logRatios.length]),
      [
        ['rate', 8],
        ['p50', 8],
        ['p99', 7],
        ['cpu', 8],
      ],
    );
  });
});

test('if quads differ only by chance, at most one in twenty comparisons finds a difference', () => {
  const random = chance(10);
  const falseAlarms = Array.from({ length: 300 }, () => {
    const orders = quadOrders(8, random.uniform);
    const [{ metrics }] = compareQuads(simulateQuads({ orders, noise: 0.1, drift, random }), { margin: MARGIN });
    return metrics.some(({ verdict }) => verdict !== 'the same' && verdict !== 'cannot tell');
  }).filter(Boolean).length;
  assert.ok(falseAlarms <= 15, `${falseAlarms} of 300`);
});
