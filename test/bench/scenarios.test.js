import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SCENARIOS, scenariosOf } from '../../bench/scenarios.js';

test('scenarios are found by a part of their titles, all of them by none', () => {
  assert.deepEqual(scenariosOf(''), SCENARIOS);
  assert.deepEqual(
    scenariosOf('1 MiB').map(({ title }) => title),
    ['TLS, 50 threads, 1 MiB'],
  );
});

test('a title that no scenario has is an error that names all', () => {
  assert.throws(() => scenariosOf('2 MiB'), { name: 'RangeError', message: /got 2 MiB: .*TLS, 50 threads, 1 MiB/ });
});
