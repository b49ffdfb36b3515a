import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import path from 'node:path';
import { dotEnvOf, folderWith, keysIn, runCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, ofKind, recordsOf } from '../helpers/outcome.js';
import { assertConnectionsKept, assertWholeRun } from '../servers/whole-run.js';
import { machineRecords } from '../helpers/log-records.js';

const OBJECTS = 240;
const THREADS = 7;
const LATENCY = 'latency=5ms';

const RUN = [`${OBJECTS}`, `${THREADS}`, '--size', '2KiB', '--cores', '2'];

/** Ends the first core's thread at its first progress report, from outside, as the system would. */
const ENDS_PER_THREAD = `
  import { isMainThread } from 'node:worker_threads';
  if (isMainThread) {
    process.once('worker', (thread) => {
      thread.on('message', ({ hook }) => hook === 'progress' && thread.terminate());
    });
  }
`;

describe('a run on two cores', { concurrency: 2 }, () => {
  test('the client runs four stages with consistent lines, and leaves nothing', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: LATENCY });
    const outcome = await runCommand(t, [...RUN], { dotEnv: dotEnvOf(endpoint) });
    assertStatus(outcome, 0);
    assert.doesNotMatch(outcome.stderr, /NodeDeprecation/);
    assert.ok(outcome.stdout.split('\n').every((line) => line.length <= 8192 || !line.startsWith('#')));
    const records = recordsOf(outcome.stdout);
    assert.deepEqual(ofKind(records, 'text'), []);
    assert.deepEqual(
      ofKind(records, 'latency').map(({ stage, of }) => `${stage} ${of}`),
      ['Write latency', 'Read latency', 'Read time to first byte', 'Stat latency', 'Remove latency'],
      'attempt latency appears only if it differs',
    );
    assertWholeRun(records, { objects: OBJECTS, threads: THREADS, buckets: 2, objectSize: 2048 });
    assertConnectionsKept(ofKind(records, 'connections'), { objects: OBJECTS, threads: THREADS });
    assert.equal(machineRecords(records, 'run')[0].options.cores, 2);
    assert.deepEqual(await keysIn(endpoint), []);
    const { requests } = await endpoint.report();
    // Before the stages, each probe is removed, and requested again if there is time. The store refuses the second write of
    // the run's marker.
    const total = requests.PUT.total - 1;
    assert.equal(requests.DELETE.total, total);
    assert.ok(requests.HEAD.total >= OBJECTS && requests.HEAD.total <= total, `${requests.HEAD.total} of ${total}`);
  });

  test('Row 28: the death of a core’s thread ends the run, which reports it, cleans up and exits with 1', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'latency=5ms' });
    const folder = await folderWith(t, { 'ends-a-thread.mjs': ENDS_PER_THREAD });
    const env = { NODE_OPTIONS: `--import=${path.join(folder, 'ends-a-thread.mjs')}` };
    const run = ['1000000', '8', '--size', '1KiB', '--cores', '2'];
    const outcome = await runCommand(t, run, { dotEnv: dotEnvOf(endpoint), env });
    assertStatus(outcome, 1);
    assert.match(outcome.stderr, /^error: .*the thread of worker 1 ended unexpectedly/m);
    assert.match(outcome.stderr, /^.*removed.*$/im);
    assert.doesNotMatch(outcome.stderr, /^ {4}at /m);
    const { requests } = await endpoint.report();
    assert.ok(requests.PUT.total > 0 && requests.LIST.total > 0);
    assert.deepEqual(await keysIn(endpoint), []);
  });
});
