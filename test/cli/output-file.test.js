import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { lstat, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { LogFile, ReportFile, openResults } from '../../lib/cli/output-file.js';
import { Checks, UsageError } from '../../lib/options/usage-error.js';
import { folderWith } from '../helpers/command.js';

const REPORT_FILE = JSON.stringify(new URL('../../lib/cli/output-file.js', import.meta.url));

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

test('a report replaces an earlier one once it is complete', async (t) => {
  const folder = await folderWith(t, { 'report.json': 'an earlier one' });
  const place = path.join(folder, 'report.json');
  const report = new ReportFile(place, '--json');
  assert.equal(await readFile(place, 'utf8'), 'an earlier one');
  assert.equal(report.write('the new one'), null);
  report.discard();
  assert.equal(await readFile(place, 'utf8'), 'the new one');
  assert.deepEqual(await readdir(folder), ['report.json']);
});

test('a report to /dev/stdout is added to the file that stdout is redirected to', async (t) => {
  const folder = await folderWith(t, { all: 'before\n' });
  const place = path.join(folder, 'all');
  const code = `import { ReportFile } from ${REPORT_FILE}; new ReportFile('/dev/stdout', '--csv').write('csv\\n'); console.log('after');`;
  const command = `"${process.execPath}" --input-type=module --eval "$CODE" >> "${place}"`;
  execFileSync('/bin/sh', ['-c', command], { env: { ...process.env, CODE: code } });
  assert.equal(await readFile(place, 'utf8'), 'before\ncsv\nafter\n');
});

test('a discarded report leaves nothing, and an earlier one unchanged', async (t) => {
  const folder = await folderWith(t, { 'report.json': 'an earlier one' });
  const report = new ReportFile(path.join(folder, 'report.json'), '--json');
  report.discard();
  report.discard();
  assert.deepEqual(await readdir(folder), ['report.json']);
});

test('Row 20: rejects an unwritable path at once, by name', async (t) => {
  const folder = await folderWith(t, { 'a-file': '' });
  for (const place of [folder, path.join(folder, 'missing', 'x'), path.join(folder, 'a-file', 'x')]) {
    assert.throws(
      () => new ReportFile(place, '--json'),
      (error) => error instanceof UsageError && error.message.startsWith(`--json: ${place} cannot be written: `),
    );
  }
  assert.deepEqual(await readdir(folder), ['a-file']);
});

test('a pipe that no one reads is refused by name', async (t) => {
  const pipe = path.join(await folderWith(t, {}), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reason = `${pipe} cannot be written: no program reads from it: start its reader first`;
  assert.throws(() => new ReportFile(pipe, '--json'), { message: `--json: ${reason}` });
  assert.throws(() => new LogFile(pipe), { message: `--log: ${reason}` });
});

test('a link stays a link, and its target is written', async (t) => {
  const folder = await folderWith(t, { 'report.json': 'an earlier one' });
  const link = path.join(folder, 'link.json');
  await symlink('report.json', link);
  assert.equal(new ReportFile(link, '--json').write('the new one'), null);
  assert.ok((await lstat(link)).isSymbolicLink());
  assert.equal(await readFile(path.join(folder, 'report.json'), 'utf8'), 'the new one');
});

test('writes to a pipe, which stays a pipe', async (t) => {
  const folder = await folderWith(t, {});
  const pipe = path.join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reading = readFile(pipe, 'utf8');
  assert.equal(new ReportFile(pipe, '--json').write('the report'), null);
  assert.equal(await reading, 'the report');
  assert.ok((await lstat(pipe)).isFIFO());
});

test('concurrent reports to one file do not disturb each other', async (t) => {
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

test('Row 56: a file that cannot be replaced, as one that is mounted into a container, is overwritten', async (t) => {
  const folder = await folderWith(t, { 'host.json': 'an earlier and longer one', 'mounted.json': '' });
  const script = `
    import { ReportFile } from ${REPORT_FILE};
    process.exitCode = new ReportFile('mounted.json', '--json').write('the result') === null ? 0 : 1;`;
  const mount = 'mount --bind host.json mounted.json && exec "$0" --input-type=module --eval "$1"';
  const { status, stderr } = spawnSync(
    'unshare',
    ['--map-root-user', '--mount', 'sh', '-c', mount, process.execPath, script],
    { cwd: folder, encoding: 'utf8' },
  );
  if (/unshare|mount:/.test(stderr)) {
    t.skip(`no bind mount here: ${stderr}`);
    return;
  }
  assert.equal(status, 0, stderr);
  assert.equal(await readFile(path.join(folder, 'host.json'), 'utf8'), 'the result');
  assert.deepEqual((await readdir(folder)).toSorted(), ['host.json', 'mounted.json']);
});

test('a result that reaches no file is kept under the name that the message gives', async (t) => {
  const folder = await folderWith(t, {});
  const place = path.join(folder, 'result.json');
  const report = new ReportFile(place, '--json');
  await mkdir(place);
  const problem = String(report.write('the result'));
  const [, kept] = /copyfile '([^']+)'/.exec(problem) ?? [];
  assert.equal(await readFile(kept, 'utf8'), 'the result', problem);
});

test('the summary of a job on GitHub is added to what earlier steps wrote', async (t) => {
  const summary = path.join(await folderWith(t, { summary: '# An earlier step\n' }), 'summary');
  const before = process.env.GITHUB_STEP_SUMMARY;
  process.env.GITHUB_STEP_SUMMARY = summary;
  t.after(() =>
    before === undefined ? delete process.env.GITHUB_STEP_SUMMARY : (process.env.GITHUB_STEP_SUMMARY = before),
  );
  const [{ file }] = await openResults({ summary }, new Checks());
  assert.equal(file?.write('# This one\n'), null);
  assert.equal(await readFile(summary, 'utf8'), '# An earlier step\n# This one\n');
});

describe('the file of a log', () => {
  test('contains each line as soon as it is written', async (t) => {
    const file = path.join(await folderWith(t, {}), 'log.txt');
    const log = new LogFile(file);
    log.write('one');
    assert.equal(await readFile(file, 'utf8'), 'one\n');
    log.write('two');
    assert.equal(await readFile(file, 'utf8'), 'one\ntwo\n');
    log.close();
    log.close();
    log.write('three');
    assert.equal(await readFile(file, 'utf8'), 'one\ntwo\n');
  });

  test('must not exist yet', async (t) => {
    const folder = await folderWith(t, { 'log.txt': 'an earlier one\n' });
    const file = path.join(folder, 'log.txt');
    await symlink('log.txt', path.join(folder, 'link'));
    await symlink('missing', path.join(folder, 'dangling'));
    for (const name of ['log.txt', 'link', 'dangling']) {
      const there = path.join(folder, name);
      const message = `--log: ${there} exists: expected a new name`;
      assert.throws(
        () => new LogFile(there),
        (error) => error instanceof UsageError && error.message === message,
      );
    }
    assert.equal(await readFile(file, 'utf8'), 'an earlier one\n');
  });

  test('leaves nothing if no line was written', async (t) => {
    const folder = await folderWith(t, {});
    new LogFile(path.join(folder, 'new.txt')).close();
    assert.deepEqual(await readdir(folder), []);
  });

  test('may be a pipe, which has nothing to lose', async (t) => {
    const pipe = path.join(await folderWith(t, {}), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const reading = readFile(pipe, 'utf8');
    const log = new LogFile(pipe);
    log.write('a line');
    log.close();
    assert.equal(await reading, 'a line\n');
  });

  test('is reported once when it fails, and ends there', () => {
    const log = new LogFile('/dev/full');
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
