import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REPORTERS, RESULT_REPORTERS, openListeners } from '../../lib/report/reporters.js';
test('every listening reporter gets every event, in order, and those without a use for it are skipped', () => {
  /** @type {string[]} */
  const heard = [];
  const hears = (/** @type {string} */ name) => ({
    listen: () => ({
      second: (/** @type {{ stage: string }} */ { stage }) => heard.push(`${name}: ${stage}`),
      close: () => heard.push(`${name} closed`),
    }),
  });
  const takes = { option: /** @type {const} */ ('csv'), format: () => ['never asked for'] };
  const deaf = { listen: () => ({ notice: () => heard.push('never') }) };
  const listeners = openListeners(/** @type {any} */ ({}), [hears('one'), takes, deaf, hears('another')]);
  listeners.second({ stage: 'Write', secondStart: 1, operations: 2, bytes: 3 });
  listeners.runIsNamed();
  listeners.close();
  assert.deepEqual(heard, ['one: Write', 'another: Write', 'one closed', 'another closed']);
});

test('each reporter either listens or takes the result, and no two share an option', () => {
  assert.ok(REPORTERS.every((reporter) => 'listen' in reporter !== 'format' in reporter));
  const names = RESULT_REPORTERS.map(({ option }) => option);
  assert.deepEqual(names, [...new Set(names)]);
});
