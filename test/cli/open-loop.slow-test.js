import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { dotEnvOf, folderWith, keysIn, startCommand, startProgram } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';
import { resultFrom } from '../helpers/result-schema.js';

/** @import { TestContext } from 'node:test' */

const TIME_LIMIT = { timeout: 120_000 };
const PEAK = fileURLToPath(new URL('../../peak-performance.js', import.meta.url));

/**
 * @param {TestContext} t
 * @param {string} faults
 * @param {readonly string[]} parameters
 */
async function run(t, faults, parameters) {
  const endpoint = await startTestEndpoint(t, { faults });
  const command = await startCommand(t, [...parameters, '--size', '1kB', '--json', 'result.json'], {
    dotEnv: dotEnvOf(endpoint),
  });
  const outcome = await command.outcome;
  const result = resultFrom(await readFile(path.join(command.folder, 'result.json'), 'utf8'));
  return { endpoint, outcome, result };
}

for (const cores of ['1', '2']) {
  test(`--rate starts every operation on time, on ${cores} cores`, TIME_LIMIT, async (t) => {
    const parameters = ['60', '6', '--rate', '60', '--arrival', 'poisson', '--cores', cores];
    const { outcome, result, endpoint } = await run(t, '', parameters);
    assertStatus(outcome, 0);
    for (const { operations, load, latency, stage, duration } of result.stages) {
      assert.equal(operations, 60, stage);
      assert.deepEqual(load, { mode: 'open loop', rate: 60, arrival: 'poisson' });
      assert.equal(latency.startDelay.count, 60);
      assert.ok(latency.startDelay.minimum >= 0, 'none starts before its time');
      assert.ok(latency.operations.minimum >= latency.attempts.minimum);
      assert.ok(duration > 300, `${stage} took ${duration} ms`);
    }
    assert.match(outcome.stdout, /^Write latency \(open loop\): min /m);
    assert.match(outcome.stdout, /^Write start delay: min /m);
    assert.deepEqual(await keysIn(endpoint), []);
  });
}

test("waiting for a thread counts: an operation's latency starts at its scheduled time", TIME_LIMIT, async (t) => {
  // One thread at 50 ms per request does 20 per second: at a rate of 40, each starts later than the one before.
  const parameters = ['20', '1', '--rate', '40', '--stages', 'write'];
  const { outcome, result } = await run(t, 'latency=50ms', parameters);
  assertStatus(outcome, 0);
  const [{ latency }] = result.stages;
  assert.ok(latency.startDelay.maximum >= 400, JSON.stringify(latency.startDelay));
  assert.ok(latency.operations.maximum >= latency.startDelay.maximum + 50);
});

test(
  "a rate above the threads' capacity ends the stage as overloaded, once starts are 10 s late",
  TIME_LIMIT,
  async (t) => {
    const parameters = ['2000', '1', '--rate', '1000', '--stages', 'write'];
    const { outcome, result, endpoint } = await run(t, 'latency=100ms', parameters);
    assertStatus(outcome, 1);
    assert.equal(result.stages[0].end, 'overloaded');
    assert.match(outcome.stderr, /^Write: ended because operations started more than 10 s late: /m);
    assert.deepEqual(await keysIn(endpoint), []);
  },
);

test('--warmup includes its operations in the totals, but not in rates and percentiles', TIME_LIMIT, async (t) => {
  const parameters = ['100', '1', '--warmup', '500ms', '--stages', 'write'];
  const { outcome, result } = await run(t, 'latency=10ms', parameters);
  assertStatus(outcome, 0);
  const [{ operations, warmup, warmupOperations, latency, seconds, average, duration }] = result.stages;
  assert.deepEqual([operations, warmup], [100, 500]);
  assert.ok(warmupOperations > 0 && warmupOperations < 100, String(warmupOperations));
  assert.equal(latency.operations.count, 100 - warmupOperations);
  assert.equal(
    seconds.reduce((/** @type {number} */ sum, /** @type {any} */ second) => sum + second.operations, 0),
    100,
  );
  assert.ok(Math.abs(average - (100 - warmupOperations) / ((duration - 500) / 1000)) < 1e-6);
});

test('seconds of a warm-up never count as the peak, even if it takes the whole stage', TIME_LIMIT, async (t) => {
  const { outcome, result } = await run(t, 'latency=10ms', ['150', '1', '--warmup', '1m', '--stages', 'write']);
  assertStatus(outcome, 0);
  const [{ operations, peak, average, bottleneck }] = result.stages;
  assert.deepEqual([operations, peak, average], [150, 0, 0]);
  assert.equal(bottleneck.evidence, '0 measured operations are too few to show a limit');
  const folder = await folderWith(t, { 'log.txt': outcome.stdout });
  const summed = await (
    await startProgram(t, process.execPath, [PEAK, path.join(folder, 'log.txt'), '--json', '-'])
  ).outcome;
  assertStatus(summed, 0);
  const { merge, stages } = resultFrom(summed.stdout);
  assert.deepEqual([merge.peaks.Write, stages[0].merge.sumOfPeaks, stages[0].operations], [0, 0, 150]);
});

test('each second has its own percentiles, and a read has a time to first byte', TIME_LIMIT, async (t) => {
  const { outcome, result } = await run(t, 'latency=10ms', ['100', '1', '--stages', 'write,read']);
  assertStatus(outcome, 0);
  const [write, read] = result.stages;
  for (const { operations, p50, p99, maximum } of write.seconds) {
    assert.ok(operations === 0 ? p50 === null : p50 >= 10 && p50 <= p99 && p99 <= maximum * 1.001);
  }
  assert.equal(write.latency.firstByte, null);
  assert.equal(read.latency.firstByte.count, 100);
  assert.ok(read.latency.firstByte.minimum >= 10);
});

test('rejects meaningless open-loop options by name', TIME_LIMIT, async (t) => {
  for (const [parameters, problem] of /** @type {const} */ ([
    [['10', '1', '--arrival', 'poisson'], /--arrival requires --rate/],
    [['10', '1', '--rate', '0'], /--rate: expected operations per second from 0\.1 to 1000000, got "0"/],
    [['10', '1', '--rate', '1e3'], /--rate: expected/],
    [['10', '1', '--rate', '5', '--arrival', 'random'], /--arrival: expected constant or poisson/],
    [['10', '1', '--warmup', 'soon'], /--warmup: expected/],
  ])) {
    const { outcome } = await startCommand(t, parameters);
    const { status, stderr } = await outcome;
    assert.equal(status, 2);
    assert.match(stderr, problem);
  }
});
