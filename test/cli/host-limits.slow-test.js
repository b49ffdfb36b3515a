import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PROGRAM } from '../helpers/command.js';

const run = promisify(execFile);

test('Row 13: refuses a run that could not open its connections before it starts, and prints the command that raises the limit', async () => {
  const command = `ulimit -n 200; exec "$0" "$@"`;
  const parameters = ['-c', command, process.execPath, PROGRAM, '1000', '300', '--cores', '2', '--local'];
  await assert.rejects(run('bash', parameters), (/** @type {any} */ { code, stdout, stderr }) => {
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(
      stderr,
      /^error: 300 threads on 2 cores need 374 open files, but the hard limit is 200: raise it with `ulimit -n 374`/,
    );
    return true;
  });
});

for (const [limit, program] of [
  // At the second limit, Node reports a package as missing.
  ...[24, 36, 48].map((files) => [`-n ${files}`, 'r2-benchmark.js']),
  ['-n 24', 'peak-performance.js'],
  ['-v 4000000', 'r2-benchmark.js'],
]) {
  test(`reports a limit of ${limit} that ${program} itself exceeds for what it is`, async () => {
    const path = fileURLToPath(new URL(`../../${program}`, import.meta.url));
    const parameters = ['-c', `ulimit ${limit}; exec "$0" "$@"`, process.execPath, path, '5', '5', '--local'];
    const { stderr } = await run('bash', parameters).catch((error) => error);
    assert.match(stderr, /^(error: .*ulimit|Run )/m);
    assert.doesNotMatch(stderr, /defect|^ {4}at |node:internal/m);
  });
}
