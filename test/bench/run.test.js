import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuTable } from '../../bench/cost-tables.js';
import { SHORT_RUN_DIVISOR } from '../../bench/measure-client.js';
import { SCENARIOS } from '../../bench/scenarios.js';

test('costs are medians with their minimum and maximum, compared with the clients that were measured', () => {
  const costs = { Write: { few: [30, 20, 25], many: [50, 60, 55] }, Read: { few: [40], many: [60], oha: [20] } };
  const comparisons = [
    { of: 'many', to: 'few', hasDifference: true },
    { of: 'few', to: 'oha' },
    { of: 'few', to: 'sdk' },
  ];
  assert.equal(
    cpuTable(costs, comparisons),
    [
      'stage               few              many   oha  many ÷ few  many − few  few ÷ oha\n',
      'Write  25.0 (20.0–30.0)  55.0 (50.0–60.0)     -        2.20        30.0          -\n',
      'Read               40.0              60.0  20.0        1.50        20.0       2.00\n',
    ].join(''),
  );
});

test('in every scenario, even the short run uses every connection, and everything compared is measured', () => {
  for (const { title, threads, clients, comparisons } of SCENARIOS) {
    for (const { name, objects, threads: own = threads } of clients) {
      assert.ok(objects / SHORT_RUN_DIVISOR >= own, `${title}, ${name}: ${objects} objects for ${own} threads`);
    }
    const names = clients.map(({ name }) => name);
    assert.ok(
      comparisons.every(({ of, to }) => names.includes(of) && names.includes(to)),
      title,
    );
  }
});
