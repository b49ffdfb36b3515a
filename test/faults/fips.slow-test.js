import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { keysIn, runCommand } from '../helpers/command.js';
import { startFaultProxy } from '../helpers/fault-proxy.js';
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
      /** @type {boolean[]} */
      const batches = [];
      const proxy = await startFaultProxy(t, endpoint, (exchange) => {
        const { operation, headers, body } = exchange;
        if (operation === 'POST') {
          const sha256 = headers['x-amz-checksum-sha256'];
          const isChecked = headers['x-amz-checksum-crc32'] !== undefined || sha256 === hash('sha256', body, 'base64');
          batches.push(isChecked && headers['content-md5'] === undefined);
        }
        return exchange.pass();
      });
      const watched = { ...endpoint, port: proxy.port };
      const run = await endOf(await startFaultRun(t, watched, [...stages, '--client', client], { env }));
      assert.ok(batches.length > 0 && batches.every(Boolean), batches.join());
      assertStatus(run, 0);
      assert.deepEqual([run.report.cleanup.removed, run.report.cleanup.left], [faults === '' ? 0 : OBJECTS, 0]);
      assert.deepEqual(await keysIn(endpoint), []);
    });
  }
});
