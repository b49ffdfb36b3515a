import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dotEnvOf, keysIn, runCommand, startCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, ofKind, recordsOf } from '../helpers/outcome.js';
import { assertWholeRun } from '../servers/whole-run.js';
import { machineRecords } from '../helpers/log-records.js';

const OBJECTS = 240;
const THREADS = 8;
const SIZE = ['--size', '2KiB'];
const CLIENTS = /** @type {const} */ (['direct', 'sdk']);

/** @param {string} stdout */
function stagesIn(stdout) {
  return ofKind(recordsOf(stdout), 'schedule').map(({ stage }) => stage);
}

/**
 * @param {string} stdout
 * @param {'opened' | 'reused'} count
 */
function connectionsIn(stdout, count) {
  return ofKind(recordsOf(stdout), 'connections').map((record) => record[count]);
}

describe('a run', { concurrency: 4 }, () => {
  for (const client of CLIENTS) {
    test(`the ${client} client runs four stages, and their lines agree`, async (t) => {
      const parameters = [`${OBJECTS}`, `${THREADS}`, ...SIZE, '--local', '--client', client, '--run-id', 'a-run'];
      const outcome = await runCommand(t, parameters);
      assertStatus(outcome, 0);
      const lines = outcome.stdout.trimEnd().split('\n');
      assert.ok(lines.every((line) => !line.startsWith('#') || line.length < 1000));
      const records = recordsOf(outcome.stdout);
      assert.deepEqual(ofKind(records, 'text'), []);
      assertWholeRun(records, { objects: OBJECTS, threads: THREADS, buckets: 1, objectSize: 2048 });
      assert.deepEqual(
        records.slice(-6).map(({ kind, data }) => data?.kind ?? kind),
        ['table-header', 'table-row', 'table-row', 'table-row', 'table-row', 'end'],
      );
      assert.deepEqual(
        ofKind(records, 'latency').map(({ stage, of }) => `${stage} ${of}`),
        ['Write latency', 'Read latency', 'Read time to first byte', 'Stat latency', 'Remove latency'],
        'attempt latency appears only if it differs',
      );
    });

    test(`the ${client} client opens one connection per thread before Write, and keeps it`, async (t) => {
      const parameters = [`${OBJECTS}`, `${THREADS}`, ...SIZE, '--local', '--client', client];
      const outcome = await runCommand(t, parameters);
      assertStatus(outcome, 0);
      assert.deepEqual(connectionsIn(outcome.stdout, 'opened'), [THREADS, 0, 0, 0]);
      assert.deepEqual(connectionsIn(outcome.stdout, 'reused'), [OBJECTS - THREADS, OBJECTS, OBJECTS, OBJECTS]);
    });

    test(`the ${client} client opens one connection per request with --no-keep-alive`, async (t) => {
      const endpoint = await startTestEndpoint(t);
      const parameters = ['200', '4', ...SIZE, '--no-keep-alive', '--client', client];
      const outcome = await runCommand(t, parameters, { dotEnv: dotEnvOf(endpoint) });
      assertStatus(outcome, 0);
      const attempts = machineRecords(recordsOf(outcome.stdout), 'stage').map((stage) => stage.attempts);
      assert.deepEqual(attempts, [200, 200, 200, 200]);
      assert.deepEqual(connectionsIn(outcome.stdout, 'opened'), attempts);
      assert.deepEqual(connectionsIn(outcome.stdout, 'reused'), [0, 0, 0, 0]);
      const { connections } = await endpoint.report();
      assert.ok(connections >= 4 * 200 + endpoint.buckets.length, 'one for each operation and each look at a bucket');
    });
  }

  test('machine lines report the same as the lines for people, and no secrets', async (t) => {
    const parameters = [`${OBJECTS}`, `${THREADS}`, ...SIZE, '--local', '--run-id', 'a-run'];
    const records = recordsOf((await runCommand(t, parameters)).stdout);
    const [run] = machineRecords(records, 'run');
    assert.deepEqual([run.run, run.format], ['a-run', 1]);
    assert.match(run.start, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual([run.options.objects, run.options.threads, run.options.size], [OBJECTS, THREADS, 2048]);
    const summaries = ofKind(records, 'summary');
    const rows = ofKind(records, 'table-row');
    const stages = machineRecords(records, 'stage');
    assert.equal(stages.length, 4);
    for (const [place, stage] of stages.entries()) {
      assert.equal(stage.stage, summaries[place].stage);
      assert.equal(stage.operations, rows[place].objects);
      assert.equal(Math.round(stage.duration), summaries[place].milliseconds);
      const moved = place < 2 ? OBJECTS * 2048 : 0;
      assert.deepEqual([stage.bytes, stage.attempts, stage.errors], [moved, OBJECTS, {}]);
    }
    assert.equal(machineRecords(records, 'end').length, 1);
  });

  test('fills two and three buckets evenly, and empties them', async (t) => {
    for (const count of [2, 3]) {
      const buckets = ['bucket-a', 'bucket-b', 'bucket-c'].slice(0, count);
      const endpoint = await startTestEndpoint(t, { buckets });
      const options = { dotEnv: dotEnvOf(endpoint) };
      const run = ['300', `${THREADS}`, ...SIZE, '--run-id', `over-${count}`];
      const written = await runCommand(t, [...run, '--stages', 'write', '--keep'], options);
      assertStatus(written, 0);
      assert.deepEqual(
        (await endpoint.report()).objects,
        Object.fromEntries(buckets.map((bucket) => [bucket, 300 / count])),
      );
      const outcome = await runCommand(t, [...run, '--stages', 'read,stat,remove'], options);
      assertStatus(outcome, 0);
      assert.deepEqual(await keysIn(endpoint), []);
    }
  });

  for (const size of ['0', '1', '3MiB']) {
    test(`objects of ${size} bytes pass all stages`, async (t) => {
      const outcome = await runCommand(t, ['20', '2', '--size', size, '--local']);
      assertStatus(outcome, 0);
      assert.deepEqual(stagesIn(outcome.stdout), ['Write', 'Read', 'Stat', 'Remove']);
    });
  }

  test('accepts sizes in powers of 1000 and of 1024', async (t) => {
    for (const [size, bytes] of Object.entries({ 1000: 1000, '64kB': 64_000, '1.5KiB': 1536 })) {
      const outcome = await runCommand(t, ['2', '1', '--size', size, '--stages', 'write', '--local']);
      assertStatus(outcome, 0);
      const [stage] = machineRecords(recordsOf(outcome.stdout), 'stage');
      assert.equal(stage.bytes, 2 * bytes);
    }
  });

  for (const stages of ['write', 'remove,write', 'stat, read ,write']) {
    test(`the stages ${stages} run in their fixed order and leave nothing`, async (t) => {
      const endpoint = await startTestEndpoint(t);
      const outcome = await runCommand(t, ['60', '3', ...SIZE, '--stages', stages], { dotEnv: dotEnvOf(endpoint) });
      assertStatus(outcome, 0);
      const named = stages.split(',').map((name) => name.trim());
      assert.deepEqual(
        stagesIn(outcome.stdout),
        ['Write', 'Read', 'Stat', 'Remove'].filter((name) => named.includes(name.toLowerCase())),
      );
      const { requests } = await endpoint.report();
      assert.ok(requests.PUT.succeeded >= 60);
      assert.deepEqual(await keysIn(endpoint), []);
    });
  }

  test('limits threads to the number of objects, with a notice', async (t) => {
    const outcome = await runCommand(t, ['5', '20', ...SIZE, '--local']);
    assertStatus(outcome, 0);
    const threads = ofKind(recordsOf(outcome.stdout), 'schedule').map((schedule) => schedule.threads);
    assert.deepEqual(threads, [5, 5, 5, 5]);
    assert.match(outcome.stderr, /^.*20 threads.*5 objects.*$/m);
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

  test('prints run ID, buckets and prefix before it writes the first object', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const outcome = await runCommand(t, ['20', '2', '--prefix', 'load/test'], { dotEnv: dotEnvOf(endpoint) });
    assertStatus(outcome, 0);
    assert.match(
      outcome.stderr,
      /^Run (\d{8}-\d{6}-[0-9a-z]{4}): 20 objects of 16KiB in bucket-a, bucket-b under load\/test\/\1\/$/m,
    );
  });

  test('prints them before the preflight writes its object, too', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'PUT.hang=100%' });
    const command = await startCommand(t, ['20', '2'], { dotEnv: dotEnvOf(endpoint) });
    await command.shows('stderr', /^Run \S+: 20 objects of 16KiB in bucket-a, bucket-b under benchmark\//m);
    command.child.kill('SIGINT');
    assert.equal((await command.outcome).stderr.match(/^Run /gm)?.length, 1);
  });
});
