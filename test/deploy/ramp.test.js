import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { readCommandLine } from '../../lib/cli/command-line.js';

/** @import { CommandLine } from '../../lib/cli/command-line.js' */

const OUTPUTS = { stdout: new PassThrough(), stderr: new PassThrough() };

// The options that each engine adds.
const OF_ENGINE = ['--shard', 'auto', '--run-id', 'a-run', '--start-at', '1800000000'];

test('the documented ramp parses with the options that an engine adds', async () => {
  const readme = await readFile(new URL('../../deploy/README.md', import.meta.url), 'utf8');
  const section = readme.split(/^## /m).find((part) => part.startsWith('A ramp over all hosts\n')) ?? '';
  const ramps = [...section.matchAll(/benchmark\.sbatch (.*)$/gm)].map(([, parameters]) => {
    const request = readCommandLine([...parameters.split(' '), ...OF_ENGINE], OUTPUTS);
    return /** @type {CommandLine} */ (request.options).ramp;
  });
  assert.deepEqual(ramps, [[8, 16, 32, 64, 128]]);
  const [, options] = /-e "options='([^']+)'"/.exec(section) ?? [];
  assert.doesNotThrow(() => readCommandLine(['10000', '64', ...options.split(' '), ...OF_ENGINE], OUTPUTS));
});
