import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { dotEnvOf, keysIn, runCommand, startCommand, startProgram } from '../helpers/command.js';
import { startFaultProxy } from '../helpers/fault-proxy.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, withoutPhases } from '../helpers/outcome.js';
import { startVersionedStore } from '../helpers/versioned-store.js';

/** @import { TestContext } from 'node:test' */

const OBJECTS = 60;
const RUN = [`${OBJECTS}`, '5', '--size', '1KiB', '--run-id', 's'];
const KEEPING = [...RUN, '--keep', '--stages', 'write'];

/**
 * Runs a printed command in a shell, with the variables of the run.
 *
 * @param {TestContext} t
 * @param {string} stderr
 * @param {RegExp} pattern whose first group is the command
 * @param {string} dotEnv
 */
async function runPrinted(t, stderr, pattern, dotEnv) {
  const [, printed = ''] = pattern.exec(stderr) ?? [];
  assert.match(printed, /^node \S*r2-benchmark\.js /, stderr);
  const { outcome } = await startProgram(t, '/bin/sh', ['-c', printed], { dotEnv });
  return outcome;
}

describe('objects and versions that exist before a run', { concurrency: 3 }, () => {
  test('Row 32: a run id in use is refused before the first write, with the commands that read and remove its objects', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const dotEnv = dotEnvOf(endpoint);
    assertStatus(await runCommand(t, KEEPING, { dotEnv }), 0);
    const before = await endpoint.report();
    const keys = await keysIn(endpoint);
    assert.equal(keys.length, OBJECTS);

    const fewer = ['30', '5', '--size', '1KiB', '--run-id', 's'];
    const unchecked = await runCommand(t, [...fewer, '--no-preflight'], { dotEnv });
    assertStatus(unchecked, 2);
    assert.equal(unchecked.stdout, '', 'no stage begins');
    const lines = withoutPhases(unchecked.stderr).split('\n');
    const inUse = `error: run s is in use: ${OBJECTS} of its objects are under benchmark/s/ in bucket-a, bucket-b; `;
    assert.ok(lines[0].startsWith(inUse), unchecked.stderr);
    assert.equal(lines.length, 4, 'the error, two commands, nothing else');
    const after = await endpoint.report();
    assert.deepEqual(
      [after.requests.PUT.total, after.requests.DELETE.total],
      [before.requests.PUT.total, before.requests.DELETE.total],
    );

    const refused = await runCommand(t, fewer, { dotEnv });
    const read = await runPrinted(t, refused.stderr, /^Read them with: (.*)$/m, dotEnv);
    assertStatus(read, 0);
    assert.match(read.stdout, new RegExp(`^Read: scheduling for ${OBJECTS} objects`, 'm'));
    assert.deepEqual(await keysIn(endpoint), keys);
    assertStatus(await runPrinted(t, refused.stderr, /^Remove them with: (.*)$/m, dotEnv), 0);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('Row 32: shards that start together do not refuse each other', async (t) => {
    const endpoint = await startTestEndpoint(t);
    /** @type {(value?: unknown) => void} */
    let meet = () => {};
    const bothWrite = new Promise((resolve) => (meet = resolve));
    const writing = new Set();
    const proxy = await startFaultProxy(t, endpoint, async (exchange) => {
      if (exchange.operation === 'PUT' && exchange.index >= 0) {
        writing.add(exchange.index % 2);
        if (writing.size === 2) {
          meet();
        }
        // Both shards are in Write at the same time.
        await bothWrite;
      }
      return exchange.pass();
    });
    const dotEnv = dotEnvOf(endpoint, { S3_PORT: proxy.port });
    const outcomes = await Promise.all(
      ['0/2', '1/2'].map((shard) => runCommand(t, [...RUN, '--shard', shard, '--timeout', '1m'], { dotEnv })),
    );
    outcomes.forEach((outcome) => assertStatus(outcome, 0));
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('Row 32: a restarted shard is refused until its own objects are cleaned up, and those of others stay', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'PUT.latency=200ms' });
    const dotEnv = dotEnvOf(endpoint);
    const other = [...KEEPING, '--shard', '0/2'];
    assertStatus(await runCommand(t, other, { dotEnv }), 0);
    const othersKeys = await keysIn(endpoint);

    const shard = [...RUN, '--shard', '1/2'];
    const killed = await startCommand(t, shard, { dotEnv });
    await killed.shows('stdout', /^Write: scheduling/m);
    while ((await keysIn(endpoint)).length < othersKeys.length + 5) {
      await wait(50);
    }
    killed.child.kill('SIGKILL');
    await killed.outcome;

    const refused = await runCommand(t, shard, { dotEnv });
    assertStatus(refused, 2);
    assert.match(refused.stderr, /^Remove them with: node .* cleanup s --shard 1\/2$/m);
    const cleaned = await runPrinted(t, refused.stderr, /^Remove them with: (.*)$/m, dotEnv);
    assertStatus(cleaned, 0);
    assert.match(cleaned.stdout, /^Clean-up of run s, shard 1\/2: [\d,]+ objects removed .*, 0 left$/m);
    assert.deepEqual((await keysIn(endpoint)).toSorted(), othersKeys.toSorted());
    assertStatus(await runCommand(t, shard, { dotEnv }), 0);
    assert.deepEqual((await keysIn(endpoint)).toSorted(), othersKeys.toSorted());
  });

  test('Row 32: if listing is forbidden, the run reports it and continues', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'LIST.status=403/AccessDenied:100%' });
    const outcome = await runCommand(t, RUN, { dotEnv: dotEnvOf(endpoint) });
    assertStatus(outcome, 0);
    assert.match(
      outcome.stderr,
      /^It is unknown whether run s already has objects in bucket-[ab], bucket-[ab], because listing failed \(HTTP 403 AccessDenied.*\); whether it leaves any will be unknown, too$/m,
    );
  });

  test('Row 49: of two runs with one run id, started together, one is refused before its first write', async (t) => {
    const endpoint = await startTestEndpoint(t);
    /** @type {(value?: unknown) => void} */
    let end = () => {};
    const oneHasEnded = new Promise((resolve) => (end = resolve));
    const proxy = await startFaultProxy(t, endpoint, async (exchange) => {
      if (exchange.operation === 'PUT' && exchange.index >= 0) {
        await oneHasEnded;
      }
      return exchange.pass();
    });
    const dotEnv = dotEnvOf(endpoint, { S3_PORT: proxy.port });
    const runs = [1, 2].map(async () => {
      const outcome = await runCommand(t, [...RUN, '--timeout', '1m'], { dotEnv });
      end();
      return outcome;
    });
    const [complete, refused] = (await Promise.all(runs)).toSorted(
      (one, other) => Number(one.status) - Number(other.status),
    );
    assertStatus(complete, 0);
    assertStatus(refused, 2);
    assert.equal(refused.stdout, '');
    assert.match(refused.stderr, /^error: run s is in use: /m);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('Row 33: a bucket that keeps versions is refused before anything is written', async (t) => {
    const store = await startVersionedStore(t);
    for (const more of [[], ['--no-preflight']]) {
      const refused = await runCommand(t, [...RUN, ...more], { dotEnv: store.dotEnv });
      assertStatus(refused, 2);
      assert.match(refused.stderr, /^error: bucket "bucket-a" keeps versions.* pass --allow-versioned/m);
      assert.equal(refused.stdout, '');
    }
    assert.deepEqual([store.countOf('PUT'), store.size], [0, 0]);
  });

  test('Row 33: the answer to a probe shows that a bucket keeps versions if the bucket does not report it', async (t) => {
    const store = await startVersionedStore(t, { status: 'Suspended', reportsStatus: false });
    const refused = await runCommand(t, RUN, { dotEnv: store.dotEnv });
    assertStatus(refused, 2);
    assert.match(refused.stderr, /^error: bucket "bucket-a" keeps versions/m);
    assert.match(refused.stderr, /^Clean-up of run s: .*, 0 left$/m);
    assert.deepEqual(
      [refused.stdout, store.countOf('PUT'), store.size],
      ['', 2, 0],
      'no version of the marker and the probe remains',
    );
    assertStatus(await runCommand(t, [...RUN, '--allow-versioned'], { dotEnv: store.dotEnv }), 0);
    assert.equal(store.size, 0);
  });

  test('Row 33: R2, which answers a write with a version but keeps none, is not refused', async (t) => {
    for (const reportsStatus of [true, false]) {
      const store = await startVersionedStore(t, { status: 'R2', reportsStatus });
      const outcome = await runCommand(t, RUN, { dotEnv: store.dotEnv });
      assertStatus(outcome, 0);
      const stderr = withoutPhases(outcome.stderr);
      assert.equal(stderr, 'Run s: 60 objects of 1KiB in bucket-a under benchmark/s/\n');
      assert.deepEqual([store.size, store.countOf('VERSIONS')], [0, 0]);
    }
  });

  test('Row 33: the run reports if it cannot find out whether versions are kept', async (t) => {
    const store = await startVersionedStore(t, { status: 'R2', reportsStatus: false });
    const outcome = await runCommand(t, [...RUN, '--no-preflight'], { dotEnv: store.dotEnv });
    assertStatus(outcome, 0);
    assert.match(
      outcome.stderr,
      /^It is unknown whether bucket "bucket-a" keeps versions of removed objects \(HTTP 403 AccessDenied/m,
    );
  });

  test('Row 57: a list of versions that does not work is found before the first write', async (t) => {
    const store = await startVersionedStore(t, { listsVersions: false });
    const refused = await runCommand(t, [...RUN, '--allow-versioned'], { dotEnv: store.dotEnv });
    assertStatus(refused, 2);
    assert.match(
      refused.stderr,
      /^error: bucket "bucket-a" keeps versions, which clean-up could not remove, because they cannot be listed \(the response to ListObjectVersions is not a list\)$/m,
    );
    assert.equal(store.countOf('PUT'), 0);
  });

  test(`Row 33: with --allow-versioned, all versions of the run's own keys are removed and counted`, async (t) => {
    const store = await startVersionedStore(t, { pageLength: 3 });
    const foreign = ['benchmark/s/notes.txt', 'benchmark/s/00000000-1', 'benchmark/other/1', 'elsewhere'];
    foreign.forEach((key) => store.versions.set(key, [{ id: 'old', body: Buffer.from(key) }]));
    const outcome = await runCommand(t, [...RUN, '--allow-versioned'], { dotEnv: store.dotEnv });
    assertStatus(outcome, 0);
    const keys = store.countOf('PUT');
    assert.ok(keys > OBJECTS, 'probes are among them');
    // The run's marker is the one object that nothing has deleted before. Preflight also deletes its object in a batch.
    const versions = keys + store.countOf('DELETE');
    assert.match(
      outcome.stderr,
      new RegExp(
        `^Clean-up of run s: 1 object and ${versions} older versions and delete markers removed .*, 0 left, kept 2 `,
        'm',
      ),
    );
    assert.deepEqual([...store.versions.keys()].toSorted(), foreign.toSorted());
  });

  test('Row 33: versions that cannot be removed are counted as left', async (t) => {
    const store = await startVersionedStore(t);
    store.mayRemove = (key) => !key.endsWith('7');
    const outcome = await runCommand(t, [...RUN, '--allow-versioned', '--no-preflight'], { dotEnv: store.dotEnv });
    assertStatus(outcome, 1);
    const left = store.size;
    assert.ok(left > 0);
    assert.match(outcome.stderr, new RegExp(`^error: Clean-up of run s: .*, ${left} left; try again with: `, 'm'));
    assert.match(outcome.stderr, /^error: clean-up: benchmark\/s\/\S+: AccessDenied$/m);
    const listed = await runCommand(t, ['cleanup', 'list'], { dotEnv: store.dotEnv });
    assert.match(listed.stderr, /^Bucket "bucket-a" keeps versions: /m);
  });
});
