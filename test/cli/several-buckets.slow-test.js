import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { dotEnvOf, runInProcess, startCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';
import { resultFrom } from '../helpers/result-schema.js';

const BUCKETS = ['bucket-1', 'bucket-2', 'bucket-3', 'bucket-4'];

test(`names the slow one of four buckets, on two cores and in a merge`, async (t) => {
  const endpoint = await startTestEndpoint(t, { buckets: BUCKETS, faults: 'latency=20ms,latency@bucket-3=100ms' });
  const parameters = ['800', '20', '--size', '1KiB', '--cores', '2', '--stages', 'write,read', '--json', 'result.json'];
  const command = await startCommand(t, parameters, { dotEnv: dotEnvOf(endpoint) });
  const outcome = await command.outcome;
  assertStatus(outcome, 0);
  const named = outcome.stderr.match(/^\w+: bucket .* the others: p50 .*$/gm) ?? [];
  assert.deepEqual(
    named.map((line) => line.split(' is ')[0]),
    ['Write', 'Read'].map((stage) => `${stage}: bucket bucket-3`),
    outcome.stderr,
  );
  const file = path.join(command.folder, 'result.json');
  for (const { buckets, operations, average } of resultFrom(await readFile(file, 'utf8')).stages) {
    assert.deepEqual(
      buckets.map((/** @type {any} */ bucket) => [bucket.bucket, bucket.operations, bucket.latency.count]),
      BUCKETS.map((bucket) => [bucket, operations / 4, operations / 4]),
    );
    const rates = buckets.reduce((/** @type {number} */ sum, /** @type {any} */ bucket) => sum + bucket.average, 0);
    assert.ok(Math.abs(rates - average) < 1e-6, `${rates} instead of ${average}`);
  }
  const { stdout } = await runInProcess(['merge', file], {});
  const summary = stdout.match(/^ {2}Buckets +bucket bucket-3 is slower than the others: p50 /gm);
  assert.equal(summary?.length, 2);
});
