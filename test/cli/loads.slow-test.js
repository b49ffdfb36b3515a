import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { accessOrder, parseAccess } from '../../lib/workload/access.js';
import { largestSize, parseSizes } from '../../lib/workload/size-distribution.js';
import { objectSizes } from '../../lib/workload/size-distribution.js';
import { dotEnvOf, keysIn, startCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, recordsOf } from '../helpers/outcome.js';
import { resultFrom } from '../helpers/result-schema.js';
import { machineRecords } from '../helpers/log-records.js';

/**
 * @import { SizeDistribution } from '../../lib/model/config.js'
 * @import { TestContext } from 'node:test'
 */

const OBJECTS = 300;
const RUN = [`${OBJECTS}`, '8', '--run-id', 'run-1'];
const WEIGHTED = '4KiB=60,64KiB=30,1MiB=10';

/**
 * @param {string} given value of --size
 * @param {number} objects
 * @returns {number[]} bytes of each object of the run
 */
function sizesOf(given, objects = OBJECTS) {
  const sizes = /** @type {SizeDistribution} */ (parseSizes(given));
  return Array.from({ length: objects }, (_, index) => index).map(
    objectSizes({ runId: 'run-1', size: largestSize(sizes), sizes }),
  );
}

/** @param {readonly number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

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

describe('objects of several sizes', { concurrency: 2 }, () => {
  test('two cores transfer the bytes of all objects, and verify each', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const parameters = [...RUN, '--cores', '2', '--size', WEIGHTED];
    const { stages, records, options } = await run(t, parameters, dotEnvOf(endpoint));
    const sizes = sizesOf(WEIGHTED);
    const countOf = (/** @type {number} */ bytes) => sizes.filter((size) => size === bytes).length;
    assert.deepEqual([options.size, options.sizes], [2 ** 20, WEIGHTED]);
    for (const name of ['Write', 'Read', 'Stat', 'Remove']) {
      const { operations, bytes, objectSize, sizeClasses, average, averageBytes, seconds } = stages[name];
      const moved = name === 'Write' || name === 'Read' ? sum(sizes) : 0;
      assert.deepEqual([operations, bytes, objectSize], [OBJECTS, moved, 2 ** 20], name);
      assert.equal(sum(seconds.map((/** @type {any} */ second) => second.bytes)), bytes);
      assert.deepEqual(
        sizeClasses.map((/** @type {any} */ each) => [each.from, each.to, each.operations, each.latency.count]),
        [4096, 65536, 2 ** 20].map((size) => [size, size, countOf(size), countOf(size)]),
      );
      const rates = sizeClasses.map((/** @type {any} */ each) => each.average);
      const byteRates = sizeClasses.map((/** @type {any} */ each) => each.averageBytes);
      assert.ok(Math.abs(sum(rates) / average - 1) < 1e-9);
      assert.ok(Math.abs(sum(byteRates) - averageBytes) <= 1e-9 * averageBytes);
      assert.equal('reads' in stages[name], false);
    }
    assert.equal(machineRecords(records, 'run')[0].options.sizes, WEIGHTED);
    assert.deepEqual(
      machineRecords(records, 'stage').map(({ bytes }) => bytes),
      [sum(sizes), sum(sizes), 0, 0],
    );
    // The lines of all four stages show the sizes of the objects, as in the original tool.
    const shown = records.filter(({ kind }) => kind === 'summary').map(({ megabytes }) => megabytes);
    assert.deepEqual(
      shown,
      Array.from({ length: 4 }, () => Math.round((10 * sum(sizes)) / 2 ** 20) / 10),
    );
    assert.deepEqual(await keysIn(endpoint), []);
  });
});

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
