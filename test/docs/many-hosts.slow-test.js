import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { dotEnvOf, folderWith, keysIn } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { resultFrom } from '../helpers/result-schema.js';
import { fences, shellCommands } from './markdown.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const HOSTS = ['fra-1', 'fra-2', 'fra-3'];
const OBJECTS = 400;

/** Makes the program see another host name. */
const NAMED = `
  import { syncBuiltinESMExports } from 'node:module';
  import os from 'node:os';
  os.hostname = () => process.env.HOST;
  syncBuiltinESMExports();
`;

const page = await readFile(path.join(ROOT, 'README.md'), 'utf8');

/** @returns {[onEachHost: string, merge: string, report: string]} the README's recipe for many hosts */
function recipe() {
  const fence = fences(page).find(({ text }) => text.includes('# on every host'));
  const [onEachHost, merge, report, ...others] = shellCommands(fence?.text ?? '');
  assert.deepEqual(others, []);
  return [onEachHost, merge, report];
}

test('the README’s recipe for many hosts merges them without a warning, as text and as a report', async (t) => {
  const endpoint = await startTestEndpoint(t);
  const folder = await folderWith(t, { '.env': dotEnvOf(endpoint) });
  for (const program of ['r2-benchmark.js', 'peak-performance.js']) {
    await symlink(path.join(ROOT, program), path.join(folder, program));
  }
  await mkdir(path.join(folder, 'bin'));
  const hostname = path.join(folder, 'bin/hostname');
  await writeFile(hostname, '#!/bin/sh\necho "$HOST"\n');
  await chmod(hostname, 0o755);
  const shell = (/** @type {string} */ command, /** @type {string} */ host) =>
    /** @type {Promise<{ status: number, stdout: string, stderr: string }>} */ (
      new Promise((resolve) => {
        const env = {
          PATH: `${path.dirname(hostname)}:${process.env.PATH}`,
          HOME: folder,
          HOST: host,
          NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(NAMED)}`,
        };
        const child = execFile('/bin/sh', ['-c', command], { cwd: folder, env }, (_error, stdout, stderr) =>
          resolve({ status: Number(child.exitCode), stdout, stderr }),
        );
      })
    );
  const [onEachHost, merge, report] = recipe();
  const started = onEachHost.replace(/^node r2-benchmark\.js \d+ \d+ /, `node r2-benchmark.js ${OBJECTS} 10 `);
  assert.notEqual(started, onEachHost);

  for (const { status, stderr } of await Promise.all(HOSTS.map((host) => shell(started, host)))) {
    assert.equal(status, 0, stderr);
  }
  const merged = await shell(`${merge} --json merged.json`, 'any');
  assert.deepEqual([merged.status, merged.stderr], [0, '']);
  const { merge: sum, stages } = resultFrom(await readFile(path.join(folder, 'merged.json'), 'utf8'));
  assert.deepEqual(sum.warnings, []);
  assert.deepEqual(
    stages.map((/** @type {any} */ { operations }) => operations),
    stages.map(() => HOSTS.length * OBJECTS),
  );
  HOSTS.forEach((host) => assert.match(merged.stdout, new RegExp(`^ +${host} `, 'm')));

  const written = await shell(report, 'any');
  assert.deepEqual([written.status, written.stderr], [0, ''], written.stdout);
  assert.doesNotMatch(await readFile(path.join(folder, 'report.html'), 'utf8'), /--run-id/);
  assert.deepEqual(await keysIn(endpoint), []);
});
