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
  test('Row 30: --keep leaves the objects for a run that reads them, and cleanup removes nothing else', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const dotEnv = dotEnvOf(endpoint);
    const kept = await runCommand(t, [...RUN, '--keep'], { dotEnv });
    assertStatus(kept, 0);
    assert.deepEqual(
      ofKind(recordsOf(kept.stdout), 'schedule').map(({ stage }) => stage),
      ['Write', 'Read', 'Stat'],
    );
    assert.match(kept.stderr, /^The objects were kept; remove them with: node \S*r2-benchmark\.js cleanup a-run$/m);
    const keys = await keysIn(endpoint);
    assert.equal(keys.length, OBJECTS);
    assert.ok(keys.every((key) => /^benchmark\/a-run\/[0-9a-f]{8}-\d+$/.test(key)));

    const later = await runCommand(t, [...RUN, '--stages', 'read,stat'], { dotEnv });
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
    const cleaned = await runCommand(t, ['cleanup', 'a-run'], { dotEnv });
    assertStatus(cleaned, 0);
    assert.match(
      cleaned.stdout,
      /^Clean-up of run a-run: 200 objects removed .*, 0 left, kept 1 not written by this run\n$/,
    );
    assert.deepEqual((await keysIn(endpoint)).toSorted(), foreign.toSorted());
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

  test('a clean-up that cannot reach the store, or lacks permission, exits with status 2', async (t) => {
    const endpoint = await startTestEndpoint(t, { port: await freePort() });
    const denied = await runCommand(t, ['cleanup', 'a-run'], {
      dotEnv: dotEnvOf(endpoint, { S3_SECRET_KEY: 'a-wrong-secret-key' }),
    });
    assertStatus(denied, 2);
    assert.match(denied.stderr, /^error: .*S3_SECRET_KEY/);
    await endpoint.close();
    const unreachable = await runCommand(t, ['cleanup', 'a-run'], { dotEnv: dotEnvOf(endpoint) });
    assertStatus(unreachable, 2);
  });
});
