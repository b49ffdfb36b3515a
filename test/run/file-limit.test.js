import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { fileLimitProblem } from '../../lib/run/prepare-run.js';
import { openFileLimit } from '../../lib/measure/host/limits.js';

test('threads that just fit the limit are accepted, and one more is refused', () => {
  assert.equal(fileLimitProblem({ threads: 936, cores: 1 }, 1000), null);
  assert.match(
    fileLimitProblem({ threads: 937, cores: 1 }, 1000) ?? '',
    /^937 threads on 1 core need 1001 open files, but the hard limit is 1000: /,
  );
  assert.equal(fileLimitProblem({ threads: 100_000, cores: 1 }, Infinity), null);
});

test('event loops of further workers also need files', () => {
  assert.match(fileLimitProblem({ threads: 469, cores: 1, publicHosts: 1 }, 1000) ?? '', / need 1002 open files/);
  assert.equal(fileLimitProblem({ threads: 926, cores: 2 }, 1000), null);
  assert.match(
    fileLimitProblem({ threads: 927, cores: 2 }, 1000) ?? '',
    /^927 threads on 2 cores need 1001 open files, /,
  );
});

test('an event loop opens no more files than are counted for it', { skip: process.platform !== 'linux' }, async (t) => {
  const openFiles = () => readdirSync('/proc/self/fd').length;
  const start = async () => {
    const worker = new Worker('setInterval(() => {}, 1000)', { eval: true });
    t.after(() => worker.terminate());
    await once(worker, 'online');
  };
  await start();
  const before = openFiles();
  await start();
  assert.ok(openFiles() - before <= 5, `${openFiles() - before} files`);
});

test('the hard limit comes from the process report; a report without one sets none', () => {
  assert.equal(openFileLimit({ getReport: () => ({ userLimits: { open_files: { soft: 1024, hard: 4096 } } }) }), 4096);
  assert.equal(openFileLimit({ getReport: () => ({ userLimits: { open_files: { hard: 'unlimited' } } }) }), Infinity);
  assert.equal(openFileLimit({ getReport: () => ({}) }), Infinity);
  assert.ok(openFileLimit(/** @type {any} */ (process.report)) > 0);
});
