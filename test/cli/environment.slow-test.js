import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { dotEnvOf, keysIn, runCommand, startCommand, startProgram } from '../helpers/command.js';
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
