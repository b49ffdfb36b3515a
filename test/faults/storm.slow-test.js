import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dotEnvOf, keysIn, runCommand } from '../helpers/command.js';
import { OBJECTS, assertSeenByStore, faultRun, sum } from '../helpers/fault-run.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, ofKind, recordsOf } from '../helpers/outcome.js';
import { machineRecords } from '../helpers/log-records.js';

describe('many faults at once', { concurrency: 3 }, () => {
  for (const client of ['direct', 'sdk']) {
    test(`${client}: faults of every kind cost no operation and leave nothing`, async (t) => {
      const faults = 'status=503:5%, status=500:2%, reset=2%, truncate=2%, lost=1%, close=20, latency=0ms..5ms';
      const endpoint = await startTestEndpoint(t, { faults: `seed=7, ${faults}` });
      const run = await faultRun(t, endpoint, ['--client', client]);
      assertStatus(run, 0);
      assert.ok(run.stages.every(({ operations }) => operations === OBJECTS));
      const report = await endpoint.report();
      // The store may have closed a connection of a request outside the stages.
      assertSeenByStore(run, report, report.faults.close);
      assert.deepEqual(await keysIn(endpoint), []);
    });
  }

  test('in a storm with hundreds of threads, neither memory nor log grows with the retries', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'seed=7, status=503:25%, status=500:10%' });
    const run = ['1000', '300', '--size', '100', '--cores', '1', '--stages', 'write,remove'];
    // Some 1,000 retries, and a heap with little room beyond the program and its threads.
    const env = { NODE_OPTIONS: '--max-old-space-size=64' };
    const outcome = await runCommand(t, run, { dotEnv: dotEnvOf(endpoint), env });
    assertStatus(outcome, 0);
    const records = recordsOf(outcome.stdout);
    const stages = machineRecords(records, 'stage');
    assert.ok(sum(stages.map(({ retries }) => retries)) > 700);
    assert.ok(stages.every(({ operations, failed }) => operations === 1000 && failed === 0));
    const lines = ofKind(records, 'retrying').length;
    assert.ok(lines <= 4 * ofKind(records, 'second').length, `${lines} lines`);
    assert.deepEqual(await keysIn(endpoint), []);
  });
});
