import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { fileLimitProblem, openFileLimit, quota, usableCores } from '../../lib/cli/host-limits.js';

test('a quota is the CPU time of a period by its length', () => {
  assert.equal(quota('150000 100000\n'), 1.5);
  assert.equal(quota('50000 100000'), 0.5);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1000, max: 1_000_000 }), (cores, period) => {
      assert.equal(quota(`${cores * period} ${period}\n`), cores);
    }),
  );
});

test('where there is no quota, or none that can be read, there is no limit', () => {
  for (const text of ['max 100000\n', '', 'max', '100000', '100000 0', '-1 100000', '1e5 100000', 'nonsense 100000']) {
    assert.equal(quota(text), Infinity, JSON.stringify(text));
  }
});

test('a process may use at least one core, and no more than it may run on', () => {
  const cores = usableCores();
  assert.ok(Number.isInteger(cores) && cores >= 1 && cores <= availableParallelism());
});

test('threads that fit below the limit are no problem, and one more than fits is', () => {
  assert.equal(fileLimitProblem({ threads: 936, cores: 1 }, 1000), null);
  assert.match(
    fileLimitProblem({ threads: 937, cores: 1 }, 1000) ?? '',
    /^937 threads need 1001 open files, and the hard limit is 1000: /,
  );
  assert.equal(fileLimitProblem({ threads: 100_000, cores: 1 }, Infinity), null);
});

test('the event loops of several cores take files, too', () => {
  assert.equal(fileLimitProblem({ threads: 928, cores: 2 }, 1000), null);
  assert.match(
    fileLimitProblem({ threads: 929, cores: 2 }, 1000) ?? '',
    /^929 threads on 2 cores need 1001 open files, /,
  );
});

test('an event loop takes no more files than are counted for it', { skip: process.platform !== 'linux' }, async (t) => {
  const openFiles = () => readdirSync('/proc/self/fd').length;
  const start = async () => {
    const worker = new Worker('setInterval(() => {}, 1000)', { eval: true });
    t.after(() => worker.terminate());
    await once(worker, 'online');
  };
  await start();
  const before = openFiles();
  await start();
  assert.ok(openFiles() - before <= 4, `${openFiles() - before} files`);
});

test('the hard limit is read from the report of the process, and a report without one sets none', () => {
  assert.equal(openFileLimit({ getReport: () => ({ userLimits: { open_files: { soft: 1024, hard: 4096 } } }) }), 4096);
  assert.equal(openFileLimit({ getReport: () => ({ userLimits: { open_files: { hard: 'unlimited' } } }) }), Infinity);
  assert.equal(openFileLimit({ getReport: () => ({}) }), Infinity);
  assert.ok(openFileLimit(/** @type {any} */ (process.report)) > 0);
});
