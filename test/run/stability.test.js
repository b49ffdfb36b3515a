import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Stability } from '../../lib/run/stages-plan.js';
import { MIN_SECONDS } from '../../lib/measure/statistics/dependent-mean.js';
import { chance } from '../helpers/chance.js';

const TRUTH = 1000;
const STAGES = 300;
const LENGTH = 900;

/** At this number, the rate has been looked at twice. */
const FEWEST_SECONDS = Math.ceil(1.25 * MIN_SECONDS);

/**
 * Operations per second of a rate that varies around the truth.
 *
 * @param {number} seed
 * @param {object} shape
 * @param {number} shape.memory autocorrelation of neighbouring seconds, 0 to 1
 * @param {number} shape.spread standard deviation, as a share of the truth
 * @returns {number[]}
 */
function secondsOf(seed, { memory, spread }) {
  const { normal } = chance(seed);
  let deviation = normal();
  return Array.from({ length: LENGTH }, () => {
    deviation = memory * deviation + Math.sqrt(1 - memory ** 2) * normal();
    return Math.round(TRUTH * (1 + spread * deviation));
  });
}

/**
 * @param {readonly number[]} seconds
 * @param {number} precision
 */
function watched(seconds, precision) {
  const stability = new Stability({ precision, from: 0, until: 1000 * LENGTH });
  seconds.some((operations, secondStart) => stability.add({ secondStart, operations }));
  return stability.result();
}

/**
 * @param {object} shape
 * @param {number} shape.memory
 * @param {number} shape.spread
 * @param {number} shape.precision
 * @returns {{ stable: number, held: number }} of {@link STAGES}: how many became stable, and in how many of these the
 *   interval holds the truth
 */
function outcomes({ precision, ...shape }) {
  const results = Array.from({ length: STAGES }, (_, seed) => watched(secondsOf(seed + 1, shape), precision));
  const stable = results.filter(({ isStable }) => isStable);
  const held = stable.filter(({ low, high }) => Number(low) <= TRUTH && TRUTH <= Number(high));
  return { stable: stable.length, held: held.length };
}

for (const [title, shape, least] of /** @type {const} */ ([
  ['for independent seconds', { memory: 0, spread: 0.1, precision: 0.02 }, 0.93],
  ['for independent seconds that vary much', { memory: 0, spread: 0.3, precision: 0.05 }, 0.93],
  ['if each second is a little like the one before', { memory: 0.3, spread: 0.1, precision: 0.02 }, 0.92],
  ['if each second is half like the one before', { memory: 0.5, spread: 0.1, precision: 0.02 }, 0.92],
  ['with slow waves of ten seconds', { memory: 0.8, spread: 0.1, precision: 0.04 }, 0.92],
])) {
  test(`of stages that stopped as stable, about 95 of 100 intervals hold the truth ${title}`, () => {
    const { stable, held } = outcomes(shape);
    assert.ok(stable >= 0.6 * STAGES, `${stable} of ${STAGES} became stable`);
    assert.ok(held >= least * stable, `${held} of ${stable}`);
  });
}

test('a perfectly steady rate is stable after the minimum of seconds and one more look', () => {
  const result = watched(
    Array.from({ length: LENGTH }, () => 500),
    0.02,
  );
  assert.equal(result.isStable, true);
  assert.equal(result.seconds, FEWEST_SECONDS);
  assert.deepEqual([result.mean, result.precision], [500, 0.02]);
});

test('the half-width of a stable stage’s interval is at most the requested share', () => {
  let stable = 0;
  for (let seed = 1; seed <= 100; seed++) {
    const { isStable, mean, high } = watched(secondsOf(seed, { memory: 0.3, spread: 0.15 }), 0.03);
    stable += Number(isStable);
    assert.ok(!isStable || Number(high) - Number(mean) <= 0.03 * Number(mean), String(seed));
  }
  assert.ok(stable > 50, String(stable));
});

test('a steadily falling rate and a zero rate are never stable', () => {
  const falling = watched(
    Array.from({ length: 120 }, (_, second) => 1000 - 5 * second),
    0.02,
  );
  assert.equal(falling.isStable, false);
  const nothing = watched(
    Array.from({ length: 120 }, () => 0),
    0.02,
  );
  assert.deepEqual([nothing.isStable, nothing.mean], [false, 0]);
});

test('only whole seconds after the warm-up and before the end count, and none after the decision', () => {
  const stability = new Stability({ precision: 0.02, from: 10_300, until: 60_900 });
  stability.add({ secondStart: 10, operations: 1 });
  assert.equal(stability.result().seconds, 0, 'the second in which the warm-up ends');
  stability.add({ secondStart: 11, operations: 500 });
  stability.add({ secondStart: 60, operations: 1 });
  assert.equal(stability.result().seconds, 1, 'the second in which the time is over');
  assert.equal(stability.result().mean, null);
  for (let secondStart = 12; secondStart < 60; secondStart++) {
    stability.add({ secondStart, operations: 500 });
  }
  assert.equal(stability.result().seconds, FEWEST_SECONDS);
});
