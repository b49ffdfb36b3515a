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

/** @param {string} command */
function shortened(command) {
  const fewer = command.replace(
    /^(node r2-benchmark\.js (?:ab |sweep )?)(\d+) (\d+)(?= |$)/,
    (_, program, objects, threads) => `${program}${Math.min(objects, 200)} ${Math.min(threads, 10)}`,
  );
  return command.includes(' sweep ') ? `${fewer} --duration 1s` : fewer;
}

/** .ci/run runs the command of README. */
const commands = [...runnable].filter((command) => command !== 'node r2-benchmark.js quick --local').map(shortened);

describe('commands on the pages, with fewer objects', { concurrency: 2 }, () => {
  for (const command of new Set(commands)) {
    test(command, async (t) => {
      const folder = await folderWith(t, { 'access.ndjson': ACCESS_LOG });
      await Promise.all(PROGRAMS.map((name) => symlink(path.join(ROOT, name), path.join(folder, name))));
      await copyFile(path.join(ROOT, 'test/golden/own-log.txt'), path.join(folder, 'log-fra-1.txt'));
      const { status, stdout, stderr } = await runInShell(command, folder);
      assert.deepEqual([status, stdout === ''], [0, false], stderr);
    });
  }
});
