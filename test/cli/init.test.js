import assert from 'node:assert/strict';
import { lstat, readFile, readdir, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'dotenv';
import { folderWith, runCommand, runInProcess, startProgram } from '../helpers/command.js';
import { assertStatus } from '../helpers/outcome.js';

const EXAMPLE = await readFile(new URL('../../.env.example', import.meta.url), 'utf8');

test('reports by name why nothing can be written', async (t) => {
  const folder = await folderWith(t, { 'a-file': '' });
  for (const name of ['missing/x.env', 'a-file/x.env']) {
    const { status, stdout, stderr } = await runInProcess(['init', path.join(folder, name)], {});
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, /^error: init: \S+x\.env cannot be written: E\w+: .*\n$/);
  }
  assert.deepEqual(await readdir(folder), ['a-file']);
});

describe('init', { concurrency: 3 }, () => {
  test('writes .env from the example, readable by the owner only, and never over another one', async (t) => {
    // As a run without a file says.
    const [, told] =
      /^(node \S+ init) writes \.env from \.env\.example: /m.exec((await runCommand(t, ['10', '2'])).stderr) ?? [];
    const command = await startProgram(t, '/bin/sh', ['-c', `umask 0 && ${told}`]);
    const outcome = await command.outcome;
    assertStatus(outcome, 0);
    assert.match(outcome.stdout, /^Wrote \.env: fill it in, then try node \S*r2-benchmark\.js 1000 50\n$/);
    assert.equal(outcome.stderr, '');
    const file = path.join(command.folder, '.env');
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.equal(await readFile(file, 'utf8'), EXAMPLE);
    const { S3_BUCKET, S3_HOSTNAME, S3_ACCESS_KEY, S3_SECRET_KEY } = parse(EXAMPLE);
    assert.ok(S3_BUCKET && S3_HOSTNAME && S3_ACCESS_KEY && S3_SECRET_KEY);
  });

  test('leaves an existing file unchanged', async (t) => {
    const folder = await folderWith(t, { '.env': 'S3_SECRET_KEY=the one and only\n' });
    const file = path.join(folder, '.env');
    const { status, stdout, stderr } = await runInProcess(['init', file], {});
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, /^error: init: \S+\.env exists and was not changed; expected .*\n$/);
    assert.equal(await readFile(file, 'utf8'), 'S3_SECRET_KEY=the one and only\n');
  });

  test('does not write through links, even dangling ones', async (t) => {
    const folder = await folderWith(t, {});
    const link = path.join(folder, 'link.env');
    await symlink(path.join(folder, 'nowhere.env'), link);
    assert.equal((await runInProcess(['init', link], {})).status, 2);
    assert.ok((await lstat(link)).isSymbolicLink());
    assert.deepEqual(await readdir(folder), ['link.env']);
  });

  test('accepts another name for the file', async (t) => {
    const folder = await folderWith(t, {});
    const one = path.join(folder, 'one.env');
    assert.equal((await runInProcess(['init', one], {})).status, 0);
    assert.deepEqual(await readdir(folder), ['one.env']);
  });
});
