import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runInProcess } from '../helpers/command.js';

/** @param {readonly string[]} parameters */
async function refused(...parameters) {
  const { status, stdout, stderr } = await runInProcess(['1000', '10', '--local', ...parameters], {});
  assert.deepEqual([status, stdout], [2, '']);
  return stderr.split('\n').filter((line) => line.startsWith('error: '));
}

describe('a search for the peak', () => {
  test('a dollar amount must be above zero', async () => {
    for (const given of ['', '0', '-1', '1e3', '$5', 'much', '0.0000001']) {
      const [error] = await refused(`--max-cost=${given}`);
      assert.match(error, /^error: --max-cost: expected an amount in dollars above 0, such as 0\.5 or 2, got /);
    }
  });

  test('rejects a run above the cost limit, and reports the cost', async () => {
    assert.deepEqual(await refused('--max-cost', '0.004'), [
      "error: --max-cost: the run would cost $0.0052 at R2's list prices, more than $0.004: raise the limit or use fewer <objects>",
    ]);
  });
});
