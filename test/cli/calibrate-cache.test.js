import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { calibrationPath, keepCalibration, readCalibrations } from '../../lib/cli/calibrate-cache.js';
import { calibrationWith } from '../helpers/calibration.js';
import { folderWith } from '../helpers/command.js';

const NAME = path.join('r2-benchmark', 'calibration.json');

test('the file stands in the cache directory of the user', () => {
  const home = path.resolve('/home/someone');
  const given = path.resolve('/var/cache/someone');
  assert.equal(calibrationPath({ HOME: home }, 'linux'), path.join(home, '.cache', NAME));
  assert.equal(calibrationPath({ HOME: home }, 'darwin'), path.join(home, 'Library', 'Caches', NAME));
  assert.equal(calibrationPath({ HOME: home, XDG_CACHE_HOME: given }, 'linux'), path.join(given, NAME));
  assert.equal(calibrationPath({ HOME: home, XDG_CACHE_HOME: '' }, 'linux'), path.join(home, '.cache', NAME));
  assert.equal(calibrationPath({ HOME: home, XDG_CACHE_HOME: 'cache' }, 'linux'), path.join(home, '.cache', NAME));
  for (const nowhere of [{}, { HOME: '' }, { XDG_CACHE_HOME: 'cache' }]) {
    assert.equal(calibrationPath(nowhere, 'linux'), null);
  }
});

test('what is kept is read again, and nothing stands beside it', async (t) => {
  const folder = await folderWith(t, {});
  const file = path.join(folder, 'cache', NAME);
  const [first, second] = [calibrationWith(), calibrationWith({ client: 'sdk' })];
  assert.equal(keepCalibration(file, first), null);
  assert.equal(keepCalibration(file, second), null);
  assert.deepEqual(readCalibrations(file), { calibrations: [second, first], problem: null });
  assert.deepEqual(await readdir(path.dirname(file)), ['calibration.json']);
});

test('a file that is not there is no problem', async (t) => {
  const folder = await folderWith(t, { 'a-file': '' });
  for (const file of [null, path.join(folder, NAME), path.join(folder, 'a-file', NAME)]) {
    assert.deepEqual(readCalibrations(file), { calibrations: [], problem: null });
  }
});

test('a file that is not ours is told, and a new calibration takes its place', async (t) => {
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

test('what is no file is never waited for', async (t) => {
  const folder = await folderWith(t, {});
  const [pipe, directory] = [path.join(folder, 'pipe'), path.join(folder, 'directory')];
  execFileSync('mkfifo', [pipe]);
  await mkdir(directory);
  for (const place of [pipe, directory]) {
    assert.match(String(readCalibrations(place).problem), /: expected a file of at most/);
  }
  assert.match(String(keepCalibration(directory, calibrationWith())), /directory cannot be written/);
});

test('where nothing can be kept, it is said why', async (t) => {
  const folder = await folderWith(t, { 'a-file': '' });
  assert.match(String(keepCalibration(null, calibrationWith())), /^there is no cache directory/);
  assert.match(String(keepCalibration(path.join(folder, 'a-file', NAME), calibrationWith())), /a-file/);
});
