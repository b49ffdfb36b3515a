import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keysIn, runCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, ofKind, recordsOf } from '../helpers/outcome.js';

const KEYS = 'S3_ACCESS_KEY=test-access-key\nS3_SECRET_KEY=test-secret-key\n';
const NOTICE =
  'The store expects region eu-home-1, not us-east-1: requests are signed for eu-home-1 from now on (set S3_REGION=eu-home-1 to avoid the retry)';

test('a run on two cores, and clean-up, sign for the region that a store names when it refuses', async (t) => {
  const endpoint = await startTestEndpoint(t, { region: 'eu-home-1' });
  const address = ['--endpoint-url', `http://${endpoint.hostname}:${endpoint.port}`];
  const run = ['40', '8', '--cores', '2', '--run-id', 'a-run', '--keep'];
  for (const command of [run, ['cleanup', 'a-run']]) {
    const words = [...command, '--bucket', 'bucket-a,bucket-b', ...address];
    const outcome = await runCommand(t, words, { dotEnv: KEYS });
    assertStatus(outcome, 0);
    const notices = outcome.stderr.split('\n').filter((line) => line.includes('expects region'));
    assert.deepEqual(notices, [NOTICE]);
    const summaries = command === run ? ofKind(recordsOf(outcome.stdout), 'summary') : [];
    assert.ok(summaries.every(({ recoverableErrors }) => recoverableErrors === 0));
  }
  assert.deepEqual(await keysIn(endpoint), []);
});
