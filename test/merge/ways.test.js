import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runOfResult } from '../../lib/log/result-run.js';
import { mergeRuns } from '../../lib/merge/merge.js';
import { COUNT_NAMES } from '../../lib/model/counters.js';
import { readResult } from '../../lib/model/read-result.js';
import { stageOfWay } from '../../lib/model/ways.js';
import { writeResult } from '../../lib/model/write-result.js';
import { cases } from '../helpers/cases.js';
import { resultFrom } from '../helpers/result-schema.js';
import { runOfWay, WAYS } from '../helpers/way-runs.js';
import { runsOf, scheduleLine, secondLine, summaryLine } from './logs-of.js';

/**
 * @import { WayResult } from '../../lib/model/result.js'
 *
 * @typedef {Record<string, string>} Files texts of logs and results, by name
 */

/** @param {Files} files */
function merged(files) {
  const runs = Object.entries(files).flatMap(([file, text]) => {
    const { result } = readResult(text);
    return result === null ? runsOf(file, text.split('\n')) : [runOfResult(file, result, { keepsDetails: false })];
  });
  return mergeRuns(runs);
}

/**
 * @param {Files} files
 * @returns {readonly WayResult[]} as in JSON
 */
function waysIn(files) {
  const report = resultFrom([...writeResult(merged(files).result)].join(''));
  return report.merge.ways ?? [];
}

const operation = fc.record({
  after: fc.integer({ min: 1, max: 900 }),
  latency: fc.integer({ min: 1, max: 4000 }),
  failures: fc.array(fc.constantFrom('timeout', 'throttled'), { maxLength: 2 }),
});

const hosts = fc.uniqueArray(
  fc.record({
    way: fc.constantFrom(.../** @type {(keyof typeof WAYS)[]} */ (Object.keys(WAYS))),
    index: fc.nat(1),
    isLog: fc.boolean(),
    delay: fc.nat(3000),
    operations: fc.array(operation, { minLength: 1, maxLength: 12 }),
  }),
  { selector: ({ way, index }) => `${way} ${index}`, minLength: 1, maxLength: 6 },
);

test('each way equals the merge of its own hosts, from logs and from results', () => {
  fc.assert(
    fc.property(hosts, (runs) => {
      const files = runs.map(({ isLog, index, ...run }) => {
        const { log, json } = runOfWay({ ...run, host: `fra-${index}`, shard: { index, count: 2 } });
        return /** @type {const} */ ([`${run.way}-${index}.${isLog ? 'log' : 'json'}`, isLog ? log : json]);
      });
      const ways = waysIn(Object.fromEntries(files));
      const names = [...new Set(runs.map(({ way }) => way))];
      assert.equal(ways.length, names.length === 1 ? 0 : names.length);
      for (const [index, way] of ways.entries()) {
        const alone = merged(Object.fromEntries(files.filter((_, run) => runs[run].way === names[index])));
        assert.equal(alone.result.merge.ways, undefined);
        assert.deepEqual(way.stages, JSON.parse(JSON.stringify(alone.result.stages.map(stageOfWay))));
        assert.equal(way.client, WAYS[names[index]].client);
      }
    }),
    { numRuns: cases(60) },
  );
});

test('percentiles, extremes and failures of a way come from its own operations', () => {
  const slow = Array.from({ length: 100 }, (_, index) => ({ after: 10, latency: 100 + index, failures: ['timeout'] }));
  const quick = Array.from({ length: 50 }, (_, index) => ({ after: 10, latency: 1 + index }));
  const ways = waysIn({
    'a.json': runOfWay({ way: 'direct', operations: slow }).json,
    'b.log': runOfWay({ way: 'binding', operations: quick, delay: 600_000 }).log,
  });
  const figures = ways.map(({ stages: [, { stage, operations, failedAttempts, latency }] }) => {
    const { minimum, p50, p99, maximum } = /** @type {NonNullable<typeof latency>} */ (latency);
    return [stage, operations, failedAttempts, ...[minimum, p50, p99, maximum].map(Math.round)];
  });
  assert.deepEqual(figures, [
    ['Read', 100, 100, 100, 149, 198, 199],
    ['Read', 50, 0, 1, 25, 50, 50],
  ]);
});

test('a way has its client, connections and clock resolution, in the order of the hosts', () => {
  const operations = [{ after: 5 }];
  const files = ['throughNew', 'binding', 'direct', 'through', 'sdk'].map((way, index) => {
    const { log, json } = runOfWay({ way: /** @type {any} */ (way), operations, delay: index * 600_000 });
    return [`${index}`, index % 2 === 0 ? log : json];
  });
  assert.deepEqual(
    waysIn(Object.fromEntries(files)).map(({ client, through, keepAlive, clockResolution }) => [
      client,
      through,
      keepAlive,
      clockResolution,
    ]),
    [
      ['edge', true, false, null],
      ['edge', false, null, 1],
      ['direct', false, true, null],
      ['edge', true, true, null],
      ['sdk', false, true, null],
    ],
  );
});

test('a log without machine lines is an unknown way', () => {
  const old = [scheduleLine(), secondLine('12:00:01', 5), summaryLine(5)].join('\n');
  const { log } = runOfWay({ way: 'direct', operations: [{ after: 5 }] });
  const [known, unknown, ...others] = waysIn({ a: log, b: old });
  assert.equal(known.client, 'direct');
  assert.deepEqual([unknown.client, unknown.keepAlive], [null, null]);
  assert.equal(unknown.stages[0].latency, null);
  assert.equal(unknown.stages[0].connections, null);
  assert.equal(others.length, 0);
});

test('each operation of a mix is listed per way, if all hosts distinguish operations', () => {
  const mixed = (/** @type {'direct' | 'binding'} */ way, /** @type {string[]} */ kinds, index = 0) => {
    const operations = Array.from({ length: 8 }, () => ({ after: 10, latency: 20 }));
    const run = runOfWay({ way, operations, host: `fra-${index}`, shard: { index, count: 2 } });
    const result = JSON.parse(run.json);
    const [stage] = result.stages;
    const { errors, latency, average } = stage;
    const counts = Object.fromEntries(COUNT_NAMES.map((name) => [name, stage[name]]));
    const ofKinds = kinds.map((name) => ({ operation: name, ...counts, errors, latency, average }));
    return JSON.stringify({ ...result, stages: [{ ...stage, stage: 'Mixed', kinds: ofKinds }] });
  };
  const files = {
    a: mixed('direct', ['read', 'write']),
    b: mixed('direct', ['read', 'write'], 1),
    c: mixed('binding', ['read']),
  };
  const kindsOf = (/** @type {WayResult} */ { stages: [{ kinds = [] }] }) =>
    kinds.map(({ latency, ...kind }) => [kind.operation, kind.operations, latency?.count, latency?.maximum]);
  assert.deepEqual(waysIn(files).map(kindsOf), [
    [
      ['read', 16, 16, 20],
      ['write', 16, 16, 20],
    ],
    [['read', 8, 8, 20]],
  ]);
  const { log } = runOfWay({ way: 'direct', operations: [{ after: 10 }], host: 'fra-2' });
  const untold = log.replaceAll('Write', 'Mixed').replaceAll('run-direct', 'run-other');
  assert.deepEqual(waysIn({ ...files, d: untold }).map(kindsOf)[0], []);
});

test('the latencies of all ways are those of each, added up', () => {
  const operations = Array.from({ length: 20 }, (_, index) => ({ after: 10, latency: 3 * index + 1 }));
  const files = {
    a: runOfWay({ way: 'direct', operations }).log,
    b: runOfWay({ way: 'binding', operations, host: 'fra-2' }).log,
  };
  const { result } = merged(files);
  const ofOne = result.merge.ways?.[0].stages[0].latency;
  const all = result.stages[0].latency.operations;
  assert.deepEqual(all, { ...ofOne, count: 40 });
});
