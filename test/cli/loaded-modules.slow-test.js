import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { folderWith, runCommand } from '../helpers/command.js';
import { assertStatus } from '../helpers/outcome.js';

/** @import { TestContext } from 'node:test' */

const RECORDER = new URL('../helpers/record-modules.js', import.meta.url).href;

/**
 * @param {TestContext} t
 * @param {readonly string[]} parameters
 * @param {string} [dotEnv]
 * @returns {Promise<string[]>} packages of the AWS SDK that the program has loaded when it ends
 */
async function sdkPackagesOf(t, parameters, dotEnv) {
  const file = path.join(await folderWith(t, { modules: '' }), 'modules');
  const env = { NODE_OPTIONS: `--import=${RECORDER}`, LOADED_MODULES: file };
  assertStatus(await runCommand(t, parameters, { dotEnv, env }), 0);
  const loaded = await readFile(file, 'utf8');
  return [...new Set(loaded.match(/@(?:aws-sdk|smithy)\/[\w-]+/g))];
}

describe('the AWS SDK', { concurrency: 2 }, () => {
  test('is loaded by a run with --client sdk', async (t) => {
    const packages = await sdkPackagesOf(t, ['20', '2', '--local', '--client', 'sdk']);
    assert.ok(packages.includes('@aws-sdk/client-s3'), packages.join(' '));
  });

  test('is not loaded by a run with the embedded endpoint', async (t) => {
    assert.deepEqual(await sdkPackagesOf(t, ['20', '2', '--local']), []);
    assert.deepEqual(await sdkPackagesOf(t, ['20', '2', '--local', '--cores', '2']), []);
  });
});
