import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dotEnvOf, runCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, ofKind, recordsOf } from '../helpers/outcome.js';
import { assertWholeRun } from '../servers/whole-run.js';
import { machineRecords } from '../helpers/log-records.js';

const OBJECTS = 240;
const THREADS = 8;
const SIZE = ['--size', '2KiB'];

/**
 * @param {string} stdout
 * @param {'opened' | 'reused'} count
 */
function connectionsIn(stdout, count) {
  return ofKind(recordsOf(stdout), 'connections').map((record) => record[count]);
}

describe('a run', { concurrency: 4 }, () => {
  test('the sdk client runs four stages, and their lines agree', async (t) => {
    const parameters = [`${OBJECTS}`, `${THREADS}`, ...SIZE, '--local', '--client', 'sdk', '--run-id', 'a-run'];
    const outcome = await runCommand(t, parameters);
    assertStatus(outcome, 0);
    const lines = outcome.stdout.trimEnd().split('\n');
    assert.ok(lines.every((line) => !line.startsWith('#') || line.length <= 8192));
    const records = recordsOf(outcome.stdout);
    assert.deepEqual(ofKind(records, 'text'), []);
    assertWholeRun(records, { objects: OBJECTS, threads: THREADS, buckets: 1, objectSize: 2048 });
    assert.deepEqual(
      ofKind(records, 'latency').map(({ stage, of }) => `${stage} ${of}`),
      ['Write latency', 'Read latency', 'Read time to first byte', 'Stat latency', 'Remove latency'],
      'attempt latency appears only if it differs',
    );
  });

  test('opens one connection per request with --no-keep-alive', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const parameters = ['200', '4', ...SIZE, '--no-keep-alive'];
    const outcome = await runCommand(t, parameters, { dotEnv: dotEnvOf(endpoint) });
    assertStatus(outcome, 0);
    const attempts = machineRecords(recordsOf(outcome.stdout), 'stage').map((stage) => stage.attempts);
    assert.deepEqual(attempts, [200, 200, 200, 200]);
    assert.deepEqual(connectionsIn(outcome.stdout, 'opened'), attempts);
    assert.deepEqual(connectionsIn(outcome.stdout, 'reused'), [0, 0, 0, 0]);
    const { connections } = await endpoint.report();
    assert.ok(connections >= 4 * 200 + endpoint.buckets.length, 'one for each operation and each look at a bucket');
  });

  test('--quiet leaves errors, warnings and the run ID on stderr', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const dotEnv = dotEnvOf(endpoint, { S3_BUCKET: 'bucket-a,bucket-a' });
    const parameters = ['20', '40', ...SIZE, '--stages', 'write', '--run-id', 'hushed', '--quiet'];
    const outcome = await runCommand(t, parameters, { dotEnv });
    assertStatus(outcome, 0);
    assert.deepEqual(outcome.stderr.split('\n'), [
      'warning: S3_BUCKET lists a bucket more than once; it is used only once',
      'Run hushed: 20 objects of 2KiB in bucket-a under benchmark/hushed/',
      '',
    ]);
  });
});
