import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { dotEnvOf, folderWith, keysIn, runCommand, startCommand, startProgram } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, ofKind, recordsOf } from '../helpers/outcome.js';

describe('the program', { concurrency: 3 }, () => {
  test('writes a file to fill in on request, and names the example if there is a file', async (t) => {
    const command = await startCommand(t, ['10', '2']);
    const [, told] =
      /^(node \S+ --init) writes \.env from \.env\.example: /m.exec((await command.outcome).stderr) ?? [];
    const written = await startProgram(t, '/bin/sh', ['-c', told]);
    assertStatus(await written.outcome, 0);
    assert.deepEqual(await readdir(written.folder), ['.env']);

    const { stderr } = await runCommand(t, ['10', '2'], { dotEnv: 'S3_BUCKET=a\n' });
    const [, example] = /^Fill in \.env as (\S+) shows, or try the tool without a store: --local$/m.exec(stderr) ?? [];
    assert.match(await readFile(path.resolve(written.folder, example), 'utf8'), /^S3_SECRET_KEY=/m);
  });

  test('runs with the environment alone, and with a file of another name', async (t) => {
    const endpoint = await startTestEndpoint(t, { buckets: ['bucket-a'] });
    const { hostname, port, credentials } = endpoint;
    const folder = await folderWith(t, { 'other.env': dotEnvOf(endpoint) });
    const env = {
      S3_BUCKET: 'bucket-a',
      S3_HOSTNAME: hostname,
      S3_PORT: String(port),
      S3_USE_SSL: '0',
      S3_ACCESS_KEY: credentials.accessKeyId,
      S3_SECRET_KEY: credentials.secretAccessKey,
    };
    assertStatus(await runCommand(t, ['10', '2'], { env }), 0);
    assertStatus(await runCommand(t, ['10', '2'], { env, dotEnv: 'S3_PORT=1\nS3_SECRET_KEY=another\n' }), 0);
    assertStatus(await runCommand(t, ['10', '2', '--env-file', path.join(folder, 'other.env')]), 0);
  });

  test('Row 23: uses a bucket that is listed twice once, and reports it', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const dotEnv = dotEnvOf(endpoint, { S3_BUCKET: 'bucket-a,bucket-b,bucket-a' });
    const outcome = await runCommand(t, ['10', '2', '--stages', 'write', '--keep'], { dotEnv });
    assertStatus(outcome, 0);
    assert.match(outcome.stderr, /^warning: S3_BUCKET lists a bucket more than once/m);
    assert.equal(ofKind(recordsOf(outcome.stdout), 'schedule')[0].buckets, 2);
    assert.equal((await keysIn(endpoint)).length, 10);
  });
});
