import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { optionsOfCell, orderOf, planSweep } from '../../lib/series/sweep-plan.js';

const REQUEST = {
  options: { objects: '100', threads: '4', local: true },
  vary: ['size=4KiB,8KiB', 'threads=1,2,4'],
  repeat: 1,
  seed: 1,
  reference: null,
};

/** @param {Partial<import('../../lib/series/sweep-plan.js').SweepRequest>} [changes] */
function planOf(changes) {
  return planSweep({ ...REQUEST, ...changes });
}

describe('the plan of a sweep', () => {
  test('is every combination, of which the last variable varies fastest', () => {
    const { plan, problems } = planOf();
    assert.deepEqual(problems, []);
    const labels = plan.cells.map(({ label }) => label);
    assert.deepEqual(labels.slice(0, 4), [
      'size=4KiB threads=1',
      'size=4KiB threads=2',
      'size=4KiB threads=4',
      'size=8KiB threads=1',
    ]);
    assert.equal(new Set(labels).size, 6);
  });

  test('gives each cell its values instead of the common ones, 10 s per stage, and flags as booleans', () => {
    const { plan } = planOf({ vary: ['threads=1,2', 'keep-alive=yes,no', 'buckets=1,2'] });
    const [first, , third] = plan.cells.map((cell) => optionsOfCell(plan, cell));
    assert.deepEqual(first, { duration: '10s', objects: '100', threads: '1', local: true, keepAlive: true });
    assert.equal(third.keepAlive, false);
  });

  test('sets no duration for a search, which has its own', () => {
    const { plan, problems } = planOf({ options: { ...REQUEST.options, findPeak: true } });
    assert.deepEqual([problems, 'duration' in optionsOfCell(plan, plan.cells[0])], [[], false]);
  });

  test('reports a conflict once, with the first cell unless all have it', () => {
    const ofAll = planOf({ options: { ...REQUEST.options, rate: '5', findPeak: true } });
    assert.deepEqual(ofAll.problems, ['--rate cannot be combined with --find-peak']);
    const ofSome = planOf({
      options: { ...REQUEST.options, partSize: '8MiB' },
      vary: ['multipart=yes,no', 'threads=1,2'],
    });
    assert.deepEqual(ofSome.problems, [
      'multipart=no threads=1: --part-size requires --multipart, or a --size above 4.9GiB (and 1 more like it)',
    ]);
  });

  test('finds the reference by any of its settings, also by values with commas', () => {
    const referenceOf = (/** @type {string} */ reference) => planOf({ reference }).plan.reference;
    assert.deepEqual(['threads=4,size=8KiB', 'size=8KiB', 'threads=2'].map(referenceOf), [5, 3, 1]);
    const mixes = ['mix=read=90,write=10', 'mix=read=50,write=50'];
    assert.equal(
      planOf({ vary: [...mixes, 'threads=1,2'], reference: 'mix=read=50,write=50,threads=2' }).plan.reference,
      3,
    );
    assert.equal(planOf({ reference: 'size=4KiB,threads=3' }).problems.length, 1);
  });
});

describe('the order of a sweep', () => {
  test('is random, the same for the same seed, and runs each cell once before any runs again', () => {
    const orders = Array.from({ length: 20 }, (_, seed) => orderOf(planOf({ seed, repeat: 2 }).plan, []));
    for (const order of orders) {
      const rounds = [order.slice(0, 6), order.slice(6)];
      rounds.forEach((round) => assert.deepEqual(round.toSorted(), [0, 1, 2, 3, 4, 5]));
    }
    assert.ok(new Set(orders.map(String)).size > 15);
    assert.ok(orders.some((order) => String(order.slice(0, 6)) !== String(order.slice(6))));
    assert.deepEqual(orderOf(planOf({ seed: 7, repeat: 2 }).plan, []), orders[7]);
  });

  test('leaves out what is done, in whatever order it was done', () => {
    const { plan } = planOf({ repeat: 2 });
    const all = orderOf(plan, []);
    const done = [all[3], all[0], all[7]];
    const left = orderOf(
      plan,
      done.map((cell) => ({ cell })),
    );
    assert.equal(left.length, 9);
    const counts = (/** @type {number[]} */ cells) =>
      plan.cells.map((_, index) => cells.filter((cell) => cell === index).length);
    assert.deepEqual(counts([...left, ...done]), [2, 2, 2, 2, 2, 2]);
  });
});
