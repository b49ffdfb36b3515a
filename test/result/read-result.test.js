import fc from 'fast-check';
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { LatencyHistogram } from '../../lib/measure/latency-histogram.js';
import { readFiles } from '../../lib/result/log/read-files.js';
import { mergeRuns } from '../../lib/result/merge/merge.js';
import { writeResult } from '../../lib/result/write-result.js';
import { runFacts } from '../../lib/run/benchmark-run.js';
import { cases } from '../helpers/cases.js';
import { finishedStage } from '../helpers/finished-stage.js';
import { resultFrom } from '../helpers/result-schema.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';
import { writtenRun } from '../helpers/written-run.js';

/**
 * @import { SecondResult } from '../../lib/result/result.js'
 * @import { Config } from '../../lib/result/config.js'
 * @import { FinishedOperation } from '../helpers/finished-stage.js'
 */

const STARTED = 1_700_000_000_250;

let folder = '';

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'read-result-'));
});

after(() => rm(folder, { recursive: true }));

/**
 * @param {object} host
 * @param {number} host.index
 * @param {number} [host.of]
 * @param {readonly FinishedOperation[]} host.operations
 * @param {number} [host.delay] ms
 * @param {true} [host.findPeak]
 * @param {readonly ('Write' | 'Read' | 'Stat')[]} [host.stages]
 * @param {Config['objects']['sizes']} [host.sizes]
 * @returns {{ log: string, json: string }} the log and the result of one run
 */
function runOf({ index, of = 2, operations, delay = 0, findPeak, stages: names = ['Write', 'Read'], sizes }) {
  const config = runConfig(NO_TARGET, {
    shard: { index, count: of },
    stages: names.map((name) => name.toLowerCase()),
    size: 16_384,
    sizes,
    findPeak,
  });
  const clock = { offset: 3, uncertainty: 2 };
  const facts = runFacts({ config, host: `fra-${index}`, startedAt: STARTED, clock, versions: { node: 'v20' } });
  const stages = names.map((name, stageIndex) =>
    finishedStage(
      {
        name,
        startedAt: STARTED + delay + stageIndex * 100_000,
        operations,
        rest: 400,
      },
      { timeLost: 12.5 },
    ),
  );
  stages.forEach((stage) => (stage.seconds = stage.seconds.map(withLatencies)));
  return writtenRun(facts, stages);
}

/**
 * @param {SecondResult} second
 * @returns {SecondResult} as if each of its operations had taken this long
 */
function withLatencies(second) {
  const latencies = new LatencyHistogram();
  for (let count = 0; count < second.operations; count += 1) {
    latencies.record(200 + 100 * count);
  }
  const { p50 = null, p99 = null, maximum = null } = latencies.summary() ?? {};
  return { ...second, p50, p99, maximum, histogram: maximum === null ? null : latencies.encode() };
}

/** @param {Record<string, string>} files */
async function merged(files) {
  const paths = Object.keys(files).map((name) => path.join(folder, name));
  await Promise.all(Object.values(files).map((text, index) => writeFile(paths[index], text)));
  const { runs, warnings: ofFiles } = await readFiles(paths, /** @type {any} */ ([]), { keepsDetails: true });
  const whole = mergeRuns(runs, { warnings: ofFiles });
  const warnings = whole.result.merge.warnings.map(({ file, message, incomplete }) => {
    // Results have no lines.
    const said = message.replaceAll(`${folder}/`, '').replace(/\b([ab]):1\b/, '$1');
    return `${incomplete ? '!' : ''}${path.basename(file)}: ${said}`;
  });
  return { ...whole, warnings, report: resultFrom([...writeResult(whole.result)].join('')) };
}

/**
 * @param {Awaited<ReturnType<typeof merged>>} whole
 * @returns {unknown} only what a log has as well
 */
function sharedOf({ report, timeSeries }) {
  const { stages, merge, hosts, ...rest } = report;
  const { warnings, ...together } = merge;
  return {
    ...rest,
    ...together,
    hosts: hosts.map((/** @type {any} */ host) => ({ ...host, merge: host.merge.name })),
    series: [...timeSeries()],
    stages: stages.map(withoutLogged),
  };
}

/**
 * Removes what a log lacks: percentiles per second, and the host's load.
 *
 * @param {any} stage
 */
function withoutLogged({ hostLoad, seconds, merge: { shares, ...merge }, ...stage }) {
  return {
    ...stage,
    seconds: seconds.map((/** @type {any} */ { p50, p99, maximum, histogram, ...second }) => second),
    merge,
    shares: shares.map((/** @type {any} */ { file, ...share }) => share),
  };
}

/**
 * Latencies may differ by 1%, the resolution of a log's histograms.
 *
 * @param {any} one
 * @param {any} other
 * @param {string} at
 */
function assertAlike(one, other, at) {
  if (typeof one === 'object' && one !== null) {
    assert.deepEqual(Object.keys(one), Object.keys(Object(other)), at);
    const names = Object.keys(one).filter((name) => name !== 'histogram');
    names.forEach((name) => assertAlike(one[name], other[name], `${at}.${name}`));
  } else if (at.includes('.latency.') && typeof one === 'number') {
    assert.ok(Math.abs(one - other) <= 0.01 * other, `${at}: ${one}, expected ${other}`);
  } else {
    assert.equal(one, other, at);
  }
}

const operation = fc.record({
  after: fc.integer({ min: 1, max: 700 }),
  latency: fc.integer({ min: 1, max: 3000 }),
  failures: fc.array(fc.constantFrom('timeout', 'throttled'), { maxLength: 1 }),
});
const hosts = fc.record({
  first: fc.array(operation, { minLength: 1, maxLength: 30 }),
  second: fc.array(operation, { minLength: 1, maxLength: 30 }),
  delay: fc.nat(5000),
});

test('results add up to the same as the logs of their runs, and so do mixtures of both', async () => {
  await fc.assert(
    fc.asyncProperty(hosts, async ({ first, second, delay }) => {
      const [a, b] = [runOf({ index: 0, operations: first }), runOf({ index: 1, operations: second, delay })];
      const logs = await merged({ a: a.log, b: b.log });
      const results = await merged({ a: a.json, b: b.json });
      const mixed = await merged({ a: a.log, b: b.json });
      assertAlike(sharedOf(logs), sharedOf(results), '');
      assertAlike(sharedOf(mixed), sharedOf(results), '');
      assert.deepEqual(results.warnings, logs.warnings);
    }),
    { numRuns: cases(25) },
  );
});

const OPERATIONS = [300, 400, 500, 700, 200].map((latency) => ({ after: 400, latency }));
const [ONE, OTHER] = [0, 1].map((index) => runOf({ index, operations: OPERATIONS }));

test('a host counts once if both its log and its result are given', async () => {
  for (const files of [
    { 'a.txt': ONE.log, 'a.json': ONE.json },
    { 'a.json': ONE.json, 'a.txt': ONE.log },
  ]) {
    const { report, warnings } = await merged({ ...files, b: OTHER.json });
    assert.equal(report.stages[0].operations, 2 * OPERATIONS.length);
    const [first, again] = Object.keys(files);
    assert.equal(warnings.length, 1);
    assert.match(
      warnings[0],
      new RegExp(`^${again}: run run-1, shard 0/2, also appears in ${first}(:1)?: counted once$`),
    );
  }
});

test('the result of a search cannot be added up, nor can a merged result', async () => {
  const search = runOf({ index: 0, of: 1, operations: OPERATIONS, findPeak: true });
  const both = await merged({ a: ONE.json, b: OTHER.json });
  const together = [...writeResult(both.result)].join('');
  const { report, warnings } = await merged({ search: search.json, together, b: OTHER.json });
  assert.equal(report.stages[0].operations, OPERATIONS.length);
  assert.deepEqual(warnings.slice(0, 2), [
    '!search: a --find-peak search: not counted, because searches cannot be added up',
    '!together: a merged result (hosts: 2) cannot be merged again, so it is not counted; give the logs or results of its hosts',
  ]);
});

test('a damaged result does not count, and each problem is reported', async () => {
  const damaged = ONE.json.replace('"operations": 5,', '"operations": "5",');
  assert.notEqual(damaged, ONE.json);
  const { report, warnings } = await merged({ a: damaged, b: OTHER.json });
  assert.equal(report.stages[0].operations, OPERATIONS.length);
  assert.equal(warnings[0], '!a: is not counted: stages[0].operations: expected a whole number, got "5"');
  assert.deepEqual(warnings.slice(1), ['!b: run run-1: no log of shard 0/2']);
});

test('a result of a later version is added up as far as it is known, and its format is reported', async () => {
  const later = JSON.parse(ONE.json);
  later.format = 4;
  later.stages.forEach((/** @type {any} */ stage) => Object.assign(stage, { mood: 'good' }));
  const { report, warnings } = await merged({ a: JSON.stringify(later), b: OTHER.json });
  assert.equal(report.stages[0].operations, 10);
  assert.deepEqual(warnings, [
    'a: format 4, expected at most 3: use the version of the tool that wrote it, or a later one',
  ]);
});
