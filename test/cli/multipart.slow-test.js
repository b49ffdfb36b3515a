import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dotEnvOf, keysIn, runCommand, startCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';

/** @import { TestEndpoint } from '../helpers/local-s3.js' */

const IN_PARTS = ['--size', '12MiB', '--multipart', '--part-size', '5MiB', '--part-threads', '2'];

/** @param {TestEndpoint} endpoint */
async function leftIn(endpoint) {
  const { uploads } = await endpoint.report();
  return { objects: await keysIn(endpoint), uploads: Object.values(uploads).reduce((sum, count) => sum + count) };
}

/**
 * @param {TestEndpoint} endpoint
 * @param {number} parts
 */
async function partsArrived(endpoint, parts) {
  while ((await endpoint.report()).requests.PART.total < parts) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('objects in parts', { concurrency: 2 }, () => {
  test('lists the uploads of a killed run, and aborts them with --cleanup', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'PART.latency=200ms' });
    const dotEnv = dotEnvOf(endpoint);
    const parameters = ['50', '4', ...IN_PARTS, '--no-preflight', '--run-id', 'a-run'];
    const command = await startCommand(t, parameters, { dotEnv });
    await partsArrived(endpoint, 12);
    command.child.kill('SIGKILL');
    await command.outcome;
    const { uploads } = await leftIn(endpoint);
    assert.ok(uploads > 0);
    const listed = await runCommand(t, ['--cleanup', '--list'], { dotEnv });
    assertStatus(listed, 0);
    assert.match(listed.stdout, /^Run +Objects +Size +Uploads +Oldest +Newest$/m);
    assert.match(listed.stdout, new RegExp(`^a-run +\\d+ +\\S+ MiB +${uploads} `, 'm'));
    const cleaned = await runCommand(t, ['--cleanup', 'a-run'], { dotEnv });
    assertStatus(cleaned, 0);
    assert.match(cleaned.stdout, new RegExp(`, 0 left, ${uploads} uploads? aborted$`, 'm'));
    assert.deepEqual(await leftIn(endpoint), { objects: [], uploads: 0 });
  });
});
