import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFile, readdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { LogFile } from '../../lib/cli/log-file.js';
import { UsageError } from '../../lib/cli/usage-error.js';
import {
  PROGRAM,
  dotEnvOf,
  folderWith,
  keysIn,
  machineLines,
  runInProcess,
  startCommand,
  startProgram,
} from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, ofKind, recordsOf } from '../helpers/outcome.js';
import { hasScript } from '../helpers/script.js';

/** @import { Command } from '../helpers/command.js' */

const PEAK_PROGRAM = fileURLToPath(new URL('../../peak-performance.js', import.meta.url));

/**
 * @param {string} file
 * @param {boolean} [append]
 */
function openLog(file, append = false) {
  return new LogFile(file, { append });
}

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
 * @returns {any} what peak-performance.js makes of it, its exit status and its warnings
 */
function merge(log) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PEAK_PROGRAM, '--json', '-', '-'], {
    input: log,
    encoding: 'utf8',
  });
  return { status, stderr, ...(stdout === '' ? {} : JSON.parse(stdout)) };
}

describe('the file of a log', () => {
  test('has each line as soon as it is written', async (t) => {
    const file = path.join(await folderWith(t, {}), 'log.txt');
    const log = openLog(file);
    log.write('one');
    assert.equal(await readFile(file, 'utf8'), 'one\n');
    log.write('two');
    assert.equal(await readFile(file, 'utf8'), 'one\ntwo\n');
    log.close();
    log.close();
    log.write('three');
    assert.equal(await readFile(file, 'utf8'), 'one\ntwo\n');
  });

  test('must not be there already, unless it is to be added to', async (t) => {
    const folder = await folderWith(t, { 'log.txt': 'an earlier one\n' });
    const file = path.join(folder, 'log.txt');
    await symlink('log.txt', path.join(folder, 'link'));
    await symlink('missing', path.join(folder, 'dangling'));
    for (const name of ['log.txt', 'link', 'dangling']) {
      const there = path.join(folder, name);
      const message = `--log: ${there} exists: expected a new name, or --log-append to add to it`;
      assert.throws(
        () => openLog(there),
        (error) => error instanceof UsageError && error.message === message,
      );
    }
    const log = openLog(file, true);
    log.write('a line');
    log.close();
    assert.equal(await readFile(file, 'utf8'), 'an earlier one\na line\n');
  });

  test('is begun where it is to be added to and is not there', async (t) => {
    const file = path.join(await folderWith(t, {}), 'log.txt');
    const log = openLog(file, true);
    log.write('a line');
    log.close();
    assert.equal(await readFile(file, 'utf8'), 'a line\n');
  });

  test('that ends within a line goes on with a line of its own', async (t) => {
    const folder = await folderWith(t, { 'log.txt': 'Write: schedul', 'empty.txt': '' });
    for (const [name, expected] of [
      ['log.txt', 'Write: schedul\none\ntwo\n'],
      ['empty.txt', 'one\ntwo\n'],
    ]) {
      const log = openLog(path.join(folder, name), true);
      log.write('one');
      log.write('two');
      log.close();
      assert.equal(await readFile(path.join(folder, name), 'utf8'), expected);
    }
  });

  test('leaves nothing behind where no line was written, and an earlier log as it was', async (t) => {
    const folder = await folderWith(t, { 'log.txt': 'an earlier o', 'empty.txt': '' });
    openLog(path.join(folder, 'new.txt')).close();
    openLog(path.join(folder, 'log.txt'), true).close();
    openLog(path.join(folder, 'empty.txt'), true).close();
    assert.deepEqual((await readdir(folder)).toSorted(), ['empty.txt', 'log.txt']);
    assert.equal(await readFile(path.join(folder, 'log.txt'), 'utf8'), 'an earlier o');
  });

  test('is refused by name where nothing can be written', async (t) => {
    const folder = await folderWith(t, { 'a-file': '' });
    for (const place of [folder, path.join(folder, 'missing', 'x'), path.join(folder, 'a-file', 'x')]) {
      assert.throws(
        () => openLog(place),
        (error) => error instanceof UsageError && error.message.startsWith(`--log: ${place} cannot be written: `),
      );
    }
  });

  test('may be a pipe, which has nothing to lose', async (t) => {
    const pipe = path.join(await folderWith(t, {}), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const reading = readFile(pipe, 'utf8');
    const log = openLog(pipe);
    log.write('a line');
    log.close();
    assert.equal(await reading, 'a line\n');
  });

  test('that takes no more is told of once, and ends there', () => {
    const log = openLog('/dev/full');
    /** @type {string[]} */
    const told = [];
    log.onFailure = (problem) => told.push(problem);
    log.write('one');
    log.write('two');
    log.close();
    assert.equal(told.length, 1);
    assert.match(told[0], /^\/dev\/full could not be written: ENOSPC/);
    assert.ok(log.hasFailed);
  });
});

describe('--log', { concurrency: 3 }, () => {
  test('holds the whole record, while stdout has the lines for people alone', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'seed=3, latency=5ms, GET.status=500:5%' });
    const run = ['400', '4', '--size', '1KiB', '--log', 'log.txt', '--quiet'];
    const command = await startCommand(t, run, { dotEnv: dotEnvOf(endpoint) });
    const outcome = await command.outcome;
    assertStatus(outcome, 0);
    const log = await logOf(command);
    const records = recordsOf(log);
    assert.equal(withoutMachineLines(log), outcome.stdout);
    assert.notEqual(log, outcome.stdout);
    assert.equal(machineLines(records, 'run').length, 1);
    assert.equal(machineLines(records, 'stage').length, 4);
    assert.ok(ofKind(records, 'retrying').length > 0);

    const { stages, ...merged } = merge(log);
    assert.deepEqual([merged.status, merged.stderr, merged.isDated, merged.clocks.trusted], [0, '', true, []]);
    for (const { operations, missingLatency } of stages) {
      assert.deepEqual([operations, missingLatency], [400, []]);
    }
  });

  test('adds a second run to the first where that is asked for, and both are read', async (t) => {
    const folder = await folderWith(t, {});
    const log = path.join(folder, 'log.txt');
    const run = ['20', '2', '--local', '--log', log, '--log-append'];
    assertStatus(await (await startCommand(t, run)).outcome, 0);
    assertStatus(await (await startCommand(t, run)).outcome, 0);
    assert.equal(machineLines(recordsOf(await readFile(log, 'utf8')), 'run').length, 2);
  });

  test('refuses a file that is there before the run, along with all else that is wrong, and leaves it as it was', async (t) => {
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

  test('leaves no file where the run is refused', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const dotEnv = dotEnvOf(endpoint, { S3_BUCKET: 'bucket-x' });
    const refusedByStore = await startCommand(t, ['10', '2', '--log', 'log.txt'], { dotEnv });
    assertStatus(await refusedByStore.outcome, 2);
    assert.deepEqual(await readdir(refusedByStore.folder), ['.env']);
    const withoutVariables = await startCommand(t, ['10', '2', '--log', 'log.txt']);
    assertStatus(await withoutVariables.outcome, 2);
    assert.deepEqual(await readdir(withoutVariables.folder), []);
  });

  test('has every line that was shown, also of a run that is killed', async (t) => {
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

  test('Row 15: goes on to the end of a run that is interrupted', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'PUT.latency=100ms' });
    const run = ['200', '4', '--size', '1KiB', '--log', 'log.txt'];
    const command = await startCommand(t, run, { dotEnv: dotEnvOf(endpoint) });
    await command.shows('stdout', /^\d\d:\d\d:\d\d: Write: Ops [1-9]/m);
    command.child.kill('SIGINT');
    const outcome = await command.outcome;
    assertStatus(outcome, 130);
    const log = await logOf(command);
    assert.equal(withoutMachineLines(log), outcome.stdout);
    assert.equal(recordsOf(log).at(-1)?.kind, 'table-row');
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('leaves no empty file where a second signal ends the process', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'latency=30s' });
    const run = ['20', '2', '--log', 'log.txt', '--timeout', '1m'];
    const command = await startCommand(t, run, { dotEnv: dotEnvOf(endpoint) });
    await command.shows('stderr', /^Run /m);
    command.child.kill('SIGINT');
    await command.shows('stderr', /^Stopping/m);
    command.child.kill('SIGINT');
    assertStatus(await command.outcome, 130);
    assert.deepEqual(await readdir(command.folder), ['.env']);
  });

  test('Row 19: holds the end of a run whose stdout was closed', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'PUT.latency=100ms' });
    const run = ['2000', '4', '--size', '1KiB', '--log', 'log.txt'];
    const command = await startCommand(t, run, { dotEnv: dotEnvOf(endpoint) });
    await command.shows('stdout', /^Write: scheduling/m);
    command.closeStdout();
    assertStatus(await command.outcome, 141);
    const records = recordsOf(await logOf(command));
    assert.equal(machineLines(records, 'stage').length, 1);
    assert.equal(records.at(-1)?.kind, 'table-row');
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('Row 20: a log for which there is no room is told of once, the run goes on, and ends with status 1', async (t) => {
    // A limit on the size of files stands in for a full disk: the log is larger than a block.
    const limited = 'ulimit -f 1 && exec "$0" "$@"';
    const run = ['100', '2', '--local', '--log', 'log.txt'];
    const command = await startProgram(t, '/bin/sh', ['-c', limited, process.execPath, PROGRAM, ...run], {});
    const outcome = await command.outcome;
    assertStatus(outcome, 1);
    const told = outcome.stderr.split('\n').filter((line) => line.includes('log.txt'));
    assert.equal(told.length, 1, outcome.stderr);
    assert.match(told[0], /^error: log\.txt could not be written: EFBIG.*; the log ends there, and the run goes on$/);
    assert.equal(ofKind(recordsOf(outcome.stdout), 'table-row').length, 4);
    const log = await logOf(command);
    assert.ok(log.length > 0 && merge(log).status === 1, 'what is there is a log that was cut short');
  });
});

const skip = hasScript() ? false : 'needs the command script of util-linux';

test('on a terminal of 120 columns a log is kept, and no row of the screen is for machines', { skip }, async (t) => {
  const line = `stty cols 120; "${process.execPath}" "${PROGRAM}" 5000 64 --local --log log-$(hostname).txt`;
  const command = await startProgram(t, 'script', ['-qec', line, '/dev/null'], { env: { SHELL: '/bin/sh' } });
  const { stdout: screen, status } = await command.outcome;
  assert.equal(status, 0, screen);
  assert.doesNotMatch(screen, /# r2-benchmark|[A-Za-z0-9+/]{60}/);
  assert.match(screen, /^Write took /m);
  const [name] = (await readdir(command.folder)).filter((each) => each.startsWith('log-'));
  const merged = merge(await logOf(command, name));
  assert.deepEqual([merged.status, merged.stderr], [0, '']);
  assert.deepEqual(
    merged.stages.map((/** @type {any} */ { operations, missingLatency }) => [operations, missingLatency]),
    Array.from({ length: 4 }, () => [5000, []]),
  );
});

test('a log of standard output, of the result’s file, or of no file is refused', async () => {
  for (const [given, problem] of [
    ['--log -', '--log: expected a file, got "-"; stdout has the log without this option'],
    ['--log x --json ./x', '--log, --json: expected two files, got the same one'],
    ['--log-append', '--log-append: it adds to the file of --log, expected --log as well'],
  ]) {
    const { status, stderr } = await runInProcess(['10', '2', '--local', ...given.split(' ')], {});
    assert.deepEqual([status, stderr.split('\n')[0]], [2, `error: ${problem}`]);
  }
});
