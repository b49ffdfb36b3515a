import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { startCommand } from '../helpers/command.js';
import { assertStatus, ofKind, recordsOf } from '../helpers/outcome.js';
import { machineRecords } from '../helpers/log-records.js';

/** The rate is checked after 30 and 38 seconds. */
const FEWEST_SECONDS = 38;

const LOAD = ['4000000', '4', '--size', '1KiB', '--warmup', '1s', '--gap', '1s', '--local', '--json', 'result.json'];

describe('a run with --until-stable', { concurrency: 2 }, () => {
  test('ends a stage on two cores early, reports why, and starts the next one', { timeout: 300_000 }, async (t) => {
    // A store with a limit has a steady rate, even on a busy host.
    const steady = ['--faults', 'queue=100', '--cores', '2', '--stages', 'write,remove'];
    const time = ['--duration', '100s', '--until-stable', '20%'];
    const command = await startCommand(t, [...LOAD, ...steady, ...time]);
    const outcome = await command.outcome;
    assertStatus(outcome, 0);
    const { stages } = JSON.parse(await readFile(path.join(command.folder, 'result.json'), 'utf8'));
    assert.deepEqual(
      stages.map((/** @type {any} */ { stage, end }) => [stage, end]),
      [
        ['Write', 'complete'],
        ['Remove', 'complete'],
      ],
    );
    const [write, remove] = stages;
    const { duration, stability, average } = write;
    assert.equal(stability.isStable, true);
    assert.ok(stability.seconds >= FEWEST_SECONDS);
    assert.ok(duration >= 1000 * FEWEST_SECONDS && duration < 95_000, `${duration}ms`);
    assert.ok(Math.abs(average - stability.mean) < 0.2 * stability.mean);
    assert.match(outcome.stderr, /^Write: stable, so the stage ended early: mean /m);
    assert.equal(remove.stability, undefined);
    assert.equal(remove.operations, write.operations);
    // Operations that complete after the end are in the totals, and the log lines still add up to them.
    const records = recordsOf(outcome.stdout);
    for (const { stage, operations } of machineRecords(records, 'stage')) {
      const lines = ofKind(records, 'second').filter((line) => line.stage === stage);
      assert.equal(
        lines.reduce((sum, { operationsPerSecond }) => sum + operationsPerSecond, 0),
        operations,
      );
    }
    assert.doesNotMatch(outcome.stderr, /no objects left/);
  });
});
