import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { keysIn, runCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, ofKind, recordsOf } from '../helpers/outcome.js';

/**
 * @import { TestContext } from 'node:test'
 */

const KEYS = 'S3_ACCESS_KEY=test-access-key\nS3_SECRET_KEY=test-secret-key\n';
const NOTICE =
  'The store expects region eu-home-1, not us-east-1: requests are signed for eu-home-1 from now on (set S3_REGION=eu-home-1 to avoid the retry)';

/** @param {TestContext} t */
async function startRegional(t) {
  const endpoint = await startTestEndpoint(t, { region: 'eu-home-1' });
  const address = ['--endpoint-url', `http://${endpoint.hostname}:${endpoint.port}`];
  return { endpoint, address, store: ['--bucket', 'bucket-a,bucket-b', ...address] };
}

/** @param {string} stderr */
function noticesIn(stderr) {
  return stderr.split('\n').filter((line) => line.includes('expects region'));
}

describe('requests are signed for the region that a store names when it refuses', { concurrency: 3 }, () => {
  test('in a run on two cores, which counts no error and leaves nothing', async (t) => {
    const { endpoint, store } = await startRegional(t);
    const outcome = await runCommand(t, ['40', '8', ...store, '--cores', '2'], { dotEnv: KEYS });
    assertStatus(outcome, 0);
    assert.deepEqual(noticesIn(outcome.stderr), [NOTICE]);
    const summaries = ofKind(recordsOf(outcome.stdout), 'summary');
    assert.deepEqual(
      summaries.map(({ recoverableErrors }) => recoverableErrors),
      [0, 0, 0, 0],
    );
    assert.deepEqual(await keysIn(endpoint), []);
  });
});
