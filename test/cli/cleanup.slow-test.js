import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'dotenv';
import { dotEnvOf, folderWith, keysIn, runCommand, startProgram } from '../helpers/command.js';
import { freePort } from '../helpers/free-port.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';

const OBJECTS = 200;
const RUN = [`${OBJECTS}`, '5', '--size', '1KiB', '--run-id', 'a-run'];

describe('objects that are kept', { concurrency: 3 }, () => {
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
