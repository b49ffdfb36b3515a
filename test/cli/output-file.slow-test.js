import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { open, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { dotEnvOf, startCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, ofKind, recordsOf } from '../helpers/outcome.js';
import { resultFrom } from '../helpers/result-schema.js';
import { machineRecords } from '../helpers/log-records.js';

/** @import { Command } from '../helpers/command.js' */

describe('--json -', { concurrency: 3 }, () => {
  const RUN = ['40', '2', '--size', '1KiB', '--json', '-'];

  test('has stdout for itself, and the log goes to stderr', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const command = await startCommand(t, RUN, { dotEnv: dotEnvOf(endpoint) });
    const outcome = await command.outcome;
    assertStatus(outcome, 0);
    const report = resultFrom(outcome.stdout);
    assert.equal(report.stages.length, 4);
    assert.match(outcome.stderr, /^Write: scheduling for 40 objects/m);
    assert.match(outcome.stderr, /^Remove took \d+ms\. /m);
    assert.doesNotMatch(outcome.stderr, /^# r2-benchmark/m);
    assert.deepEqual(await readdir(command.folder), ['.env']);
  });

  test('reports an output without a reader, or without space', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const command = await startCommand(t, RUN, { dotEnv: dotEnvOf(endpoint) });
    command.closeStdout();
    const unread = await command.outcome;
    assertStatus(unread, 141);
    assert.equal(unread.stderr.split('\n').at(-2), 'stdout was closed');
    assert.doesNotMatch(unread.stderr, /Stopping|"format"/);

    const full = await open('/dev/full', 'w');
    t.after(() => full.close());
    const lost = await (await startCommand(t, RUN, { dotEnv: dotEnvOf(endpoint), stdout: full.fd })).outcome;
    assertStatus(lost, 1);
    assert.match(lost.stderr, /^error: stdout cannot be written: ENOSPC/m);
    assert.doesNotMatch(lost.stderr, /Stopping|"format"/);
  });
});

const PEAK_PROGRAM = fileURLToPath(new URL('../../peak-performance.js', import.meta.url));

/**
 * @param {Command} command
 * @param {string} [name]
 */
function logOf({ folder }, name = 'log.txt') {
  return readFile(path.join(folder, name), 'utf8');
}

/** @param {string} log */
function withoutMachineLines(log) {
  return log.replace(/^# r2-benchmark .*\n/gm, '');
}

/**
 * @param {string} log
 * @returns {any} the result of peak-performance.js, with exit status and warnings
 */
function merge(log) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PEAK_PROGRAM, '--json', '-', '-'], {
    input: log,
    encoding: 'utf8',
  });
  return { status, stderr, ...(stdout === '' ? {} : resultFrom(stdout)) };
}

describe('--log', { concurrency: 3 }, () => {
  test('contains the complete record, while stdout has only the lines for people', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'seed=3, latency=5ms, GET.status=500:5%' });
    const run = ['400', '4', '--size', '1KiB', '--log', 'log.txt', '--quiet'];
    const command = await startCommand(t, run, { dotEnv: dotEnvOf(endpoint) });
    const outcome = await command.outcome;
    assertStatus(outcome, 0);
    const log = await logOf(command);
    const records = recordsOf(log);
    assert.equal(withoutMachineLines(log), outcome.stdout);
    assert.notEqual(log, outcome.stdout);
    assert.equal(machineRecords(records, 'run').length, 1);
    assert.equal(machineRecords(records, 'stage').length, 4);
    assert.ok(ofKind(records, 'retrying').length > 0);

    const { stages, ...merged } = merge(log);
    assert.deepEqual(
      [merged.status, merged.stderr, merged.merge.isDated, merged.merge.clocks.trusted],
      [0, '', true, []],
    );
    for (const { operations, merge: summed } of stages) {
      assert.deepEqual([operations, summed.missingLatency], [400, []]);
    }
  });

  test('contains every line that was shown, even of a killed run', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'PUT.latency=100ms' });
    const run = ['2000', '4', '--size', '1KiB', '--log', 'log.txt', '--run-id', 'a-run'];
    const command = await startCommand(t, run, { dotEnv: dotEnvOf(endpoint) });
    await command.shows('stdout', /^\d\d:\d\d:\d\d: Write: Ops [1-9]/m);
    command.child.kill('SIGKILL');
    const { stdout } = await command.outcome;
    const log = await logOf(command);
    assert.ok(log.endsWith('\n'));
    assert.ok(withoutMachineLines(log).startsWith(stdout), log);
    assert.ok(stdout.includes('Write: Ops'));
  });
});
