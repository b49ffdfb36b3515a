import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dotEnvOf, runCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';

test('Row 23: a bucket that is listed twice is used once, and --quiet leaves the warning and the run ID on stderr', async (t) => {
  const endpoint = await startTestEndpoint(t);
  const dotEnv = dotEnvOf(endpoint, { S3_BUCKET: 'bucket-a,bucket-a' });
  const parameters = ['20', '40', '--size', '2KiB', '--stages', 'write', '--run-id', 'hushed', '--quiet'];
  const outcome = await runCommand(t, parameters, { dotEnv });
  assertStatus(outcome, 0);
  assert.deepEqual(outcome.stderr.split('\n'), [
    'warning: S3_BUCKET lists a bucket more than once; it is used only once',
    'Run hushed: 20 objects of 2KiB in bucket-a under benchmark/hushed/',
    '',
  ]);
});
