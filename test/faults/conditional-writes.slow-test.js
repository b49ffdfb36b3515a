import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { dotEnvOf, keysIn, runCommand, startCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { machineRecords } from '../helpers/log-records.js';
import { assertStatus, recordsOf } from '../helpers/outcome.js';
import { resultFrom } from '../helpers/result-schema.js';

/** @import { TestContext } from 'node:test' */

const RACES = 150;
const RUN = ['32', '--size', '64', '--stages', 'write,create,swap', '--contenders', '4'];

/**
 * @param {TestContext} t
 * @param {string} faults
 * @param {readonly string[]} [parameters]
 * @param {number} [races] of each stage
 */
async function race(t, faults, parameters = [], races = RACES) {
  const endpoint = await startTestEndpoint(t, { faults: `seed=7,${faults}` });
  const outcome = await runCommand(t, [`${races}`, ...RUN, ...parameters], { dotEnv: dotEnvOf(endpoint) });
  const stages = machineRecords(recordsOf(outcome.stdout), 'stage').slice(1);
  return { outcome, stages, left: await keysIn(endpoint), requests: (await endpoint.report()).requests };
}

/** @param {readonly any[]} contenders writes by outcome */
function writesIn(contenders) {
  return contenders.reduce((sum, { operations }) => sum + operations, 0);
}

describe('conditional writes', { concurrency: 2 }, () => {
  test('a store that checks a condition before it writes is found, with the keys and exit status 1, and nothing is left', async (t) => {
    const { outcome, stages, left } = await race(t, 'check-then-write=5ms');
    assertStatus(outcome, 1);
    for (const { stage, operations, integrityErrors } of stages) {
      assert.ok(integrityErrors > 0, stage);
      assert.equal(operations + integrityErrors, RACES);
      const named = RegExp(`^${stage}: integrity error: bucket-[ab]/benchmark/\\S+: two winners: \\d of 4 writes`, 'm');
      assert.match(outcome.stderr, named);
    }
    assert.deepEqual(left, []);
  });

  for (const [races, parameters] of /** @type {[number, string[]][]} */ ([
    [RACES, ['--cores', '2', '--duration', '3s']],
    [60, ['--client', 'sdk']],
  ])) {
    test(`${parameters.join(' ')}: lost and throttled writes and latency raise no violation`, async (t) => {
      const faults = 'PUT.lost=25%,PUT.status=503:5%,PUT.status=429:5%,latency=0ms..20ms';
      const { outcome, stages, left } = await race(t, faults, parameters, races);
      assertStatus(outcome, 0);
      for (const { stage, operations, integrityErrors, undecidedRaces } of stages) {
        assert.equal(integrityErrors, 0);
        assert.ok(operations > 0);
        assert.ok(undecidedRaces > 0, stage);
      }
      assert.deepEqual(left, []);
    });
  }

  test('every request of a race is counted once, and its writes by outcome', async (t) => {
    const { outcome, stages, requests } = await race(t, 'latency=0ms..5ms');
    assertStatus(outcome, 0);
    const [create, swap] = stages;
    const parts = machineRecords(recordsOf(outcome.stdout), 'part').filter(({ at }) => at.startsWith('contenders.'));
    const written = (/** @type {string} */ name) => writesIn(parts.filter(({ stage }) => stage === name));
    assert.deepEqual([written('Create'), written('Swap')], [4 * RACES, 4 * RACES]);
    assert.deepEqual([create.attempts, swap.attempts], [5 * RACES, 6 * RACES]);
    const outside = 200;
    assert.ok(requests.PUT.total >= 9 * RACES && requests.PUT.total < 9 * RACES + outside);
    assert.ok(requests.GET.total >= 3 * RACES && requests.GET.total < 3 * RACES + outside);
  });

  test('after Ctrl-C, nothing is left', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'PUT.latency=100ms' });
    const command = await startCommand(t, [`${RACES}`, ...RUN, '--json', 'result.json'], {
      dotEnv: dotEnvOf(endpoint),
    });
    await command.shows('stdout', /^\d\d:\d\d:\d\d: Create: Ops [1-9]/m);
    command.child.kill('SIGINT');
    assert.equal((await command.outcome).status, 130);
    const { stages } = resultFrom(await readFile(path.join(command.folder, 'result.json'), 'utf8'));
    assert.ok(stages.at(-1).contenders.length > 0);
    assert.deepEqual(await keysIn(endpoint), []);
  });
});
