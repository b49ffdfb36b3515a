import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { before, describe, test } from 'node:test';
import { tmpdir } from 'node:os';
import { dollarsSpentOn } from '../../lib/run/prices.js';
import { run } from '../../lib/index.js';
import { addStages } from '../../lib/result/add.js';
import { shortcomingsOf } from '../../lib/result/completeness.js';
import { OPERATIONS } from '../../lib/load/operations/registry.js';
import { commandOf } from '../../lib/options/recorded-options.js';
import { makeTrace } from '../../lib/load/replay/make-trace.js';
import { readLogs } from '../../lib/load/replay/read-logs.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { CSV_HEADER, csvLine, r2Line } from '../helpers/traffic-logs.js';

/**
 * @import { TestContext } from 'node:test'
 * @import { Result } from '../../lib/result/result.js'
 */

const folder = mkdtempSync(path.join(tmpdir(), 'replay-'));
const recorded = path.join(folder, 'recorded.ndjson');
const START = Date.UTC(2026, 8, 1, 12);

/** @param {string} name @param {readonly string[]} lines */
function logOf(name, lines) {
  const file = path.join(folder, name);
  writeFileSync(file, lines.join('\n'));
  return file;
}

/** @param {string} file */
async function traceOf(file) {
  const logs = await readLogs([file]);
  return makeTrace(logs.recorded, { from: 0, length: Infinity, limit: Infinity });
}

/** @param {TestContext} t @param {string} [faults] */
async function startStore(t, faults) {
  const { hostname, port, credentials, list } = await startTestEndpoint(t, { faults });
  const given = { endpoint: `http://${hostname}:${port}`, bucket: 'bucket-a', credentials };
  return { given, list: () => list('bucket-a') };
}

/** @param {Result} result @param {string} name */
function stageOf({ stages }, name) {
  const found = stages.find(({ stage }) => stage === name);
  assert.ok(found, `${name} is missing in ${stages.map(({ stage }) => stage).join()}`);
  return found;
}

/** @param {Result} result */
function countsOf(result) {
  const kinds = stageOf(result, 'Replay').kinds ?? [];
  return Object.fromEntries(kinds.map(({ operation, operations }) => [operation, operations]));
}

before(async () => {
  await run({
    ...{
      store: 'local',
      objects: 400,
      threads: 8,
      size: '1KiB..64KiB',
      mix: 'read=60,write=20,range=5,stat=10,remove=5',
    },
    ...{ rangeSize: 500, rate: 250, duration: '3s', arrival: 'poisson', accessLog: recorded, preflight: false },
  });
});

test('a recorded run is repeated: kinds, sizes and times', async () => {
  const again = path.join(folder, 'again.ndjson');
  const options = { store: /** @type {const} */ ('local'), replay: recorded, threads: 64, preflight: false };
  const result = await run({ ...options, accessLog: again });
  assert.equal(stageOf(result, 'Replay').end, 'complete');
  const [first, second] = [await traceOf(recorded), await traceOf(again)];
  /** @type {Record<string, number>} */
  const expected = {};
  first.codes.subarray(0, first.requests).forEach((code) => {
    expected[OPERATIONS[code].name] = (expected[OPERATIONS[code].name] ?? 0) + 1;
  });
  assert.deepEqual(countsOf(result), expected);
  assert.deepEqual(first.sizes.toSorted(), second.sizes.toSorted());
  const lateness = Number(stageOf(result, 'Replay').latency.startDelay?.p99);
  // The store logs when a request arrives, which on a busy host is not when it was due.
  const most = lateness < 2 ? 0.02 : 0.2;
  const distance = kolmogorovSmirnov(gapsOf(first), gapsOf(second));
  assert.ok(distance <= most, `distance ${distance}, lateness ${lateness} ms`);
  assert.equal(stageOf(result, 'Replay').integrityErrors, 0);
  const due = stageOf(result, 'Replay').seconds.reduce((sum, each) => sum + Number(each.due), 0);
  assert.equal(due, first.requests);
  assert.equal(commandOf(/** @type {any} */ (result.options)), `r2-benchmark replay ${recorded} --threads 64 --local`);
});

/** @param {{ times: Float64Array, requests: number }} trace */
function gapsOf({ times, requests }) {
  return times
    .slice(1, requests)
    .map((time, index) => time - times[index])
    .sort();
}

/**
 * @param {Float64Array} one sorted
 * @param {Float64Array} other sorted
 * @returns {number} the largest distance of their distributions, up to the resolution of the log, 1 ms
 */
function kolmogorovSmirnov(one, other) {
  const shareUpTo = (/** @type {Float64Array} */ values, /** @type {number} */ value) =>
    values.filter((each) => each <= value).length / values.length;
  const steps = Array.from({ length: 200 }, (_, milliseconds) => milliseconds);
  return Math.max(
    ...steps.map((step) => {
      const share = shareUpTo(one, step);
      const [least, most] = [step - 1, step + 1].map((near) => shareUpTo(other, near));
      return Math.max(0, least - share, share - most);
    }),
  );
}

describe('a replay', { concurrency: 4 }, () => {
  test('objects that are read before the log writes them are prepared, and nothing is left', async (t) => {
    const store = await startStore(t);
    const file = logOf('mixed.ndjson', [
      r2Line({ at: START, does: 'GetObject', key: 'old', size: 9000, bytes: 9000 }),
      r2Line({ at: START + 20, does: 'PutObject', key: 'new', size: 500 }),
      r2Line({ at: START + 30, does: 'GetObject', key: 'new', size: 500, bytes: 100 }),
      r2Line({ at: START + 35, does: 'GetObject', key: 'old', size: 9000, bytes: 6000 }),
      r2Line({ at: START + 40, does: 'CopyObject', key: 'copied', size: 700 }),
      r2Line({ at: START + 50, does: 'ListObjectsV2', maxKeys: 10 }),
      r2Line({ at: START + 60, does: 'HeadObject', key: 'old', size: 9000 }),
      r2Line({ at: START + 70, does: 'DeleteObjects', keys: ['old', 'new', 'gone'] }),
      r2Line({ at: START + 80, does: 'DeleteObject', key: 'copied' }),
      r2Line({ at: START + 90, does: 'PutObject', key: 'new', size: 500 }),
    ]);
    const result = await run({ store: store.given, replay: file, threads: 4 });
    assert.equal(stageOf(result, 'Prepare').operations, 3);
    assert.deepEqual(countsOf(result), {
      write: 2,
      read: 1,
      range: 2,
      stat: 1,
      list: 1,
      copy: 1,
      'batch-remove': 1,
      remove: 1,
    });
    const failures = result.stages.map(
      ({ failed, integrityErrors, skipped }) => Number(failed) + Number(integrityErrors) + Number(skipped),
    );
    assert.deepEqual(failures, [0, 0, 0]);
    const ranges = stageOf(result, 'Replay').kinds?.find(({ operation }) => operation === 'range');
    assert.equal(ranges?.bytes, 100 + 6000);
    const [classA, classB] = [3 + 2 + 1 + 1, 4];
    assert.equal(dollarsSpentOn(result.stages).toFixed(9), ((4.5 * classA + 0.36 * classB) / 1e6).toFixed(9));
    assert.deepEqual(await store.list(), []);
  });

  test('objects that a log never changes are prepared once for several replays', async (t) => {
    const store = await startStore(t);
    const file = logOf('kept.ndjson', [
      r2Line({ at: START, does: 'GetObject', key: 'read', size: 9000, bytes: 9000 }),
      r2Line({ at: START + 10, does: 'GetObject', key: 'changed', size: 700, bytes: 700 }),
      r2Line({ at: START + 20, does: 'PutObject', key: 'changed', size: 700 }),
      r2Line({ at: START + 30, does: 'PutObject', key: 'new', size: 500 }),
      r2Line({ at: START + 40, does: 'GetObject', key: 'new', size: 500, bytes: 500 }),
      r2Line({ at: START + 50, does: 'DeleteObject', key: 'changed' }),
    ]);
    const options = { store: store.given, replay: file, threads: 2, runId: 'kept' };
    await assert.rejects(run({ ...options, prepared: true }), /run kept has no objects/);
    const first = await run({ ...options, prepareOnly: true });
    assert.deepEqual(
      first.stages.map(({ stage, operations }) => [stage, operations]),
      [['Prepare', 1]],
    );
    assert.equal((await store.list()).length, 1);
    for (let turn = 0; turn < 2; turn++) {
      const { stages } = await run({ ...options, prepared: true });
      assert.deepEqual(
        stages.map(({ stage, operations, failed, integrityErrors }) => [stage, operations, failed, integrityErrors]),
        [
          ['Prepare', 1, 0, 0],
          ['Replay', 6, 0, 0],
        ],
      );
      assert.equal((await store.list()).length, 2);
    }
  });

  test('changes of a key keep their order on several cores, however fast they follow each other', async () => {
    const lines = Array.from({ length: 60 }, (_, index) =>
      csvLine({
        at: START + index,
        does: ['PutObject', 'GetObject', 'DeleteObject'][index % 3],
        key: `k${index % 2}`,
        size: 2000,
      }),
    );
    const result = await run({
      ...{ store: 'local', replay: logOf('order.csv', [CSV_HEADER, ...lines]), threads: 16, speed: 1000 },
      ...{ preflight: false, cores: 2 },
    });
    const { end, failed, integrityErrors, operations } = stageOf(result, 'Replay');
    assert.deepEqual([end, failed, integrityErrors, operations], ['complete', 0, 0, 60]);
  });

  test('two hosts share the objects of a log', async (t) => {
    const lines = Array.from({ length: 90 }, (_, index) =>
      r2Line({
        at: START + index,
        does: index % 3 === 0 ? 'PutObject' : 'GetObject',
        key: `k${index % 30}`,
        size: 100 + index,
        bytes: 100 + index,
      }),
    );
    const file = logOf('shared.ndjson', lines);
    const store = await startStore(t);
    const host = (/** @type {number} */ index) =>
      run({ store: store.given, replay: file, threads: 4, shard: `${index}/2`, runId: 'shared', speed: 10 });
    const results = await Promise.all([host(0), host(1)]);
    const operations = results.map((result) => stageOf(result, 'Replay').operations);
    assert.ok(
      operations.every((count) => count > 0),
      operations.join(),
    );
    assert.equal(operations[0] + operations[1], 90);
    assert.deepEqual(await store.list(), []);
  });

  test('a log that removes all its objects leaves none to remove, which is no shortcoming', async () => {
    const lines = ['PutObject', 'GetObject', 'DeleteObject'].map((does, index) =>
      csvLine({ at: START + 10 * index, does, key: 'k', size: 2000 }),
    );
    const replay = logOf('emptied.csv', [CSV_HEADER, ...lines]);
    const result = await run({ store: 'local', replay, threads: 2, preflight: false });
    assert.deepEqual([countsOf(result).remove, stageOf(result, 'Remove').operations], [1, 0]);
    assert.deepEqual(result.stages.flatMap(shortcomingsOf), []);
    assert.equal(stageOf(result, 'Remove').bottleneck?.advice, null);
  });

  test('shards whose objects have other sizes are merged size by size', async () => {
    const lines = Array.from({ length: 60 }, (_, index) =>
      csvLine({ at: START + index, does: 'GetObject', key: `k${index}`, size: 1500 + 97 * index }),
    );
    const options = { store: /** @type {const} */ ('local'), replay: logOf('sizes.csv', [CSV_HEADER, ...lines]) };
    const host = (/** @type {string} */ shard) =>
      run({ ...options, threads: 2, shard, runId: 'sizes', speed: 10, preflight: false });
    const prepared = [stageOf(await host('0/2'), 'Prepare'), stageOf(await host('1/2'), 'Prepare')];
    const classes = addStages(prepared).sizeClasses ?? [];
    assert.deepEqual(
      classes.map(({ from, to, operations }) => [from, to, operations]),
      [
        [1024, 2047, 6],
        [2048, 4095, 21],
        [4096, 8191, 33],
      ],
    );
  });

  test('an interrupted replay removes what it wrote', async (t) => {
    const lines = Array.from({ length: 2000 }, (_, index) =>
      r2Line({
        at: START + index * 20,
        does: index % 2 === 0 ? 'PutObject' : 'GetObject',
        key: `k${index % 50}`,
        size: 100,
        bytes: 100,
      }),
    );
    const store = await startStore(t);
    const stop = new AbortController();
    const result = await run(
      { store: store.given, replay: logOf('long.ndjson', lines), threads: 4 },
      { signal: stop.signal, on: { second: ({ stage }) => stage === 'Replay' && stop.abort() } },
    );
    assert.equal(stageOf(result, 'Replay').end, 'stopped');
    assert.doesNotMatch(String(stageOf(result, 'Replay').bottleneck?.evidence), /your traffic/);
    assert.deepEqual(await store.list(), []);
  });

  test('a store that is too slow ends the replay, as in any open loop, and nothing is left', async (t) => {
    const lines = Array.from({ length: 400 }, (_, index) =>
      r2Line({ at: START + index * 10, does: 'GetObject', key: `k${index % 5}`, size: 100, bytes: 100 }),
    );
    const store = await startStore(t, 'GET.latency=200ms');
    const replay = logOf('slow.ndjson', lines);
    const result = await run({ store: store.given, replay, threads: 1, preflight: false });
    assert.equal(stageOf(result, 'Replay').end, 'overloaded');
    assert.deepEqual(await store.list(), []);
  });

  test('a search over the speed takes the log in parts, in order, until it has no more requests', async (t) => {
    const actions = ['PutObject', 'GetObject', 'DeleteObject', 'PutObject'];
    const lines = Array.from({ length: 3000 }, (_, index) =>
      csvLine({ at: START + index * 2, does: actions[index % 4], key: `k${index % 20}`, size: 500 }),
    );
    const store = await startStore(t);
    const replay = logOf('search.csv', [CSV_HEADER, ...lines]);
    const options = { store: store.given, replay, threads: 4, cores: 2, slo: '5s', preflight: false };
    const result = await run({ ...options, findPeak: true, peakOf: 'speed' });
    const { search, failed, integrityErrors, end } = stageOf(result, 'Replay');
    assert.deepEqual([end, failed, integrityErrors], ['complete', 0, 0]);
    assert.ok(Number(search?.steps.length) > 1);
    assert.match(String(search?.rate?.evidence), /times your traffic|try again with [0-9,]+ recorded requests/);
    assert.match(commandOf(/** @type {any} */ (result.options)), /--find-peak --peak-of speed --slo 5s/);
    assert.deepEqual(await store.list(), []);
  });

  test('a search in a replay is one over its speed', async () => {
    const start = (/** @type {object} */ options) => run({ store: 'local', threads: 1, findPeak: true, ...options });
    await assert.rejects(start({ replay: recorded }), /replay requires peakOf speed/);
    await assert.rejects(start({ objects: 10, peakOf: 'speed' }), /peakOf speed requires replay/);
    await assert.rejects(start({ replay: recorded, peakOf: 'speed', speed: 2 }), /speed cannot be combined with/);
  });

  test('a replay that would cost too much, or has nothing to repeat, is refused before the first request', async () => {
    const file = logOf('one.ndjson', [r2Line({ at: START, does: 'PutObject', key: 'a', size: 1 })]);
    const others = logOf('others.ndjson', [r2Line({ at: START, does: 'UploadPart', key: 'a', size: 1 })]);
    const start = (/** @type {object} */ options) => run({ store: 'local', threads: 1, ...options });
    await assert.rejects(start({ replay: file, maxCost: 0.000001 }), /maxCost: the run would cost/);
    await assert.rejects(start({ replay: others }), /replay: the logs have no request of an object/);
    await assert.rejects(start({ replay: `${file}-missing` }), /replay: .*ENOENT/);
    await assert.rejects(start({ replay: file, size: '1KiB' }), /replay cannot be combined with size/);
    await assert.rejects(start({ speed: 2 }), /speed requires replay/);
    await assert.rejects(run({ store: 'env', threads: 1, replay: file, prepared: true }), /prepared requires runId/);
    await assert.rejects(
      run({ store: 'env', threads: 1, replay: file, prepareOnly: true }),
      /replay: there is nothing to keep/,
    );
    await assert.rejects(
      start({
        replay: logOf('batch.ndjson', [r2Line({ at: START, does: 'DeleteObjects', keys: ['a'] })]),
        bucket: 'bucket-a,bucket-b',
      }),
      /batch removals, which need all objects in one bucket/,
    );
  });
});
