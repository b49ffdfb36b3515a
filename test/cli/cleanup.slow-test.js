import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'dotenv';
import { dotEnvOf, folderWith, keysIn, runCommand, startProgram } from '../helpers/command.js';
import { freePort } from '../helpers/free-port.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, ofKind, recordsOf } from '../helpers/outcome.js';
import { machineRecords } from '../helpers/log-records.js';

const OBJECTS = 200;
const RUN = [`${OBJECTS}`, '5', '--size', '1KiB', '--run-id', 'a-run'];

describe('objects that are kept', { concurrency: 3 }, () => {
  for (const client of ['direct', 'sdk']) {
    const using = ['--client', client];

    test(`Row 30: ${client}: --keep leaves the objects for a run that reads them, and --cleanup removes nothing else`, async (t) => {
      const endpoint = await startTestEndpoint(t);
      const dotEnv = dotEnvOf(endpoint);
      const kept = await runCommand(t, [...RUN, ...using, '--keep'], { dotEnv });
      assertStatus(kept, 0);
      assert.deepEqual(
        ofKind(recordsOf(kept.stdout), 'schedule').map(({ stage }) => stage),
        ['Write', 'Read', 'Stat'],
      );
      assert.match(kept.stderr, /^The objects were kept; remove them with: node \S*r2-benchmark\.js --cleanup a-run$/m);
      const keys = await keysIn(endpoint);
      assert.equal(keys.length, OBJECTS);
      assert.ok(keys.every((key) => /^benchmark\/a-run\/[0-9a-f]{8}-\d+$/.test(key)));

      const later = await runCommand(t, [...RUN, ...using, '--stages', 'read,stat'], { dotEnv });
      assertStatus(later, 0);
      assert.deepEqual(
        machineRecords(recordsOf(later.stdout), 'stage').map(({ stage, operations }) => [stage, operations]),
        [
          ['Read', OBJECTS],
          ['Stat', OBJECTS],
        ],
      );
      assert.match(later.stderr, /^Stat checks only sizes/m);
      assert.deepEqual(await keysIn(endpoint), keys, 'a run that did not write the objects leaves them');

      const foreign = ['benchmark/a-run/notes.txt', 'benchmark/a-run2/00000000-0', 'benchmark/a-run', 'other'];
      await Promise.all(foreign.map((key) => endpoint.put('bucket-a', key, Buffer.from('not of this run'))));
      const cleaned = await runCommand(t, [...using, '--cleanup', 'a-run'], { dotEnv });
      assertStatus(cleaned, 0);
      assert.match(
        cleaned.stdout,
        /^Clean-up of run a-run: 200 objects removed .*, 0 left, kept 1 not written by this run\n$/,
      );
      assert.deepEqual((await keysIn(endpoint)).toSorted(), foreign.toSorted());
    });
  }

  test('--keep with a key that may not delete keeps what it wrote, and succeeds', async (t) => {
    const faults = 'DELETE.status=403/AccessDenied:100%,POST.status=403/AccessDenied:100%';
    const endpoint = await startTestEndpoint(t, { faults });
    const kept = await runCommand(t, [...RUN, '--keep', '--stages', 'write,stat'], { dotEnv: dotEnvOf(endpoint) });
    assertStatus(kept, 0);
    assert.match(kept.stderr, /^Deleting was refused: the preflight objects are kept /m);
    assert.match(kept.stderr, /^The objects were kept; remove them with: /m);
    const ofPreflight = 2;
    assert.equal((await keysIn(endpoint)).length, OBJECTS + ofPreflight);
  });

  test('the printed command finds the objects again, even if variables and a file name with spaces define the store', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const { S3_BUCKET, S3_PORT, ...variables } = parse(dotEnvOf(endpoint));
    const file = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
    const folder = await folderWith(t, { 'my own.env': ['S3_BUCKET=bucket-x\n', ...file].join('') });
    const envFile = path.join(folder, 'my own.env');
    const run = [...RUN, '--stages', 'write', '--keep', '--env-file', envFile];
    const kept = await runCommand(t, run, { env: { S3_BUCKET, S3_PORT } });
    assertStatus(kept, 0);
    assert.equal((await keysIn(endpoint)).length, OBJECTS);
    const [, told] = /^The objects were kept; remove them with: (.*)$/m.exec(kept.stderr) ?? [];
    assert.doesNotMatch(told, /S3_SECRET_KEY|S3_ACCESS_KEY/);
    const command = await startProgram(t, '/bin/sh', ['-c', told]);
    const cleaned = await command.outcome;
    assertStatus(cleaned, 0);
    assert.match(cleaned.stdout, /: 200 objects removed under .* in bucket-a, bucket-b, 0 left$/m);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test("objects of another run, or of another size, do not count as the run's own", async (t) => {
    const endpoint = await startTestEndpoint(t);
    const dotEnv = dotEnvOf(endpoint);
    assertStatus(await runCommand(t, [...RUN, '--stages', 'write', '--keep'], { dotEnv }), 0);

    for (const more of [
      ['--stages', 'read,stat'],
      ['--stages', 'read', '--no-preflight'],
      ['--stages', 'stat'],
    ]) {
      const smaller = await runCommand(t, [...RUN, '--size', '512', ...more], { dotEnv });
      assertStatus(smaller, 2);
      assert.equal(smaller.stdout, '');
      assert.match(
        smaller.stderr,
        /^(Checking.*\n)?Measuring.*\nerror: --size: the objects of run a-run are 1KiB each, not 512B; expected --size 1KiB\n$/,
      );
    }

    const another = await runCommand(t, [...RUN, '--run-id', 'another', '--stages', 'read'], { dotEnv });
    assertStatus(another, 1);
    assert.equal(machineRecords(recordsOf(another.stdout), 'stage')[0].failed, OBJECTS);
    assert.match(another.stderr, /^Read: \S+ failed: HTTP 404 NoSuchKey/m);
  });

  test('the Remove stage alone removes the objects of an earlier run', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const dotEnv = dotEnvOf(endpoint);
    assertStatus(await runCommand(t, [...RUN, '--stages', 'write', '--keep'], { dotEnv }), 0);
    assertStatus(await runCommand(t, [...RUN, '--stages', 'remove'], { dotEnv }), 0);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('cleans up more objects than a listing page holds', async (t) => {
    const endpoint = await startTestEndpoint(t, { buckets: ['bucket-a'] });
    const dotEnv = dotEnvOf(endpoint);
    const run = ['20000', '20', '--size', '1', '--run-id', 'many', '--stages', 'write'];
    const outcome = await runCommand(t, run, { dotEnv });
    assertStatus(outcome, 0);
    assert.match(outcome.stderr, /^Clean-up of run many: 20000 objects removed .*, 0 left$/m);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('a clean-up that cannot reach the store, or lacks permission, exits with status 2', async (t) => {
    const endpoint = await startTestEndpoint(t, { port: await freePort() });
    const denied = await runCommand(t, ['--cleanup', 'a-run'], {
      dotEnv: dotEnvOf(endpoint, { S3_SECRET_KEY: 'a-wrong-secret-key' }),
    });
    assertStatus(denied, 2);
    assert.match(denied.stderr, /^error: .*S3_SECRET_KEY/);
    await endpoint.close();
    const unreachable = await runCommand(t, ['--cleanup', 'a-run'], { dotEnv: dotEnvOf(endpoint) });
    assertStatus(unreachable, 2);
  });

  test('a clean-up survives errors of the store, and counts what it could not remove', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'seed=7, LIST.status=503:20%, POST.status=500:20%' });
    const dotEnv = dotEnvOf(endpoint);
    assertStatus(await runCommand(t, [...RUN, '--stages', 'write', '--keep'], { dotEnv }), 0);
    const outcome = await runCommand(t, ['--cleanup', 'a-run'], { dotEnv });
    assertStatus(outcome, 0);
    assert.deepEqual(await keysIn(endpoint), []);

    const stubborn = await startTestEndpoint(t, { faults: 'POST.status=501:100%' });
    const left = await runCommand(t, [...RUN, '--stages', 'write'], { dotEnv: dotEnvOf(stubborn) });
    assertStatus(left, 1);
    assert.match(left.stderr, /^error: clean-up: .*501/m);
    assert.match(left.stderr, /try again with: node \S*r2-benchmark\.js --cleanup a-run$/m);
    assert.equal((await keysIn(stubborn)).length, OBJECTS);
  });
});
