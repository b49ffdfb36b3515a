import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { dotEnvOf, keysIn, runCommand, startCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, recordsOf } from '../helpers/outcome.js';
import { resultFrom } from '../helpers/result-schema.js';
import { machineRecords } from '../helpers/log-records.js';

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
  test('reports how it writes, and shows the latency of parts in its log, its JSON and its page', async (t) => {
    const files = ['--json', 'result.json', '--report', 'page.html', '--csv', 'stages.csv'];
    const command = await startCommand(t, ['6', '2', '--local', ...IN_PARTS, ...files]);
    const outcome = await command.outcome;
    assertStatus(outcome, 0);
    assert.match(
      outcome.stderr,
      /^Objects are written in 3 parts of up to 5MiB, 2 at a time: 4 connections for 2 threads$/m,
    );
    assert.match(outcome.stdout, /^Write part latency: min \S+ mean \S+ p50 /m);
    assert.doesNotMatch(outcome.stdout, /^Write attempt latency/m);
    const [write, read] = machineRecords(recordsOf(outcome.stdout), 'stage');
    assert.deepEqual([write.parts, write.steps, write.attempts, read.parts], [18, 24, 30, 0]);
    const result = resultFrom(await readFile(path.join(command.folder, 'result.json'), 'utf8'));
    assert.deepEqual(result.options.multipart, true);
    assert.deepEqual([result.options.partSize, result.options.partThreads], [5 * 2 ** 20, 2]);
    assert.equal(result.stages[0].latency.parts.count, 18);
    assert.deepEqual([result.cleanup.uploads, result.cleanup.uploadsLeft], [0, 0]);
  });

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
