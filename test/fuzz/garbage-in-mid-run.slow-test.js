import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dotEnvOf, keysIn, runCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, recordsOf } from '../helpers/outcome.js';
import { assertCivil } from './civil.js';
import { startGarbageRelay } from './garbage-relay.js';
import { machineRecords } from '../helpers/log-records.js';

const OBJECTS = 60;

/** Often enough for every kind of garbage, and never twice in a row for one request. */
const EVERY_NTH = 6;

describe('garbage during a run', { concurrency: 2 }, () => {
  test('every operation succeeds in the end, every attempt is counted, and nothing is left', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const relay = await startGarbageRelay(t, { port: endpoint.port, nth: EVERY_NTH });
    const parameters = [`${OBJECTS}`, '20', '--size', '2KiB', '--timeout', '400ms'];

    const outcome = await runCommand(t, parameters, { dotEnv: dotEnvOf(endpoint, { S3_PORT: relay.port }) });

    assertCivil(outcome);
    assertStatus(outcome, 0);
    const stages = machineRecords(recordsOf(outcome.stdout), 'stage');
    assert.equal(stages.length, 4);
    let failures = 0;
    for (const { operations, attempts, retries, errors } of stages) {
      const failed = Object.values(errors).reduce((sum, count) => sum + count, 0);
      assert.deepEqual([operations, attempts, retries], [OBJECTS, OBJECTS + failed, failed]);
      failures += failed;
    }
    assert.ok(failures >= (4 * OBJECTS) / EVERY_NTH, `${failures} attempts failed, ${relay.garbled} were garbled`);
    assert.deepEqual(await keysIn(endpoint), []);
  });
});
