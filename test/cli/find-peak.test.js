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
  test('rejects options that set load or time', async () => {
    for (const [option, value] of [
      ['--duration', '5s'],
      ['--start-at', 'next:60s'],
      ['--shard', '0/1'],
      ['--rate', '100'],
      ['--warmup', '1s'],
    ]) {
      const [error, ...more] = await refused('--find-peak', option, value, '--run-id', 'a');
      assert.match(error, new RegExp(`^error: ${option} cannot be combined with --find-peak$`));
      assert.deepEqual(more, []);
    }
  });

  test('each dimension has its own options, which nothing else accepts', async () => {
    for (const [parameters, problem] of /** @type {[string[], string][]} */ ([
      [['--peak-of', 'rate'], '--peak-of requires --find-peak'],
      [['--find-peak', '--slo', '50ms'], '--slo requires --find-peak --peak-of rate'],
      [['--find-peak', '--arrival', 'poisson'], '--arrival requires --rate or --find-peak --peak-of rate'],
      [
        ['--find-peak', '--peak-of', 'buckets'],
        '--peak-of: buckets is no longer supported: run with 1, 2 and 4 buckets in --bucket, and compare the results',
      ],
      [['--find-peak', '--peak-of', 'hosts'], '--peak-of: expected threads or rate, got "hosts"'],
      [['--find-peak', '--peak-of', 'rate', '--slo', '0ms'], '--slo: expected a time from 1ms to 1h, got "0ms"'],
    ])) {
      assert.deepEqual(await refused(...parameters), [`error: ${problem}`]);
    }
  });

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
