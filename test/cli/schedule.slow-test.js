import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dotEnvOf, keysIn, runCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, ofKind, recordsOf } from '../helpers/outcome.js';
import { machineRecords } from '../helpers/log-records.js';

/** @import { LogRecord } from '../helpers/log-records.js' */

const SMALL = ['--size', '1KiB'];
const STAGES = ['Write', 'Read', 'Stat', 'Remove'];

/** Times in the log have a resolution of one millisecond. */
const PRECISION_MS = 1;

/** Timers count whole milliseconds of a time that the event loop reads only occasionally. */
const TIMER_PRECISION_MS = 5;

/** @param {readonly LogRecord[]} records */
function linesAddUp(records) {
  for (const stage of machineRecords(records, 'stage')) {
    const lines = ofKind(records, 'second').filter((line) => line.stage === stage.stage);
    const total = lines.reduce((sum, { operationsPerSecond }) => sum + operationsPerSecond, 0);
    assert.equal(total, stage.operations, stage.stage);
  }
}

describe('a run with stages of a fixed duration', { concurrency: 3 }, () => {
  test(`keeps to its slots on two cores, and removes everything it wrote`, async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'latency=2ms' });
    const run = ['100000', '4', ...SMALL, '--duration', '1s', '--gap', '1s', '--cores', '2'];
    const outcome = await runCommand(t, run, { dotEnv: dotEnvOf(endpoint) });
    assertStatus(outcome, 0);
    const records = recordsOf(outcome.stdout);
    const stages = machineRecords(records, 'stage');
    assert.deepEqual(
      stages.map(({ stage, end }) => [stage, end]),
      STAGES.map((stage) => [stage, 'complete']),
    );
    const [write, read, stat, remove] = stages;
    const begun = Date.parse(machineRecords(records, 'run')[0].start);
    for (const [place, { stage, startedAt: start, endedAt: stop }] of stages.slice(0, 3).entries()) {
      // A busy host may start a stage late and so shorten it, but no stage starts or ends before its slot.
      const slotAt = begun + place * 2000 - TIMER_PRECISION_MS;
      assert.ok(start >= slotAt, `${stage} begins ${slotAt - start}ms before its slot`);
      assert.ok(stop >= slotAt + 1000, `${stage} ends ${slotAt + 1000 - stop}ms before its slot`);
    }
    assert.ok(write.operations > 4 && write.operations < 100_000);
    assert.deepEqual([remove.operations, remove.failed, remove.skipped], [write.operations, 0, 0]);
    assert.ok(read.operations > 0 && stat.operations > 0);
    linesAddUp(records);
    assert.deepEqual(await keysIn(endpoint), []);
    const { requests } = await endpoint.report();
    assert.ok(requests.PUT.succeeded >= write.operations);
    assert.equal(requests.PUT.succeeded, requests.DELETE.succeeded);
  });
});

describe('a run with a start time', { concurrency: 3 }, () => {
  test('waits for it, and reports that', async (t) => {
    const launchedAfter = Date.now();
    const outcome = await runCommand(t, ['20', '2', ...SMALL, '--start-at', '+15s', '--local']);
    assertStatus(outcome, 0);
    const told = /^Waiting until (\S+) \(([\d.]+)s from now by the store's clock\)$/m.exec(outcome.stderr);
    assert.ok(told !== null, outcome.stderr);
    const records = recordsOf(outcome.stdout);
    const [write] = machineRecords(records, 'stage');
    assert.ok(write.startedAt >= Date.parse(told[1]) - PRECISION_MS, 'Write begins before it');
    assert.ok(Date.parse(told[1]) >= launchedAfter + 15_000 - PRECISION_MS && Number(told[2]) < 15);
  });
});

describe('hosts that share a run', { concurrency: 3 }, () => {
  const OBJECTS = 60;
  const shard = (/** @type {string} */ given) => [`${OBJECTS}`, '4', ...SMALL, '--run-id', 'shared', '--shard', given];

  test('write their own objects, which a single run can read, verify and remove', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const dotEnv = dotEnvOf(endpoint);
    const hosts = await Promise.all(
      ['0/2', '1/2'].map((given) => runCommand(t, [...shard(given), '--stages', 'write', '--keep'], { dotEnv })),
    );
    hosts.forEach((outcome) => assertStatus(outcome, 0));
    assert.deepEqual(
      hosts.map(({ stdout }) => machineRecords(recordsOf(stdout), 'run')[0].shard),
      ['0/2', '1/2'],
    );
    assert.equal((await keysIn(endpoint)).length, 2 * OBJECTS, 'neither overwrites an object of the other');
    const whole = [`${2 * OBJECTS}`, '4', ...SMALL, '--run-id', 'shared', '--stages', 'read,stat,remove'];
    const outcome = await runCommand(t, whole, { dotEnv });
    assertStatus(outcome, 0);
    assert.deepEqual(
      machineRecords(recordsOf(outcome.stdout), 'stage').map(({ operations, failed }) => [operations, failed]),
      [1, 2, 3].map(() => [2 * OBJECTS, 0]),
    );
    assert.deepEqual(await keysIn(endpoint), []);
  });
});
