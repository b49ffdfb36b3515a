import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSeries } from '../../lib/series/series.js';

/** @import { Turn } from '../../lib/series/series.js' */

/** @type {Record<string, Turn['options']>} */
const SETTINGS = {
  a: { store: 'local', objects: 10, threads: 2, stages: 'write,read', preflight: false },
  b: { store: 'local', objects: 10, threads: 2, stages: 'write,read', faults: 'GET.status=400:100%', preflight: false },
  c: { store: 'local', objects: 10, threads: 0 },
};

/** @param {string} order */
function turnsIn(order) {
  return [...order].map((side) => ({ side, options: SETTINGS[side], context: {} }));
}

test('runs settings in any order, such as ABBA, and reports why runs failed', async () => {
  const outcomes = [];
  for await (const { turn, result, problem } of runSeries(turnsIn('abbac'), new AbortController().signal)) {
    outcomes.push([turn.side, result?.stages.map(({ stage }) => stage) ?? null, problem]);
  }
  const stages = ['Write', 'Read'];
  const [, [, , failed]] = outcomes;
  assert.match(String(failed), /^Read: /);
  assert.deepEqual(outcomes, [
    ['a', stages, null],
    ['b', stages, failed],
    ['b', stages, failed],
    ['a', stages, null],
    ['c', null, 'threads: expected a whole number from 1 to 100000, got "0"'],
  ]);
});

test('a signal ends the series, and the run that it cuts off has no outcome', async () => {
  const stop = new AbortController();
  const [first, second] = turnsIn('aa');
  const cut = { ...second, context: { on: { stageStarts: () => stop.abort() } } };
  const sides = [];
  for await (const { turn } of runSeries([first, cut, first], stop.signal)) {
    sides.push(turn.side);
  }
  assert.deepEqual(sides, ['a']);
});

test('a signal during the wait for credentials ends the series, too', async () => {
  const stop = new AbortController();
  const credentials = () => {
    stop.abort();
    return new Promise(() => {});
  };
  const store = { endpoint: 'http://127.0.0.1:9', bucket: 'bucket', credentials: /** @type {any} */ (credentials) };
  const turn = { options: { ...SETTINGS.a, store }, context: {} };
  for await (const outcome of runSeries([turn], stop.signal)) {
    assert.fail(String(outcome.problem));
  }
});
