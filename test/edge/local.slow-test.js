import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { folderWith, startProgram } from '../helpers/command.js';

const LOCAL = fileURLToPath(new URL('../../edge/local.js', import.meta.url));

test('without workerd, npm run edge:local prints the command that installs it', async (t) => {
  const copy = path.join(await folderWith(t, {}), 'local.mjs');
  await copyFile(LOCAL, copy);
  const { outcome } = await startProgram(t, process.execPath, [copy]);
  const { status, stdout, stderr } = await outcome;
  assert.equal(stderr, 'error: the package miniflare is not installed: run `npm run edge:install` first\n');
  assert.deepEqual([status, stdout], [2, '']);
});
