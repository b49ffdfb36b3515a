import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Clock } from '../../lib/measure/clock/clock.js';
import { startNullServer } from '../../bench/null-endpoint.js';
import { runBenchmark } from '../../lib/run/benchmark-run.js';
import { keysIn } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { recordingObserver } from '../helpers/recording-observer.js';
import { runConfig } from '../helpers/run-config.js';

/** @import { Overrides } from '../helpers/run-config.js' */

const TIME_LIMIT = { timeout: 120_000 };
const MIB = 1024 ** 2;
const IN_PARTS = {
  objects: 4,
  threads: 2,
  size: 12 * MIB,
  multipart: { partSize: 5 * MIB, partThreads: 2, minSize: 0 },
};

/**
 * @param {Parameters<typeof runConfig>[0]} target
 * @param {Overrides} overrides
 */
function run(target, overrides) {
  const clock = new Clock();
  return runBenchmark(runConfig(target, overrides), {
    ...{ clock, random: Math.random, signal: new AbortController().signal, observer: recordingObserver().observer },
    ...{ identity: { host: 'fra-1', versions: {} }, launchedAt: clock.now() },
  });
}

for (const [how, load] of Object.entries({ whole: {}, 'in parts': IN_PARTS })) {
  test(`the client writes objects ${how} with checksums, and the store verifies them`, TIME_LIMIT, async (t) => {
    const endpoint = await startTestEndpoint(t);
    const result = await run(endpoint, { checksum: 'crc64nvme', ...load });
    assert.deepEqual([result.problems, result.crash], [[], null]);
    const [write, read] = result.stages;
    assert.deepEqual([write.end, write.failedAttempts, write.failed], ['complete', 0, 0]);
    assert.equal(read.operations, write.operations);
    assert.equal(result.facts.options.checksum, 'crc64nvme');
    const { statuses } = await endpoint.report();
    assert.equal(statuses[400], endpoint.buckets.length, 'preflight sent a wrong one to each bucket');
    assert.deepEqual(await keysIn(endpoint), []);
  });
}

test('the client refuses a store that does not verify checksums, unless preflight is off', TIME_LIMIT, async (t) => {
  const credentials = { accessKeyId: 'any', secretAccessKey: 'any' };
  const server = await startNullServer({ objectSize: 1000 });
  t.after(server.close);
  const endpoint = { ...server, buckets: ['bucket-a', 'bucket-b'], region: 'auto', credentials, tls: null };
  const refused = await run(endpoint, { checksum: 'crc64nvme', runId: 'refused' });
  assert.equal(refused.problems.length, 1);
  assert.match(
    refused.problems[0],
    /^--checksum: the store accepted an object with a wrong crc64nvme in bucket-a, bucket-b: it ignores checksums; .*--no-preflight/,
  );
  assert.deepEqual([refused.isTransient, refused.stages], [false, []]);
  const meant = await run(endpoint, { checksum: 'crc64nvme', preflight: false, stages: ['write', 'remove'] });
  assert.deepEqual([meant.problems, meant.stages[0].operations], [[], 20]);
});

test('a store that rejects the checksum header ends the run before anything is measured', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t, { faults: 'PUT.status=501/NotImplemented:100%' });
  const result = await run(endpoint, { checksum: 'crc64nvme' });
  assert.equal(result.problems.length, 1);
  assert.match(result.problems[0], /NotImplemented/);
  assert.deepEqual([result.stages, result.isTransient], [[], false]);
});
