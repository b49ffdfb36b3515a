import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fileLimitProblem, openFileLimit } from '../../lib/cli/file-limit.js';
import { PROGRAM } from '../helpers/command.js';

const run = promisify(execFile);

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

test('Row 13: a run that could not open its connections is refused before it starts, with the command that raises the limit', async () => {
  const command = `ulimit -n 200; exec "$0" "$@"`;
  const parameters = ['-c', command, process.execPath, PROGRAM, '1000', '300', '--cores', '2', '--local'];
  await assert.rejects(run('bash', parameters), (/** @type {any} */ { code, stdout, stderr }) => {
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(
      stderr,
      /^error: 300 threads on 2 cores need 372 open files, and the hard limit is 200: raise it with `ulimit -n 372`/,
    );
    return true;
  });
});

for (const [limit, program] of /** @type {const} */ ([
  ['-n 48', 'r2-benchmark.js'],
  ['-n 24', 'peak-performance.js'],
  ['-v 4000000', 'r2-benchmark.js'],
])) {
  test(`a limit of ${limit} that ${program} itself does not keep is told as what it is`, async () => {
    const path = fileURLToPath(new URL(`../../${program}`, import.meta.url));
    const parameters = ['-c', `ulimit ${limit}; exec "$0" "$@"`, process.execPath, path, '5', '5', '--local'];
    const { stderr } = await run('bash', parameters).catch((error) => error);
    assert.match(stderr, /^(error: .*ulimit|Run )/m);
    assert.doesNotMatch(stderr, /defect|^ {4}at |node:internal/m);
  });
}
