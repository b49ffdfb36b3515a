import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SHORT_RUN_DIVISOR } from '../../bench/measure-client.js';
import { SCENARIOS, scenariosOf } from '../../bench/scenarios.js';

test('scenarios are found by part of their title; no argument finds all', () => {
  assert.deepEqual(scenariosOf(''), SCENARIOS);
  assert.deepEqual(
    scenariosOf('1 MiB').map(({ title }) => title),
    ['TLS, 50 threads, 1 MiB'],
  );
});

test('an unknown title is an error that names all', () => {
  assert.throws(() => scenariosOf('2 MiB'), { name: 'RangeError', message: /got 2 MiB: .*TLS, 50 threads, 1 MiB/ });
});

for (const { title, threads, clients, comparisons } of SCENARIOS) {
  test(`${title}: every connection is in use even in the short run`, () => {
    for (const { name, objects, threads: own = threads } of clients) {
      assert.ok(objects / SHORT_RUN_DIVISOR >= own, `${name}: ${objects} objects for ${own} threads`);
    }
  });

  test(`${title}: everything compared is measured`, () => {
    const names = new Set(clients.map(({ name }) => name));
    for (const { of, to } of comparisons) {
      assert.ok(names.has(of) && names.has(to), `${of} and ${to}`);
    }
  });
}
