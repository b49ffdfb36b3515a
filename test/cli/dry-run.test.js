import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dryRunLines } from '../../lib/cli/dry-run.js';
import { runInProcess } from '../helpers/command.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

test('a dry run shows requests by class, cost and time at 80 columns', () => {
  const config = runConfig(/** @type {any} */ (NO_TARGET), { objects: 10_000, threads: 100, size: 16_384 });
  const lines = dryRunLines([config], 10);
  assert.ok(
    lines.every((line) => line.length <= 80),
    lines.join('\n'),
  );
  assert.match(lines.join('\n'), /^Write +10,000 +10,000 +- +- +156\.3 +1\.0s$/m);
});

test('a dry run of a sweep sums the most that all of its runs send', async () => {
  const load = ['100', '2', '--local', '--stages', 'write,read', '--duration', '1s', '--no-preflight'];
  const varied = ['--vary', 'threads=1,2', '--repeat', '2', '--seed', '3'];
  const { status, stdout } = await runInProcess(['sweep', ...load, ...varied, '--dry-run', '--latency', '20ms'], {});
  assert.equal(status, 0);
  assert.match(stdout, /^2 cells \(2 × threads\), 2 runs each, in random order \(--seed 3\)\n4 runs to make/m);
  // In a second, a thread starts at most 51 requests of 20 ms. Two threads could write more than the 100 objects.
  assert.match(stdout, /^Write +302 +302 /m);
  assert.match(stdout, /^Read +306 +- +306 /m);
});

test('a dry run of a mix lets only the mix keep the rate, and random arrivals exceed it by chance', async () => {
  const linesFor = async (/** @type {string[]} */ ...load) =>
    (await runInProcess(['10000', '64', '--local', '--dry-run', '--duration', '60s', ...load], {})).stdout;
  const mixed = await linesFor('--mix', 'read=90,write=10', '--rate', '100');
  assert.match(mixed, /^Write +10,000 .*\nMixed +6,001 /m);
  // The mean and six standard deviations.
  assert.match(await linesFor('--rate', '100', '--arrival', 'poisson'), /^Write +6,466 /m);
});
