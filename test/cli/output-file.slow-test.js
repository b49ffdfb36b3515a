import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { open, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { decodeFromCompressedBase64 } from 'hdr-histogram-js';
import { newResult } from '../../lib/cleanup/cleanup.js';
import { screenRows } from '../../scripts/terminal-screen.js';
import { dotEnvOf, folderWith, keysIn, PROGRAM, runCommand, startCommand, startProgram } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, ofKind, recordsOf } from '../helpers/outcome.js';
import { resultFrom } from '../helpers/result-schema.js';
import { hasScript } from '../helpers/script.js';
import { machineRecords } from '../helpers/log-records.js';

/**
 * @import { Command } from '../helpers/command.js'
 */

test('--csv contains the seconds of every stage, and adds up to the same as --json', async (t) => {
  const folder = await folderWith(t, {});
  const [json, csv] = ['result.json', 'seconds.csv'].map((name) => path.join(folder, name));
  assertStatus(await runCommand(t, ['200', '5', '--size', '1KiB', '--local', '--json', json, '--csv', csv]), 0);
  const { stages } = JSON.parse(await readFile(json, 'utf8'));
  const [head, ...rows] = (await readFile(csv, 'utf8')).trimEnd().split('\n');
  assert.equal(head, 'second_start,stage,host,ops,bytes');
  for (const { stage, operations, bytes } of stages) {
    const ofStage = rows.map((row) => row.split(',')).filter((fields) => fields[1] === stage);
    const sums = [3, 4].map((column) => ofStage.reduce((sum, fields) => sum + Number(fields[column]), 0));
    assert.deepEqual(sums, [operations, bytes]);
  }
});

describe('--json', { concurrency: 3 }, () => {
  test('a killed run leaves nothing after the report of the next one', async (t) => {
    const folder = await folderWith(t, {});
    const run = ['200', '5', '--size', '1KiB', '--local', '--json', path.join(folder, 'result.json')];
    const killed = await startCommand(t, [...run, '--faults', 'PUT.latency=30s', '--no-preflight']);
    await killed.shows('stdout', /^Write: scheduling/m);
    killed.child.kill('SIGKILL');
    await killed.outcome;
    assert.deepEqual(await readdir(folder), []);
    assertStatus(await runCommand(t, run), 0);
    assert.deepEqual(await readdir(folder), ['result.json']);
  });

  test('contains everything in the log, and more', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'seed=7, GET.corrupt=3%, HEAD.status=503:3%' });
    const run = ['200', '5', '--size', '1KiB', '--run-id', 'a-run', '--json', 'result.json'];
    const command = await startCommand(t, run, { dotEnv: dotEnvOf(endpoint) });
    const outcome = await command.outcome;
    assertStatus(outcome, 1);
    assert.deepEqual((await readdir(command.folder)).toSorted(), ['.env', 'result.json']);
    const report = resultFrom(await readFile(path.join(command.folder, 'result.json'), 'utf8'));
    assert.deepEqual([report.format, report.run, report.problems], [3, 'a-run', []]);
    assert.deepEqual([report.options.objects, report.options.threads, report.options.buckets], [200, 5, 2]);
    assert.deepEqual(Object.keys(report.versions), ['r2-benchmark', 'node']);

    const records = recordsOf(outcome.stdout);
    const totals = machineRecords(records, 'stage');
    assert.equal(report.stages.length, 4);
    for (const [place, stage] of report.stages.entries()) {
      const { stage: name, operations, attempts, retries, integrityErrors, errors } = totals[place];
      const { stage: named, seconds, latency } = stage;
      assert.deepEqual(
        [named, stage.operations, stage.attempts, stage.retries, stage.integrityErrors, stage.errors],
        [name, operations, attempts, retries, integrityErrors, errors],
      );
      assert.equal(
        seconds.reduce((/** @type {number} */ sum, /** @type {any} */ second) => sum + second.operations, 0),
        operations,
      );
      assert.equal(latency.operations.count, operations);
      assert.equal(latency.attempts.count, attempts);
      assert.equal(decodeFromCompressedBase64(latency.histogram.operations).totalCount, operations);
      assert.deepEqual(totals[place].latency, latency);
    }
  });

  test('reports why a run could not start', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const dotEnv = dotEnvOf(endpoint, { S3_BUCKET: 'bucket-x' });
    const command = await startCommand(t, ['10', '2', '--json', 'result.json'], { dotEnv });
    assertStatus(await command.outcome, 2);
    const report = resultFrom(await readFile(path.join(command.folder, 'result.json'), 'utf8'));
    assert.deepEqual([report.stages, report.cleanup], [[], null]);
    assert.match(report.problems[0], /there is no bucket "bucket-x"/);
  });

  test('reports the clean-up of a run that did not remove its objects itself', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const run = ['10', '2', '--stages', 'write', '--json', 'result.json'];
    const command = await startCommand(t, run, { dotEnv: dotEnvOf(endpoint) });
    assertStatus(await command.outcome, 0);
    const report = resultFrom(await readFile(path.join(command.folder, 'result.json'), 'utf8'));
    assert.deepEqual(report.cleanup, { ...newResult(), removed: 10, left: 0 });
  });

  test('Row 20: reports a full disk, and the log is complete', async (t) => {
    // A limit on file sizes simulates a full disk: the report is larger than two blocks.
    const limited = 'ulimit -f 2 && exec "$0" "$@"';
    const run = ['20', '2', '--local', '--json', 'result.json'];
    const command = await startProgram(t, '/bin/sh', ['-c', limited, process.execPath, PROGRAM, ...run], {});
    const outcome = await command.outcome;
    assertStatus(outcome, 1);
    assert.match(outcome.stderr, /^error: result\.json could not be written: EFBIG.*$/m);
    assert.equal(recordsOf(outcome.stdout).at(-1)?.data.kind, 'end');
    assert.deepEqual(await readdir(command.folder), []);
  });
});

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

  test('leaves the log to the --log file, if there is one', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const command = await startCommand(t, [...RUN, '--log', 'log.txt'], { dotEnv: dotEnvOf(endpoint) });
    const outcome = await command.outcome;
    assertStatus(outcome, 0);
    assert.equal(resultFrom(outcome.stdout).stages.length, 4);
    assert.match(outcome.stderr, /^Run /m);
    assert.doesNotMatch(outcome.stderr, /took|scheduling/);
    const records = recordsOf(await readFile(path.join(command.folder, 'log.txt'), 'utf8'));
    assert.equal(machineRecords(records, 'stage').length, 4);
  });

  test('returns the log to stderr if its file fails', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const run = [...RUN, '--log', '/dev/full'];
    const outcome = await (await startCommand(t, run, { dotEnv: dotEnvOf(endpoint) })).outcome;
    assertStatus(outcome, 1);
    assert.equal(resultFrom(outcome.stdout).stages.length, 4);
    assert.match(outcome.stderr, /^error: \/dev\/full could not be written: ENOSPC/m);
    assert.match(outcome.stderr, /^Write: scheduling for 40 objects/m);
  });

  test('reports why a run could not start, or was ended by a signal', async (t) => {
    const refusing = await startTestEndpoint(t);
    const dotEnv = dotEnvOf(refusing, { S3_BUCKET: 'bucket-x' });
    const refused = await (await startCommand(t, RUN, { dotEnv })).outcome;
    assertStatus(refused, 2);
    assert.match(resultFrom(refused.stdout).problems[0], /there is no bucket "bucket-x"/);

    const endpoint = await startTestEndpoint(t, { faults: 'PUT.latency=100ms' });
    const command = await startCommand(t, ['2000', ...RUN.slice(1)], { dotEnv: dotEnvOf(endpoint) });
    await command.shows('stderr', /^\d\d:\d\d:\d\d: Write: Ops [1-9]/m);
    command.child.kill('SIGTERM');
    const stopped = await command.outcome;
    assertStatus(stopped, 143);
    assert.equal(resultFrom(stopped.stdout).stages[0].end, 'stopped');
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

  test('prints nothing on stdout for a rejected command', async (t) => {
    const outcome = await (await startCommand(t, RUN)).outcome;
    assertStatus(outcome, 2);
    assert.equal(outcome.stdout, '');
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

  test('appends a second run on request, and both are read', async (t) => {
    const folder = await folderWith(t, {});
    const log = path.join(folder, 'log.txt');
    const run = ['20', '2', '--local', '--log', log, '--log-append'];
    assertStatus(await (await startCommand(t, run)).outcome, 0);
    assertStatus(await (await startCommand(t, run)).outcome, 0);
    assert.equal(machineRecords(recordsOf(await readFile(log, 'utf8')), 'run').length, 2);
  });

  test('rejects an existing file before the run, together with all other problems, and leaves it unchanged', async (t) => {
    const folder = await folderWith(t, { 'log.txt': 'an earlier one\n' });
    const log = path.join(folder, 'log.txt');
    const command = await startCommand(t, ['20', '2', '--log', log, '--json', folder]);
    const outcome = await command.outcome;
    assertStatus(outcome, 2);
    assert.ok(outcome.stderr.includes(`error: --log: ${log} exists: expected a new name, or --log-append`));
    assert.match(outcome.stderr, /^error: --json: .* it is a directory$/m);
    assert.match(outcome.stderr, /^error: .*S3_BUCKET/m);
    assert.equal(outcome.stdout, '');
    assert.equal(await readFile(log, 'utf8'), 'an earlier one\n');
  });

  test('leaves no file if the run is refused', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const dotEnv = dotEnvOf(endpoint, { S3_BUCKET: 'bucket-x' });
    const refusedByStore = await startCommand(t, ['10', '2', '--log', 'log.txt'], { dotEnv });
    assertStatus(await refusedByStore.outcome, 2);
    assert.deepEqual(await readdir(refusedByStore.folder), ['.env']);
    const withoutVariables = await startCommand(t, ['10', '2', '--log', 'log.txt']);
    assertStatus(await withoutVariables.outcome, 2);
    assert.deepEqual(await readdir(withoutVariables.folder), []);
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

  test('Row 15: continues to the end of an interrupted run', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'PUT.latency=100ms' });
    const run = ['200', '4', '--size', '1KiB', '--log', 'log.txt'];
    const command = await startCommand(t, run, { dotEnv: dotEnvOf(endpoint) });
    await command.shows('stdout', /^\d\d:\d\d:\d\d: Write: Ops [1-9]/m);
    command.child.kill('SIGINT');
    const outcome = await command.outcome;
    assertStatus(outcome, 130);
    const log = await logOf(command);
    assert.equal(withoutMachineLines(log), outcome.stdout);
    assert.equal(recordsOf(log).at(-1)?.data.kind, 'end');
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('Row 19: contains the end of a run whose stdout was closed', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'PUT.latency=100ms' });
    const run = ['2000', '4', '--size', '1KiB', '--log', 'log.txt'];
    const command = await startCommand(t, run, { dotEnv: dotEnvOf(endpoint) });
    await command.shows('stdout', /^Write: scheduling/m);
    command.closeStdout();
    assertStatus(await command.outcome, 141);
    const records = recordsOf(await logOf(command));
    assert.equal(machineRecords(records, 'stage').length, 1);
    assert.equal(records.at(-1)?.data.kind, 'end');
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('Row 20: reports a full disk once, and the run continues and exits with status 1', async (t) => {
    // A limit on file sizes simulates a full disk: the log is larger than a block.
    const limited = 'ulimit -f 1 && exec "$0" "$@"';
    const run = ['100', '2', '--local', '--log', 'log.txt'];
    const command = await startProgram(t, '/bin/sh', ['-c', limited, process.execPath, PROGRAM, ...run], {});
    const outcome = await command.outcome;
    assertStatus(outcome, 1);
    const told = outcome.stderr.split('\n').filter((line) => line.includes('log.txt'));
    assert.equal(told.length, 1, outcome.stderr);
    assert.match(told[0], /^error: log\.txt could not be written: EFBIG.*; the log ends there, and the run continues$/);
    assert.equal(ofKind(recordsOf(outcome.stdout), 'table-row').length, 4);
    const log = await logOf(command);
    assert.ok(log.length > 0 && merge(log).status === 1, 'the file is a truncated log');
  });
});

const skip = hasScript() ? false : 'needs the command script of util-linux';

test('on a terminal of 120 columns, a log is written, and no machine lines are shown', { skip }, async (t) => {
  const line = `stty cols 120; "${process.execPath}" "${PROGRAM}" 5000 64 --local --log log-$(hostname).txt`;
  const command = await startProgram(t, 'script', ['-qec', line, '/dev/null'], { env: { SHELL: '/bin/sh' } });
  const { stdout, status } = await command.outcome;
  assert.equal(status, 0, stdout);
  const screen = screenRows(stdout, 120).join('\n');
  assert.doesNotMatch(screen, /# r2-benchmark|[A-Za-z0-9+/]{60}/);
  assert.match(screen, /^Write +[\d,.]+ /m);
  const [name] = (await readdir(command.folder)).filter((each) => each.startsWith('log-'));
  const merged = merge(await logOf(command, name));
  assert.deepEqual([merged.status, merged.stderr], [0, '']);
  assert.deepEqual(
    merged.stages.map((/** @type {any} */ { operations, merge: summed }) => [operations, summed.missingLatency]),
    Array.from({ length: 4 }, () => [5000, []]),
  );
});
