import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuTable, medianTable } from '../../bench/cost-tables.js';

const COSTS = {
  Write: { few: [30, 20, 25], many: [50, 60, 55] },
  Read: { few: [40], many: [60], oha: [20] },
};

test('costs are medians with their minimum and maximum, compared as the scenario states', () => {
  const comparisons = [
    { of: 'many', to: 'few', hasDifference: true },
    { of: 'few', to: 'oha' },
  ];
  assert.equal(
    cpuTable(COSTS, comparisons),
    [
      'stage               few              many   oha  many ÷ few  many − few  few ÷ oha\n',
      'Write  25.0 (20.0–30.0)  55.0 (50.0–60.0)     -        2.20        30.0          -\n',
      'Read               40.0              60.0  20.0        1.50        20.0       2.00\n',
    ].join(''),
  );
});

test('comparisons with a client that was not measured are left out', () => {
  assert.equal(cpuTable({ Read: { few: [40] } }, [{ of: 'few', to: 'oha' }]), 'stage   few\nRead   40.0\n');
});

test('other figures are medians in their printed form', () => {
  assert.equal(
    medianTable(COSTS, (median) => `${median}!`),
    'stage  few  many  oha\nWrite  25!   55!    -\nRead   40!   60!  20!\n',
  );
});
