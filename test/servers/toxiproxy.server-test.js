import assert from 'node:assert/strict';
import { STAGE_NAMES } from './whole-run.js';
import { after, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { dotEnvOf, startCommand } from '../helpers/command.js';
import { assertStatus, recordsOf } from '../helpers/outcome.js';
import { startMinio } from '../helpers/servers.js';
import { startToxiproxy } from './toxiproxy.js';
import { machineRecords } from '../helpers/log-records.js';

/**
 * @import { Toxic } from './toxiproxy.js'
 * @import { TestContext } from 'node:test'
 */

const CLIENTS = /** @type {const} */ (['direct', 'sdk']);
const OBJECTS = 300;
const THREADS = 20;

/**
 * Share of connections hit by a fault that spares some. Each thread has a connection, so the chance that none is hit is
 * one in a million, and no operation gives up, because that takes forty hit connections in a row.
 */
const SOME = 0.5;

/** Length of the outage: longer than the first pauses between attempts, shorter than all of them. */
const OUTAGE_MS = 2000;

/**
 * `breaks`: attempts fail because of it. `ends`: it ends with the stages, because clean-up gives each request ten
 * seconds. `applies`: it exists before the run, because it only shows in Write, which may be over before it is added.
 *
 * @type {Record<string, { toxics: Toxic[], breaks: boolean, ends?: boolean, applies?: boolean }>}
 */
const FAULTS = {
  'little bandwidth, both ways': {
    toxics: [
      { type: 'bandwidth', attributes: { rate: 500 } },
      { type: 'bandwidth', stream: 'upstream', attributes: { rate: 500 } },
    ],
    breaks: false,
  },
  'sliced answers': {
    toxics: [{ type: 'slicer', attributes: { average_size: 500, size_variation: 300, delay: 100 } }],
    breaks: false,
  },
  'data that stops on some connections': {
    toxics: [{ type: 'timeout', toxicity: SOME, attributes: { timeout: 0 } }],
    breaks: true,
    ends: true,
  },
  'connections that are reset after a while': {
    toxics: [{ type: 'reset_peer', toxicity: SOME, attributes: { timeout: 100 } }],
    breaks: true,
  },
  'connections that end after a number of answer bytes': {
    toxics: [{ type: 'limit_data', attributes: { bytes: 100_000 } }],
    breaks: true,
  },
  'connections that end after a number of request bytes': {
    toxics: [{ type: 'limit_data', stream: 'upstream', attributes: { bytes: 100_000 } }],
    breaks: true,
    applies: true,
  },
};

const minio = await startMinio();
const toxiproxy = await startToxiproxy();
after(async () => {
  await toxiproxy.stop();
  await minio.stop();
});

/**
 * Starts a run through the proxy and waits until it writes.
 *
 * @param {TestContext} t
 * @param {'direct' | 'sdk'} client
 * @param {readonly Toxic[]} [toxics] present from the beginning
 */
async function startRun(t, client, toxics = []) {
  const proxy = await toxiproxy.openProxy(minio.port);
  for (const toxic of toxics) {
    await proxy.add(toxic);
  }
  const buckets = await minio.createBuckets(2);
  const { hostname, credentials } = minio;
  const store = { buckets, hostname, port: proxy.port, tls: null, region: 'auto', credentials };
  const parameters = [`${OBJECTS}`, `${THREADS}`, '--client', client, '--timeout', '700ms', '--retries', '40'];
  const command = await startCommand(t, parameters, { dotEnv: dotEnvOf(/** @type {any} */ (store)) });
  await command.shows('stdout', /^Write: scheduling/m);
  return { command, buckets, proxy };
}

/**
 * In all cases: four complete stages, every attempt counted, and nothing left according to the store.
 *
 * @param {Awaited<ReturnType<typeof startRun>>} run
 * @returns {Promise<number>} number of failed attempts
 */
async function assertWhole({ command, buckets }) {
  const outcome = await command.outcome;
  assertStatus(outcome, 0);
  assert.doesNotMatch(outcome.stderr, /^ {4}at |something unexpected/m);
  const stages = machineRecords(recordsOf(outcome.stdout), 'stage');
  assert.deepEqual(
    stages.map(({ stage }) => stage),
    STAGE_NAMES,
  );
  let failures = 0;
  for (const { operations, attempts, retries, failed, skipped, errors } of stages) {
    const failedAttempts = Object.values(errors).reduce((sum, count) => sum + count, 0);
    assert.deepEqual([operations, failed, skipped], [OBJECTS, 0, 0]);
    assert.deepEqual([attempts, retries], [OBJECTS + failedAttempts, failedAttempts]);
    failures += failedAttempts;
  }
  for (const bucket of buckets) {
    assert.deepEqual(await minio.list(bucket), []);
  }
  return failures;
}

describe('network faults', { concurrency: 4 }, () => {
  for (const client of CLIENTS) {
    // The rest is tested with one client.
    const faults = Object.entries(FAULTS).slice(client === 'direct' ? 0 : -2);
    for (const [what, { toxics, breaks, ends = false, applies = false }] of faults) {
      test(`${client} client, MinIO with ${what}: counts are exact and nothing is left`, async (t) => {
        const run = await startRun(t, client, applies ? toxics : []);
        for (const toxic of applies ? [] : toxics) {
          await run.proxy.add(toxic);
        }
        if (ends) {
          await run.command.shows('stdout', /^Remove took/m);
          await Promise.all(toxics.map((toxic) => run.proxy.remove(toxic)));
        }
        const failures = await assertWhole(run);
        assert.ok(failures > 0 || !breaks, 'the fault never showed');
      });
    }

    test(`${client} client, MinIO that fails during the run and returns: counts are exact and nothing is left`, async (t) => {
      const run = await startRun(t, client);
      await run.proxy.switchTo(false);
      await run.command.shows('stdout', /^Retrying/m);
      await wait(OUTAGE_MS);
      await run.proxy.switchTo(true);
      const failures = await assertWhole(run);
      assert.ok(failures >= THREADS, `${failures} attempts failed`);
    });
  }
});
