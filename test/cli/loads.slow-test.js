import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { accessOrder, parseAccess } from '../../lib/workload/access.js';
import { dotEnvOf, keysIn, startCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, recordsOf } from '../helpers/outcome.js';
import { resultFrom } from '../helpers/result-schema.js';

/**
 * @import { TestContext } from 'node:test'
 */

const OBJECTS = 300;
const RUN = [`${OBJECTS}`, '8', '--run-id', 'run-1'];

/**
 * @param {TestContext} t
 * @param {readonly string[]} parameters
 * @param {string} dotEnv
 * @returns {Promise<{ stages: Record<string, any>, records: ReturnType<typeof recordsOf>, options: any, file: string }>}
 */
async function run(t, parameters, dotEnv) {
  const command = await startCommand(t, [...parameters, '--json', 'result.json'], { dotEnv });
  const outcome = await command.outcome;
  assertStatus(outcome, 0);
  const file = path.join(command.folder, 'result.json');
  const result = resultFrom(await readFile(file, 'utf8'));
  const stages = Object.fromEntries(result.stages.map((/** @type {any} */ stage) => [stage.stage, stage]));
  return { stages, records: recordsOf(outcome.stdout), options: result.options, file };
}

describe('the order of reads', { concurrency: 2 }, () => {
  test('two cores read the objects that the pattern draws, and report first reads separately', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const stages = ['--stages', 'write,read,range,stat,remove', '--range-size', '1KiB', '--size', '2KiB'];
    const parameters = [...RUN, '--cores', '2', '--access', 'zipf:0.99', ...stages];
    const { stages: ran, options } = await run(t, parameters, dotEnvOf(endpoint));
    const access = parseAccess('zipf:0.99');
    const placeOf = accessOrder({ access, objects: OBJECTS, seed: 'shard 0 of run-1' });
    const drawn = new Set(Array.from({ length: OBJECTS }, (_, claim) => placeOf(claim)));
    assert.equal(options.access, 'zipf:0.99');
    for (const name of ['Read', 'Range', 'Stat']) {
      const { operations, reads, access: shown, integrityErrors } = ran[name];
      assert.deepEqual([operations, shown, integrityErrors], [OBJECTS, 'zipf:0.99', 0]);
      const { first, repeated } = reads;
      assert.deepEqual([first.operations, repeated.operations], [drawn.size, OBJECTS - drawn.size], name);
      assert.deepEqual([first.latency.count, repeated.latency.count], [drawn.size, OBJECTS - drawn.size]);
    }
    for (const name of ['Write', 'Remove']) {
      assert.equal(ran[name].operations, OBJECTS);
      assert.equal('access' in ran[name] || 'reads' in ran[name], false);
    }
    assert.deepEqual(await keysIn(endpoint), []);
  });
});
