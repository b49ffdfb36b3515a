import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { readCommandLine } from '../../lib/cli/command-line.js';
import { threadsFor } from '../../lib/cli/quick.js';
import { runInProcess } from '../helpers/command.js';

test('as many threads as the latency needs are a power of two from 16 to 256', () => {
  for (const [latency, threads] of /** @type {const} */ ([
    [null, 16],
    [0.2, 16],
    [5, 32],
    [20, 128],
    [100, 256],
    [5000, 256],
  ])) {
    assert.equal(threadsFor(latency, Infinity), threads, `${latency} ms`);
  }
});

test('a host with few open files gets fewer threads', () => {
  assert.equal(threadsFor(100, 202), 128);
  assert.equal(threadsFor(100, 78), 4);
  assert.equal(threadsFor(100, 325), 128, 'with 256 threads, two cores have files of their own');
});

test('quick needs no numbers, and cannot be given any', async () => {
  const sink = new PassThrough();
  const { command, options } = readCommandLine(['quick', '--local', '--size', '1KiB'], { stdout: sink, stderr: sink });
  assert.equal(command, 'quick');
  const { objects, duration, maxOperations, maxCost, size, given } = /** @type {any} */ (options);
  assert.deepEqual([objects, duration, maxOperations, maxCost, size], [5000, 8000, 30_000, 0.05, 1024]);
  assert.equal(given.maxOperations, '30000');
  const { status, stderr } = await runInProcess(['quick', '100', '10'], {});
  assert.deepEqual(
    [status, stderr.split('\n')[0]],
    [2, "error: too many arguments for 'quick'. Expected 0 arguments but got 2."],
  );
});
