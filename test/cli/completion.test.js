import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { completionScript } from '../../lib/cli/completion.js';
import { SHELLS } from '../../lib/cli/help.js';
import { optionsOf } from '../../lib/options/table.js';
import { runInProcess } from '../helpers/command.js';

/**
 * @param {readonly string[]} words on the command line; the last is to be completed
 * @returns {Promise<string[]>} what bash offers
 */
async function completed(...words) {
  const current = words.length - 1;
  const script = `${completionScript('bash')}
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${current}
    _r2_benchmark r2-benchmark '${words[current]}' '${words[current - 1]}'
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: import.meta.dirname });
  return stdout.trim().split('\n').sort();
}

test('bash completes commands, the options of a command, and the values of an option', async () => {
  assert.deepEqual(await completed('r2-benchmark', 'c'), ['cleanup', 'compare', 'completion']);
  assert.deepEqual(await completed('r2-benchmark', '100', '10', '--max'), ['--max-cost', '--max-operations']);
  assert.deepEqual(await completed('r2-benchmark', 'compare', '--m'), ['--margin']);
  assert.deepEqual(await completed('r2-benchmark', '100', '10', '--client', ''), ['direct', 'edge', 'public', 'sdk']);
  assert.deepEqual(await completed('r2-benchmark', 'completion', 'b'), ['bash']);
  assert.match(completionScript('bash'), /^complete -o default /m);
  // All else is a file name, which the shell completes by default.
  for (const words of [
    ['--json', 'c'],
    ['100', '10', 'c'],
    ['merge', 'c'],
  ]) {
    assert.deepEqual(await completed('r2-benchmark', ...words), [''], words.join(' '));
  }
});

test('fish completes only the options of the command, and the values of an option', () => {
  const script = completionScript('fish');
  assert.match(script, /^complete -c r2-benchmark -n '__r2_benchmark_is compare ab' -l margin -x -d /m);
  assert.match(script, /^complete -c r2-benchmark -n '__r2_benchmark_is run [^']+' -l client -x -a 'direct sdk /m);
});

test('every shell gets every option of a run', () => {
  for (const shell of SHELLS) {
    const script = completionScript(shell);
    for (const [name, { flag }] of optionsOf('run')) {
      assert.ok(
        script.includes(shell === 'fish' ? ` -l ${flag.split(' ')[0].slice(2)} ` : flag.split(' ')[0]),
        `${shell} ${name}`,
      );
    }
  }
});

test('a script is all that is printed, and an unknown shell is refused', async () => {
  const { status, stdout, stderr } = await runInProcess(['completion', 'fish'], {});
  assert.deepEqual([status, stdout, stderr], [0, `${completionScript('fish')}\n`, '']);
  const refused = await runInProcess(['completion', 'tcsh'], {});
  assert.deepEqual(
    [refused.status, refused.stderr.split('\n')[0]],
    [2, 'error: <shell>: expected bash, zsh, fish, got "tcsh"'],
  );
});
