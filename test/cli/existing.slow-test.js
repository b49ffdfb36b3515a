import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { dotEnvOf, runCommand, startCommand } from '../helpers/command.js';
import { startFaultProxy } from '../helpers/fault-proxy.js';
import { sdkClient, startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, recordsOf } from '../helpers/outcome.js';
import { machineRecords } from '../helpers/log-records.js';

/**
 * @import { TestContext } from 'node:test'
 * @import { TestEndpoint } from '../helpers/local-s3.js'
 */

const ALL_STAGES = 'read,range,stat,list';

/** Stages that would change something. */
const CHANGES = /** @type {const} */ (['PUT', 'DELETE', 'POST', 'OTHER']);

/**
 * An endpoint with objects in its first bucket.
 *
 * @param {TestContext} t
 * @param {readonly string[]} keys
 * @param {{ faults?: string }} [options]
 */
async function filledEndpoint(t, keys, options = {}) {
  const endpoint = await startTestEndpoint(t, options);
  const client = sdkClient(t, endpoint);
  const put = (/** @type {string} */ key, /** @type {string} */ body, bucket = endpoint.buckets[0]) =>
    endpoint.put(bucket, key, Buffer.from(body));
  for (const [place, key] of keys.entries()) {
    await put(key, 'x'.repeat(37 * place));
  }
  const remove = (/** @type {string} */ Key) =>
    client.send(new DeleteObjectCommand({ Bucket: endpoint.buckets[0], Key }));
  return { endpoint, put, remove, changes: () => changesOf(endpoint) };
}

/** @param {TestEndpoint} endpoint */
async function changesOf(endpoint) {
  const { requests } = await endpoint.report();
  return CHANGES.map((name) => requests[name].total);
}

/** @param {number} count */
function numberedKeys(count) {
  return Array.from({ length: count }, (_, place) => `data/${String(place).padStart(6, '0')}`);
}

/** @param {{ stdout: string }} outcome */
function stagesOf({ stdout }) {
  return machineRecords(recordsOf(stdout), 'stage');
}

describe('a run on existing objects', { concurrency: 2 }, () => {
  test('mixes reading operations for a while, on two cores', async (t) => {
    // Few enough to cycle even on a busy machine.
    const count = 22;
    const keys = numberedKeys(count);
    const { endpoint, changes } = await filledEndpoint(t, keys, { faults: 'latency=10ms' });
    const before = await changes();
    const mix = ['--mix', 'read=40,range=20,stat=30,list=10', '--page-size', '7', '--range-size', '30B'];
    const run = [
      '1000',
      '4',
      '--existing',
      'data/',
      ...mix,
      '--duration',
      '2s',
      '--access',
      'zipf:0.9',
      '--cores',
      '2',
    ];
    const outcome = await runCommand(t, run, { dotEnv: dotEnvOf(endpoint) });

    assertStatus(outcome, 0);
    const [mixed, ...others] = stagesOf(outcome);
    assert.deepEqual([mixed.stage, others], ['Mixed', []]);
    const { operations, attempts, failed, integrityErrors, errors } = mixed;
    assert.deepEqual([attempts, failed, integrityErrors, errors], [operations, 0, 0, {}]);
    assert.ok(operations > count, 'it cycles');
    const list = mixed.kinds.find((/** @type {any} */ kind) => kind.operation === 'list');
    // The last page of the prefix has one key, the others have seven.
    const fullPages = (list.keys - list.operations) / 6;
    assert.ok(Number.isInteger(fullPages) && fullPages > 0 && fullPages <= list.operations, `${list.keys} keys`);
    assert.deepEqual(await changes(), before);
    assert.match(outcome.stderr, new RegExp(`^Listed "data/" in .*: ${count} objects, and there are no more$`, 'm'));
  });

  test('counts vanished and replaced objects under separate names, and succeeds', async (t) => {
    const keys = numberedKeys(40);
    const { endpoint, put, remove } = await filledEndpoint(t, keys);
    let isChanged = false;
    const proxy = await startFaultProxy(t, endpoint, async (exchange) => {
      if (exchange.operation !== 'LIST') {
        return exchange.pass();
      }
      const answer = await exchange.forward();
      if (!isChanged && answer.body.includes(keys[3])) {
        isChanged = true;
        await Promise.all([remove(keys[3]), remove(keys[4]), put(keys[7], 'another body')]);
      }
      return exchange.respond(answer);
    });
    const options = ['--existing', 'data/', '--stages', 'read,stat', '--json', 'result.json', '--no-preflight'];
    const dotEnv = dotEnvOf(endpoint, { S3_PORT: proxy.port });
    const command = await startCommand(t, ['1000', '4', ...options], { dotEnv });
    const outcome = await command.outcome;
    assertStatus(outcome, 0);
    const { stages } = JSON.parse(await readFile(path.join(command.folder, 'result.json'), 'utf8'));
    for (const { stage, operations, vanished, changed, failed, integrityErrors, errors } of stages) {
      assert.deepEqual([operations, vanished, changed, failed, integrityErrors], [37, 2, 1, 0, 0], stage);
      assert.deepEqual(errors, { changed: 1, 'not-found': 2 });
    }
    assert.match(outcome.stderr, /^Read: 2 operations found no object: removed, or listed under another name$/m);
    assert.match(
      outcome.stderr,
      /^Stat: 1 operation found a different object from the one listed: something else writes to the bucket$/m,
    );
  });

  test('needs only a token that may list and read', async (t) => {
    const readOnly = ['PUT', 'DELETE', 'POST'].map((method) => `${method}.status=403/AccessDenied:100%`).join();
    const { endpoint, changes } = await filledEndpoint(t, numberedKeys(8), { faults: readOnly });
    const run = ['1000', '3', '--existing', 'data/', '--stages', ALL_STAGES, '--range-size', '3'];
    const outcome = await runCommand(t, run, { dotEnv: dotEnvOf(endpoint) });
    assertStatus(outcome, 0);
    assert.doesNotMatch(outcome.stderr, /clean-up|Removed|may (be left|remain)/i);
    assert.deepEqual(await changes(), [0, 0, 0, 0]);
  });
});
