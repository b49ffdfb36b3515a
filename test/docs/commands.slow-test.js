import assert from 'node:assert/strict';
import { copyFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { folderWith } from '../helpers/command.js';
import { r2Line } from '../helpers/traffic-logs.js';
import { PROGRAMS, ROOT, runInShell, runnable } from './pages.js';

const ACCESS_LOG = Array.from({ length: 100 }, (_, index) =>
  r2Line({ at: 1e12 + index * 10, does: 'GetObject', key: `k${index % 7}`, size: 900, bytes: 900 }),
).join('\n');

describe('commands on the pages', { concurrency: 2 }, () => {
  for (const command of runnable) {
    test(`run with fewer objects: ${command}`, async (t) => {
      const folder = await folderWith(t, { 'access.ndjson': ACCESS_LOG });
      await Promise.all(PROGRAMS.map((name) => symlink(path.join(ROOT, name), path.join(folder, name))));
      await copyFile(path.join(ROOT, 'test/golden/own-log.txt'), path.join(folder, 'log-fra-1.txt'));
      const shorter = command.replace(
        /^(node r2-benchmark\.js (?:ab |sweep )?)(\d+) (\d+)(?= |$)/,
        (_, program, objects, threads) => `${program}${Math.min(objects, 200)} ${Math.min(threads, 10)}`,
      );
      const stages = command.includes(' sweep ') ? ' --duration 1s' : '';
      const { status, stdout, stderr } = await runInShell(shorter + stages, folder);
      assert.deepEqual([status, stdout === ''], [0, false], stderr);
    });
  }
});
