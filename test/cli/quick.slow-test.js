import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runCommand } from '../helpers/command.js';
import { assertStatus } from '../helpers/outcome.js';
import { resultFrom } from '../helpers/result-schema.js';

describe('quick', { concurrency: 2 }, () => {
  test('chooses threads for a store 200 ms away, keeps its limits, and ends with commands', async (t) => {
    const parameters = ['quick', '--local', '--faults', 'latency=200ms', '--size', '1KiB', '--json', '-'];
    const outcome = await runCommand(t, parameters);
    assertStatus(outcome, 0);
    const { options, stages } = resultFrom(outcome.stdout);
    assert.deepEqual([options.threads, options.objects], [256, 5000]);
    assert.ok(outcome.milliseconds < 75_000, `${outcome.milliseconds} ms`);
    const [write, read, stat, remove] = stages.map((/** @type {any} */ { operations }) => operations);
    assert.ok(write > 0 && write <= 5000 && read <= 30_000 && stat <= 30_000, outcome.stdout.slice(0, 500));
    assert.equal(remove, write);
    assert.match(outcome.stderr, /One request takes 2\d\d\.\dms: using 256 threads/);
    assert.match(
      outcome.stderr,
      / [1-9]0000 1024 --find-peak --size 1KiB --local --faults latency=200ms\n.*\n.* 1000 256 --size 1MiB /,
    );
  });
});
