import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { readCalibrations } from '../../lib/calibration/calibration-file.js';
import { keepCalibration } from '../../lib/cli/calibrate.js';
import { calibrationWith } from '../helpers/calibration.js';
import { folderWith, runInProcess } from '../helpers/command.js';

const NAME = path.join('r2-benchmark', 'calibration.json');

test('reads what it saved, and leaves no other file', async (t) => {
  const folder = await folderWith(t, {});
  const file = path.join(folder, 'cache', NAME);
  const [first, second] = [calibrationWith(), calibrationWith({ client: 'sdk' })];
  assert.equal(keepCalibration(file, first), null);
  assert.equal(keepCalibration(file, second), null);
  assert.deepEqual(readCalibrations(file), { calibrations: [second, first], problem: null });
  assert.deepEqual(await readdir(path.dirname(file)), ['calibration.json']);
});

test('reports a foreign file, and replaces it with a new calibration', async (t) => {
  const folder = await folderWith(t, {});
  const file = path.join(folder, 'calibration.json');
  for (const [content, problem] of /** @type {const} */ ([
    ['', /: expected JSON$/],
    ['{"format":7,"calibrations":[]}', /: expected calibrations in format 1$/],
    [' '.repeat(1024 ** 2 + 1), /: expected a file of at most 1048576 bytes$/],
  ])) {
    await writeFile(file, content);
    const found = readCalibrations(file);
    assert.deepEqual(found.calibrations, []);
    assert.ok(found.problem?.startsWith(file));
    assert.match(String(found.problem), problem);
  }
  assert.equal(keepCalibration(file, calibrationWith()), null);
  assert.match(await readFile(file, 'utf8'), /^\{\n {2}"format": 1,/);
});

test('never waits for a special file', async (t) => {
  const folder = await folderWith(t, {});
  const [pipe, directory] = [path.join(folder, 'pipe'), path.join(folder, 'directory')];
  execFileSync('mkfifo', [pipe]);
  await mkdir(directory);
  for (const place of [pipe, directory]) {
    assert.match(String(readCalibrations(place).problem), /: expected a file of at most/);
  }
  assert.match(String(keepCalibration(directory, calibrationWith())), /directory cannot be written/);
});

test('reports why nothing can be saved', async (t) => {
  const folder = await folderWith(t, { 'a-file': '' });
  assert.match(String(keepCalibration(null, calibrationWith())), /^there is no cache directory/);
  assert.match(String(keepCalibration(path.join(folder, 'a-file', NAME), calibrationWith())), /a-file/);
});

test('--calibrate rejects --cleanup, half a load, and unreadable variables or files', async () => {
  for (const [parameters, env, said] of /** @type {const} */ ([
    [['--calibrate', '--cleanup', 'a-run'], {}, /^error: --calibrate cannot be combined with --cleanup$/m],
    [['100', '--calibrate'], {}, /^error: <threads>: expected a whole number/],
    [['--calibrate'], { S3_USE_SSL: 'perhaps' }, /^error: S3_USE_SSL: expected .*got "perhaps"/],
    [['--calibrate', '--env-file', 'missing.env'], {}, /^error: missing\.env: there is no such file/],
    [['--calibrate', '--json', '/missing/result.json'], {}, /^error: --json: .* cannot be written/],
  ])) {
    const { status, stdout, stderr } = await runInProcess(parameters, { ...env });
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, said);
  }
});
