import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { lstat, open, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { decodeFromCompressedBase64 } from 'hdr-histogram-js';
import { ReportFile } from '../../lib/cli/report-file.js';
import { UsageError } from '../../lib/cli/usage-error.js';
import { newResult } from '../../lib/cleanup/cleanup.js';
import {
  PROGRAM,
  dotEnvOf,
  folderWith,
  machineLines,
  runCommand,
  startCommand,
  startProgram,
} from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, recordsOf } from '../helpers/outcome.js';

const REPORT_FILE = JSON.stringify(new URL('../../lib/cli/report-file.js', import.meta.url));

const IS_KILLED_WHILE_IT_WRITES = `
  import { ReportFile } from ${REPORT_FILE};
  function* parts() {
    yield 'half of it';
    process.kill(process.pid, 'SIGKILL');
  }
  new ReportFile(process.argv[1], '--json').write(parts());
`;

const WRITES_SLOWLY = `
  import { readFileSync, writeSync } from 'node:fs';
  import { ReportFile } from ${REPORT_FILE};
  function* parts() {
    yield 'from ';
    writeSync(1, 'half of it');
    readFileSync(0);
    yield 'the other';
  }
  process.exitCode = new ReportFile(process.argv[1], '--json').write(parts()) === null ? 0 : 1;
`;

/**
 * @param {string} place
 * @returns {string} what the name of the file that is left has beside the place's
 */
function writeAndDie(place) {
  const { signal } = spawnSync(process.execPath, ['--input-type=module', '--eval', IS_KILLED_WHILE_IT_WRITES, place]);
  assert.equal(signal, 'SIGKILL');
  const [name, ...others] = readdirSync(path.dirname(place)).filter((each) => each.endsWith('.tmp'));
  assert.deepEqual(others, []);
  return name.slice(path.basename(place).length);
}

test('a report takes its place when it is whole, over an earlier one', async (t) => {
  const folder = await folderWith(t, { 'report.json': 'an earlier one' });
  const place = path.join(folder, 'report.json');
  const report = new ReportFile(place, '--json');
  assert.equal(await readFile(place, 'utf8'), 'an earlier one');
  assert.equal(report.write('the new one'), null);
  report.discard();
  assert.equal(await readFile(place, 'utf8'), 'the new one');
  assert.deepEqual(await readdir(folder), ['report.json']);
});

test('a report that is discarded leaves nothing, and an earlier one as it was', async (t) => {
  const folder = await folderWith(t, { 'report.json': 'an earlier one' });
  const report = new ReportFile(path.join(folder, 'report.json'), '--json');
  report.discard();
  report.discard();
  assert.deepEqual(await readdir(folder), ['report.json']);
});

test('a place where nothing can be written is refused at once, and by name', async (t) => {
  const folder = await folderWith(t, { 'a-file': '' });
  for (const place of [folder, path.join(folder, 'missing', 'x'), path.join(folder, 'a-file', 'x')]) {
    assert.throws(
      () => new ReportFile(place, '--json'),
      (error) => error instanceof UsageError && error.message.startsWith(`--json: ${place} cannot be written: `),
    );
  }
  assert.deepEqual(await readdir(folder), ['a-file']);
});

test('a link stays a link, and the file behind it is written', async (t) => {
  const folder = await folderWith(t, { 'report.json': 'an earlier one' });
  const link = path.join(folder, 'link.json');
  await symlink('report.json', link);
  assert.equal(new ReportFile(link, '--json').write('the new one'), null);
  assert.ok((await lstat(link)).isSymbolicLink());
  assert.equal(await readFile(path.join(folder, 'report.json'), 'utf8'), 'the new one');
});

test('a pipe is written to, and stays a pipe', async (t) => {
  const folder = await folderWith(t, {});
  const pipe = path.join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reading = readFile(pipe, 'utf8');
  assert.equal(new ReportFile(pipe, '--json').write('the report'), null);
  assert.equal(await reading, 'the report');
  assert.ok((await lstat(pipe)).isFIFO());
});

test('what a process left that was killed while it wrote is removed by the next one, and nothing else is', async (t) => {
  const folder = await folderWith(t, { 'report.json': 'an earlier one', 'other.json': '' });
  const place = path.join(folder, 'report.json');
  const killed = writeAndDie(place);
  assert.deepEqual((await readdir(folder)).toSorted(), ['other.json', 'report.json', `report.json${killed}`]);
  const own = `report.json${killed.replace(/\d+(?=\.tmp)/, `${process.pid}`)}`;
  const ofAnother = `report.json${killed.replace(/\d+(?=\.tmp)/, `${process.ppid}`)}`;
  const strange = ['report.json.1.tmp', `report.json${killed}x`, `other.json${killed}`, `report.json${killed}.tmp`];
  await Promise.all([own, ofAnother, ...strange].map((name) => writeFile(path.join(folder, name), '')));

  const report = new ReportFile(place, '--json');

  const left = ['other.json', 'report.json', ofAnother, ...strange].toSorted();
  assert.deepEqual((await readdir(folder)).toSorted(), left);
  assert.equal(report.write('the new one'), null);
  assert.deepEqual((await readdir(folder)).toSorted(), left);
});

test('reports that are written to one place at the same time do not disturb each other', async (t) => {
  const folder = await folderWith(t, {});
  const place = path.join(folder, 'report.json');
  const reports = [new ReportFile(place, '--json'), new ReportFile(place, '--csv')];
  const child = spawn(process.execPath, ['--input-type=module', '--eval', WRITES_SLOWLY, place], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  assert.deepEqual(
    reports.map((report) => report.write('from here')),
    [null, null],
  );
  assert.equal(new ReportFile(place, '--json').write('from here, later'), null);
  child.stdin.end('go on');
  assert.deepEqual(await once(child, 'close'), [0, null]);
  assert.equal(await readFile(place, 'utf8'), 'from the other');
  assert.deepEqual(await readdir(folder), ['report.json']);
});

describe('--json', { concurrency: 3 }, () => {
  test('a run that is killed leaves nothing beside the report of the next one', async (t) => {
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

  test('holds all that the log holds, and more', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'seed=7, GET.corrupt=3%, HEAD.status=503:3%' });
    const run = ['200', '5', '--size', '1KiB', '--run-id', 'a-run', '--json', 'result.json'];
    const command = await startCommand(t, run, { dotEnv: dotEnvOf(endpoint) });
    const outcome = await command.outcome;
    assertStatus(outcome, 1);
    assert.deepEqual((await readdir(command.folder)).toSorted(), ['.env', 'result.json']);
    const report = JSON.parse(await readFile(path.join(command.folder, 'result.json'), 'utf8'));
    assert.deepEqual([report.format, report.run, report.exitStatus, report.problems], [2, 'a-run', 1, []]);
    assert.deepEqual([report.options.objects, report.options.threads, report.options.buckets], [200, 5, 2]);
    assert.ok(report.versions.node && report.versions.undici && report.versions['r2-benchmark']);

    const records = recordsOf(outcome.stdout);
    const totals = machineLines(records, 'stage');
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
      assert.equal(decodeFromCompressedBase64(latency.histogram.data).totalCount, operations);
      const parts = machineLines(records, 'histogram').filter((line) => line.stage === name);
      assert.equal(parts.map(({ data }) => data).join(''), latency.histogram.data);
    }
  });

  test('says why a run could not begin', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const dotEnv = dotEnvOf(endpoint, { S3_BUCKET: 'bucket-x' });
    const command = await startCommand(t, ['10', '2', '--json', 'result.json'], { dotEnv });
    assertStatus(await command.outcome, 2);
    const report = JSON.parse(await readFile(path.join(command.folder, 'result.json'), 'utf8'));
    assert.deepEqual([report.exitStatus, report.stages, report.cleanup], [2, [], null]);
    assert.match(report.problems[0], /there is no bucket "bucket-x"/);
  });

  test('tells of the clean-up of a run that did not remove its objects itself', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const run = ['10', '2', '--stages', 'write', '--json', 'result.json'];
    const command = await startCommand(t, run, { dotEnv: dotEnvOf(endpoint) });
    assertStatus(await command.outcome, 0);
    const report = JSON.parse(await readFile(path.join(command.folder, 'result.json'), 'utf8'));
    assert.deepEqual(report.cleanup, { ...newResult(), removed: 10, left: 0 });
  });

  test('Row 20: a report for which there is no room is told, and the log is whole', async (t) => {
    // A limit on the size of files stands in for a full disk: the report is larger than two blocks.
    const limited = 'ulimit -f 2 && exec "$0" "$@"';
    const run = ['20', '2', '--local', '--json', 'result.json'];
    const command = await startProgram(t, '/bin/sh', ['-c', limited, process.execPath, PROGRAM, ...run], {});
    const outcome = await command.outcome;
    assertStatus(outcome, 1);
    assert.match(outcome.stderr, /^error: result\.json could not be written: EFBIG.*$/m);
    assert.equal(recordsOf(outcome.stdout).at(-1)?.kind, 'table-row');
    assert.deepEqual(await readdir(command.folder), []);
  });
});

describe('--json -', { concurrency: 3 }, () => {
  const RUN = ['40', '2', '--size', '1KiB', '--json', '-'];

  test('has stdout for itself, and the log stands on stderr', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const command = await startCommand(t, RUN, { dotEnv: dotEnvOf(endpoint) });
    const outcome = await command.outcome;
    assertStatus(outcome, 0);
    const report = JSON.parse(outcome.stdout);
    assert.deepEqual([report.exitStatus, report.stages.length], [0, 4]);
    assert.match(outcome.stderr, /^Write: scheduling for 40 objects/m);
    assert.match(outcome.stderr, /^Remove took \d+ms\. /m);
    assert.doesNotMatch(outcome.stderr, /^# r2-benchmark/m);
    assert.deepEqual(await readdir(command.folder), ['.env']);
  });

  test('leaves the log to the file of --log, where there is one', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const command = await startCommand(t, [...RUN, '--log', 'log.txt'], { dotEnv: dotEnvOf(endpoint) });
    const outcome = await command.outcome;
    assertStatus(outcome, 0);
    assert.equal(JSON.parse(outcome.stdout).stages.length, 4);
    assert.match(outcome.stderr, /^Run /m);
    assert.doesNotMatch(outcome.stderr, /took|scheduling/);
    const records = recordsOf(await readFile(path.join(command.folder, 'log.txt'), 'utf8'));
    assert.equal(machineLines(records, 'stage').length, 4);
  });

  test('brings the log back to stderr where its file takes no more', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const run = [...RUN, '--log', '/dev/full'];
    const outcome = await (await startCommand(t, run, { dotEnv: dotEnvOf(endpoint) })).outcome;
    assertStatus(outcome, 1);
    assert.equal(JSON.parse(outcome.stdout).exitStatus, 1);
    assert.match(outcome.stderr, /^error: \/dev\/full could not be written: ENOSPC/m);
    assert.match(outcome.stderr, /^Write: scheduling for 40 objects/m);
  });

  test('says why a run could not begin, or was ended by a signal', async (t) => {
    const refusing = await startTestEndpoint(t);
    const dotEnv = dotEnvOf(refusing, { S3_BUCKET: 'bucket-x' });
    const refused = await (await startCommand(t, RUN, { dotEnv })).outcome;
    assertStatus(refused, 2);
    assert.match(JSON.parse(refused.stdout).problems[0], /there is no bucket "bucket-x"/);

    const endpoint = await startTestEndpoint(t, { faults: 'PUT.latency=100ms' });
    const command = await startCommand(t, ['2000', ...RUN.slice(1)], { dotEnv: dotEnvOf(endpoint) });
    await command.shows('stderr', /^\d\d:\d\d:\d\d: Write: Ops [1-9]/m);
    command.child.kill('SIGTERM');
    const stopped = await command.outcome;
    assertStatus(stopped, 143);
    const report = JSON.parse(stopped.stdout);
    assert.deepEqual([report.exitStatus, report.stages[0].end], [143, 'stopped']);
  });

  test('that nobody reads, or for which there is no room, is told of', async (t) => {
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

  test('shows a command that is refused nothing on stdout', async (t) => {
    const outcome = await (await startCommand(t, RUN)).outcome;
    assertStatus(outcome, 2);
    assert.equal(outcome.stdout, '');
  });
});
