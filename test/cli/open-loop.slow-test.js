import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { dotEnvOf, keysIn, startCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';
import { resultFrom } from '../helpers/result-schema.js';

/** @import { TestContext } from 'node:test' */

const TIME_LIMIT = { timeout: 120_000 };

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

test(`--rate starts every operation on time, on two cores`, TIME_LIMIT, async (t) => {
  const parameters = ['60', '6', '--rate', '60', '--arrival', 'poisson', '--cores', '2'];
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
