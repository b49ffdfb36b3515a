import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { keysIn, runCommand } from '../helpers/command.js';
import { OBJECTS, endOf, startFaultRun } from '../helpers/fault-run.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';

const env = { NODE_OPTIONS: `--require=${fileURLToPath(new URL('../helpers/fips.cjs', import.meta.url))}` };

describe('Node in FIPS mode, without MD5', { concurrency: 2 }, () => {
  test('Row 53: a run with --local, also in parts, works', async (t) => {
    for (const options of [[], ['--multipart', '--size', '6MiB', '--part-size', '5MiB']]) {
      assertStatus(await runCommand(t, ['6', '2', '--local', ...options], { env }), 0);
    }
  });

  for (const [client, faults] of [
    ['direct', ''],
    ['sdk', ''],
    ['direct', 'POST.status=400/InvalidRequest:100%'],
  ]) {
    test(`Row 53: ${client} ${faults}: objects are removed in batches without Content-MD5, or one by one if the store requires it`, async (t) => {
      const endpoint = await startTestEndpoint(t, { faults });
      const stages = ['--stages', faults === '' ? 'write,read,batch-remove' : 'write,read,stat'];
      const run = await endOf(await startFaultRun(t, endpoint, [...stages, '--client', client], { env }));
      assertStatus(run, 0);
      assert.deepEqual([run.report.cleanup.removed, run.report.cleanup.left], [faults === '' ? 0 : OBJECTS, 0]);
      assert.deepEqual(await keysIn(endpoint), []);
    });
  }
});
