import fc from 'fast-check';
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import {
  calibrationPath,
  formatCalibrations,
  parseCalibrations,
  readCalibrations,
  withCalibration,
} from '../../lib/calibration/calibration-file.js';
import { calibrationWith, provenStage } from '../helpers/calibration.js';
import { folderWith } from '../helpers/command.js';

const NAME = path.join('r2-benchmark', 'calibration.json');

const UNPROVEN = { ...provenStage('Write', 0), operationsPerSecond: null, unproven: 'the endpoint was busier' };

test('reads what it wrote', () => {
  const calibrations = [
    calibrationWith(),
    calibrationWith({ client: 'sdk', useTls: false, size: 0, stages: [UNPROVEN] }),
  ];
  assert.deepEqual(parseCalibrations(formatCalibrations(calibrations)), calibrations);
  assert.deepEqual(parseCalibrations(formatCalibrations([])), []);
});

test('rejects text that is not JSON, or not calibrations, with a message', () => {
  for (const text of ['', 'nonsense', '{"format":1,', '\0\0\0']) {
    assert.throws(() => parseCalibrations(text), { name: 'RangeError', message: 'expected JSON' });
  }
  for (const value of [null, 1, 'text', [], {}, { format: 2, calibrations: [] }, { format: 1, calibrations: {} }]) {
    assert.throws(() => parseCalibrations(JSON.stringify(value)), { message: 'expected calibrations in format 1' });
  }
});

test('rejects a calibration with a missing or invalid field, and reports its position', () => {
  const whole = calibrationWith();
  const strange = [
    ...Object.keys(whole).map((name) => ({ ...whole, [name]: undefined })),
    ...Object.keys(whole).map((name) => ({ ...whole, [name]: null })),
    { ...whole, date: 'yesterday' },
    { ...whole, date: 5 },
    { ...whole, versions: { node: 20 } },
    { ...whole, client: 'curl' },
    { ...whole, size: -1 },
    { ...whole, stages: [{ ...provenStage('Write', 1), stage: 'Erase' }] },
    { ...whole, stages: [provenStage('Write', 0)] },
    { ...whole, stages: [provenStage('Write', -1)] },
    { ...whole, stages: [{ ...UNPROVEN, unproven: null }] },
    { ...whole, stages: [null] },
    null,
  ];
  for (const calibration of strange) {
    const text = JSON.stringify({ format: 1, calibrations: [whole, calibration] });
    assert.throws(() => parseCalibrations(text), { message: 'expected a calibration at position 2' }, text);
  }
});

test('reads any file content, or rejects it with a RangeError', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      try {
        parseCalibrations(JSON.stringify({ format: 1, calibrations: value }));
      } catch (error) {
        assert.ok(error instanceof RangeError);
      }
    }),
  );
});

test('a calibration replaces the one with the same settings, of any version, and no other', () => {
  const old = calibrationWith({ versions: { 'r2-benchmark': '0.9.0', node: '18.0.0' } });
  const others = [
    calibrationWith({ host: 'another' }),
    calibrationWith({ client: 'sdk' }),
    calibrationWith({ useTls: false }),
    calibrationWith({ keepAlive: false }),
    calibrationWith({ size: 1 }),
  ];
  const added = calibrationWith({ date: '2026-11-21T00:00:00.000Z' });
  assert.deepEqual(withCalibration([...others, old], added), [added, ...others]);
});

test('the file does not grow forever: the oldest calibration is dropped', () => {
  const hosts = Array.from({ length: 250 }, (_, place) => calibrationWith({ host: `host-${place}` }));
  const kept = hosts.reduce((calibrations, each) => withCalibration(calibrations, each), hosts.slice(0, 0));
  assert.deepEqual(
    kept.map(({ host }) => host),
    Array.from({ length: 100 }, (_, place) => `host-${249 - place}`),
  );
});

test("the file is in the user's cache directory", () => {
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

test('a missing file is not a problem', async (t) => {
  const folder = await folderWith(t, { 'a-file': '' });
  for (const file of [null, path.join(folder, NAME), path.join(folder, 'a-file', NAME)]) {
    assert.deepEqual(readCalibrations(file), { calibrations: [], problem: null });
  }
});
