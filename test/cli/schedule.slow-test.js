import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dotEnvOf, keysIn, runCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, ofKind, recordsOf } from '../helpers/outcome.js';
import { machineRecords } from '../helpers/log-records.js';

/** @import { LogRecord } from '../helpers/log-records.js' */

const SMALL = ['--size', '1KiB'];
const STAGES = ['Write', 'Read', 'Stat', 'Remove'];

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
