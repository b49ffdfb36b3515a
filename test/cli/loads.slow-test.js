import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { main as peakPerformance } from '../../lib/cli/merge.js';
import { accessOrder, parseAccess } from '../../lib/workload/access.js';
import { largestSize, parseSizes } from '../../lib/workload/size-distribution.js';
import { objectSizes } from '../../lib/workload/sizes.js';
import { CALLED_IN_CLONE, dotEnvOf, keysIn, runCommand, startCommand } from '../helpers/command.js';
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

/**
 * @param {readonly string[]} files
 * @returns {Promise<{ status: number, warnings: string, result: any }>}
 */
async function merged(files) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const streams = { ...CALLED_IN_CLONE, stdin: Readable.from([]), stdout, stderr };
  const ended = peakPerformance([...files, '--json', '-'], {}, streams).finally(() =>
    [stdout, stderr].forEach((each) => each.end()),
  );
  const [status, written, warnings] = await Promise.all([ended, text(stdout), text(stderr)]);
  return { status, warnings, result: resultFrom(written) };
}

describe('objects of several sizes', { concurrency: 2 }, () => {
  for (const [client, cores] of [
    ['direct', '1'],
    ['sdk', '1'],
    ['direct', '2'],
  ]) {
    test(`the ${client} client on ${cores} cores transfers the bytes of all objects, and verifies each`, async (t) => {
      const endpoint = await startTestEndpoint(t);
      const parameters = [...RUN, '--client', client, '--cores', cores, '--size', WEIGHTED];
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
      assert.deepEqual(await keysIn(endpoint), []);
    });
  }

  for (const sizes of ['1KiB..64KiB', 'lognormal:4KiB:1']) {
    test(`${sizes}: classes are powers of two, and include all operations`, async (t) => {
      const endpoint = await startTestEndpoint(t);
      const { stages } = await run(t, [...RUN, '--size', sizes], dotEnvOf(endpoint));
      const { sizeClasses, bytes } = stages.Read;
      assert.equal(bytes, sum(sizesOf(sizes)));
      assert.equal(sum(sizeClasses.map((/** @type {any} */ each) => each.operations)), OBJECTS);
      assert.equal(sum(sizeClasses.map((/** @type {any} */ each) => each.bytes)), bytes);
      sizeClasses.slice(1).forEach((/** @type {any} */ each, /** @type {number} */ place) => {
        assert.equal(each.from, sizeClasses[place].to + 1);
        assert.equal(Math.log2(each.from) % 1, 0);
      });
    });
  }

  test('reports no classes if all sizes are equal', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const { stages, options } = await run(t, [...RUN, '--size', '2KiB'], dotEnvOf(endpoint));
    for (const stage of Object.values(stages)) {
      ['sizes', 'access', 'sizeClasses', 'reads'].forEach((name) => assert.equal(name in stage, false, name));
    }
    assert.equal('sizes' in options, false);
  });

  test('a later run reads kept objects with the same sizes, and is refused with others', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const dotEnv = dotEnvOf(endpoint);
    const kept = await runCommand(t, [...RUN, '--size', WEIGHTED, '--keep'], { dotEnv });
    assertStatus(kept, 0);
    assert.match(kept.stderr, /--size 4KiB=60,64KiB=30,1MiB=10 --stages read,stat --run-id run-1/);
    const { stages } = await run(t, [...RUN, '--stages', 'read,stat', '--size', '1MiB=10,64KiB=30,4096=60'], dotEnv);
    assert.deepEqual([stages.Read.operations, stages.Read.bytes], [OBJECTS, sum(sizesOf(WEIGHTED))]);
    for (const other of ['4KiB..1MiB', '16KiB']) {
      const { requests: before } = await endpoint.report();
      const refused = await runCommand(t, [...RUN, '--stages', 'read,stat', '--size', other], { dotEnv });
      assertStatus(refused, 2);
      assert.match(refused.stderr, /^error: --size: the .*objects of run run-1 are .*expected (the same )?--size/m);
      const { requests: after } = await endpoint.report();
      assert.deepEqual([after.PUT, after.DELETE], [before.PUT, before.DELETE]);
    }
    const again = await runCommand(t, [...RUN, '--size', WEIGHTED], { dotEnv });
    assertStatus(again, 2);
    assert.equal((await keysIn(endpoint)).length, OBJECTS);
  });

  test('merges hosts with the same sizes by class, and others with a warning', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const files = [];
    const sizes = [WEIGHTED, WEIGHTED, '4KiB..1MiB'];
    for (const [host, size] of sizes.entries()) {
      const parameters = [`${OBJECTS / 3}`, '4', '--run-id', 'run-1', '--shard', `${host}/3`, '--size', size];
      files.push((await run(t, parameters, dotEnvOf(endpoint))).file);
    }
    const same = await merged([files[0], files[1]]);
    assert.doesNotMatch(same.warnings, /objects of/);
    const all = sizesOf(WEIGHTED).filter((_, index) => index % 3 < 2);
    const write = same.result.stages[0];
    assert.deepEqual([write.bytes, write.sizes], [sum(all), WEIGHTED]);
    assert.deepEqual(
      write.sizeClasses.map((/** @type {any} */ each) => [each.from, each.operations, each.latency.count]),
      [4096, 65536, 2 ** 20].map((bytes) => {
        const count = all.filter((size) => size === bytes).length;
        return [bytes, count, count];
      }),
    );
    assert.equal(sum([...write.seconds].map(({ bytes }) => bytes)) > 0, true);
    const other = await merged([files[0], files[2]]);
    assert.match(other.warnings, /objects of 4KiB\.\.1MiB, but of 4KiB=60,64KiB=30,1MiB=10 in .*; added up anyway/);
    assert.equal(other.result.stages[0].sizes, null);
    assert.equal('sizeClasses' in other.result.stages[0], false);
  });
});

describe('the order of reads', { concurrency: 2 }, () => {
  for (const [client, cores] of [
    ['direct', '1'],
    ['sdk', '1'],
    ['direct', '2'],
  ]) {
    test(`the ${client} client on ${cores} cores reads the objects that the pattern draws, and reports first reads separately`, async (t) => {
      const endpoint = await startTestEndpoint(t);
      const stages = ['--stages', 'write,read,range,stat,remove', '--range-size', '1KiB', '--size', '2KiB'];
      const parameters = [...RUN, '--client', client, '--cores', cores, '--access', 'zipf:0.99', ...stages];
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
  }

  test('with a duration, objects repeat, and there are as many first reads as objects', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const parameters = ['20', '4', '--run-id', 'run-1', '--size', '1KiB', '--duration', '1s', '--gap', '0s'];
    const { stages } = await run(t, [...parameters, '--stages', 'write,read,remove'], dotEnvOf(endpoint));
    const { operations, reads, access } = stages.Read;
    assert.equal(access, undefined);
    assert.deepEqual([reads.first.operations, reads.repeated.operations], [20, operations - 20]);
  });

  test('each host draws from its own shard', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const parameters = ['100', '4', '--run-id', 'run-1', '--size', '1KiB', '--access', 'uniform'];
    const files = [];
    for (const shard of ['0/2', '1/2']) {
      const { stages, file } = await run(t, [...parameters, '--shard', shard], dotEnvOf(endpoint));
      assert.equal(stages.Read.operations, 100);
      files.push(file);
    }
    const { result } = await merged(files);
    const [, { reads, access }] = result.stages;
    assert.equal(access, 'uniform');
    assert.equal(reads.first.operations + reads.repeated.operations, 200);
    const drawn = [0, 1].map((shard) => {
      const placeOf = accessOrder({ access: { kind: 'uniform' }, objects: 100, seed: `shard ${shard} of run-1` });
      return new Set(Array.from({ length: 100 }, (_, claim) => placeOf(claim))).size;
    });
    assert.equal(reads.first.operations, sum(drawn));
  });
});

test('a search cycles through objects of several sizes in random order', async (t) => {
  const endpoint = await startTestEndpoint(t, { faults: 'queue=400,latency=5ms' });
  const parameters = ['8000', '16', '--run-id', 'run-1', '--size', '1KiB=50,4KiB=50', '--access', 'uniform'];
  const { stages } = await run(t, [...parameters, '--find-peak', '--stages', 'write,read,remove'], dotEnvOf(endpoint));
  for (const name of ['Write', 'Read']) {
    const { search, sizes } = stages[name];
    assert.equal(sizes, '1KiB=50,4KiB=50');
    assert.ok(search.capacity.operationsPerSecond > 300 && search.capacity.operationsPerSecond < 450, name);
  }
});
