import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dotEnvOf, keysIn, runCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, recordsOf } from '../helpers/outcome.js';
import { machineRecords } from '../helpers/log-records.js';

/** Chosen for a body that takes ten seconds. */
const RUN = ['1', '1', '--size', '3MiB', '--timeout', '3s', '--retries', '1', '--no-preflight'];

const TOLD = 'no complete response within 3000ms, with \\d\\.\\d MiB of its object: try a longer --timeout';

describe('an attempt that times out during a transfer', { concurrency: 2 }, () => {
  test('names --timeout and its progress, once per stage and when an operation is given up', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'GET.bandwidth=300kB' });
    const run = [...RUN, '--stages', 'write,read,remove'];
    const outcome = await runCommand(t, run, { dotEnv: dotEnvOf(endpoint) });
    assertStatus(outcome, 1);
    const warning = `^warning: Read: attempts time out while their objects are still in transit: ${TOLD}$`;
    assert.equal(outcome.stderr.match(new RegExp(warning, 'gm'))?.length, 1, outcome.stderr);
    const failures = outcome.stderr.match(new RegExp(`^Read: \\S+ failed after 2 attempts: ${TOLD}$`, 'gm'));
    assert.equal(failures?.length, 1, outcome.stderr);
    const [, read] = machineRecords(recordsOf(outcome.stdout), 'stage');
    assert.deepEqual([read.errors, read.failed], [{ timeout: 2 }, 1]);
    assert.deepEqual(await keysIn(endpoint), []);
  });
});
