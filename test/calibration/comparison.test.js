import fc from 'fast-check';
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { formatCalibrations } from '../../lib/calibration/calibration-file.js';
import {
  calibratedShare,
  compareWithCalibration,
  describeShare,
  findCalibration,
} from '../../lib/calibration/comparison.js';
import { calibrationWith, provenStage } from '../helpers/calibration.js';
import { folderWith } from '../helpers/command.js';
import { finishedStage } from '../helpers/finished-stage.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

/**
 * @import { Overrides } from '../helpers/run-config.js'
 * @import { TestContext } from 'node:test'
 */

const { host, versions, client, useTls, keepAlive, size } = calibrationWith();
const RUN = Object.freeze({ host, versions, client, useTls, keepAlive, size });

test('a calibration applies to a run with the same host, tool, Node and settings', () => {
  const other = calibrationWith({ host: 'another-host' });
  const fitting = calibrationWith({ versions: { ...versions, node: '20.18.1', undici: '7.0.0' } });
  assert.deepEqual(findCalibration([other, fitting], RUN), { calibration: fitting, mismatch: null });
});

test('if none applies, reports how the closest one differs', () => {
  const far = calibrationWith({ host: 'far-away', client: 'sdk' });
  for (const [overrides, mismatch] of /** @type {const} */ ([
    [{ versions: { ...versions, 'r2-benchmark': '0.9.0' } }, 'with version 0.9.0, not 1.0.0'],
    [{ versions: { ...versions, node: '18.20.0' } }, 'with Node 18, not 20'],
    [{ client: 'sdk', useTls: false }, 'for the sdk client, not direct'],
    [{ useTls: false }, 'without TLS'],
    [{ keepAlive: false }, 'without keep-alive'],
    [{ size: 1024 ** 2 }, 'for objects of 1MiB, not 16KiB'],
  ])) {
    assert.deepEqual(findCalibration([far, calibrationWith(overrides)], RUN), { calibration: null, mismatch });
  }
  assert.deepEqual(findCalibration([far], RUN), {
    calibration: null,
    mismatch: 'on host far-away, not this-host',
  });
});

test('reports nothing without calibrations', () => {
  assert.deepEqual(findCalibration([], RUN), { calibration: null, mismatch: null });
});

test('a calibration applies to half to twice its size, and the nearest size wins', () => {
  const found = (/** @type {number[]} */ ...sizes) =>
    findCalibration(
      sizes.map((each) => calibrationWith({ size: each })),
      RUN,
    ).calibration?.size ?? null;
  assert.equal(found(8192), 8192);
  assert.equal(found(32_768), 32_768);
  assert.equal(found(8191, 32_769), null);
  assert.equal(found(30_000, 16_000, 9000), 16_000);
});

test('empty objects match empty objects', () => {
  const empty = calibrationWith({ size: 0 });
  assert.equal(findCalibration([empty], { ...RUN, size: 0 }).calibration, empty);
  assert.equal(findCalibration([empty], RUN).calibration, null);
});

test('of two equal matches, the newest wins', () => {
  const newest = calibrationWith({ date: '2026-11-21T00:00:00.000Z' });
  assert.equal(findCalibration([newest, calibrationWith()], RUN).calibration, newest);
});

test('the capacity of a host is that of a loop times its cores', () => {
  const share = calibratedShare({ stage: 'Read', average: 6880 }, calibrationWith(), 2);
  assert.deepEqual(share, { operationsPerSecond: 16_000, share: 0.43, date: '2026-11-20T14:00:00.000Z' });
});

test('an unproven stage, a missing stage and an idle run have no share', () => {
  const unproven = { ...provenStage('Write', 1), operationsPerSecond: null, unproven: 'the endpoint was busier' };
  const calibration = calibrationWith({ stages: [unproven, provenStage('Stat', 1)] });
  assert.equal(calibratedShare({ stage: 'Write', average: 1 }, calibration, 2), null);
  assert.equal(calibratedShare({ stage: 'Read', average: 1 }, calibration, 2), null);
  assert.equal(calibratedShare({ stage: 'Stat', average: 0 }, calibration, 2), null);
  assert.equal(calibratedShare({ stage: 'Stat', average: 1 }, null, 2), null);
});

test('reports a share together with its reference', () => {
  const share = { share: 0.43, operationsPerSecond: 12_345.4, date: '2026-11-20T14:00:00.000Z' };
  assert.deepEqual(describeShare('Write', share), {
    line: 'Write: you used 43% of what this host can drive (12,345 ops/s, calibrated 2026-11-20)',
    isWarning: false,
  });
});

test('a share above 80% is a warning', () => {
  const figures = { operationsPerSecond: 1000, date: '2026-11-20T14:00:00.000Z' };
  fc.assert(
    fc.property(fc.double({ min: 0, max: 3, noNaN: true }), (share) => {
      const { line, isWarning } = describeShare('Stat', { share, ...figures });
      assert.equal(isWarning, share > 0.8);
      assert.equal(line.endsWith('the client may be the bottleneck; try more hosts'), isWarning);
    }),
  );
});

const IDENTITY = { host: 'this-host', versions: calibrationWith().versions };
const STAGES = [
  finishedStage({ name: 'Write', operations: [{ after: 1 }] }, { average: 8600 }),
  finishedStage({ name: 'Stat', operations: [{ after: 1 }] }, { average: 36_400 }),
];

/** @param {TestContext} t */
async function fileWithCalibration(t) {
  const folder = await folderWith(t, { 'calibration.json': formatCalibrations([calibrationWith()]) });
  return path.join(folder, 'calibration.json');
}

/**
 * @param {string | null} file
 * @param {Overrides} [overrides]
 */
function compare(file, overrides) {
  const config = runConfig(NO_TARGET, { size: 16_384, ...overrides });
  return compareWithCalibration(STAGES, config, { identity: IDENTITY, file, usableCores: 2 });
}

test('compares each stage with the calibration, and warns about shares close to it', async (t) => {
  const file = await fileWithCalibration(t);
  const { stages, notices, warnings } = compare(file);
  assert.deepEqual(notices, ['Write: you used 43% of what this host can drive (20,000 ops/s, calibrated 2026-11-20)']);
  assert.deepEqual(warnings, [
    'warning: Stat: you used 91% of what this host can drive (40,000 ops/s, calibrated 2026-11-20): the client may be the bottleneck; try more hosts',
  ]);
  assert.deepEqual(
    stages.map(({ stage, calibration }) => [stage, calibration]),
    [
      ['Write', { operationsPerSecond: 20_000, share: 0.43, date: '2026-11-20T14:00:00.000Z' }],
      ['Stat', { operationsPerSecond: 40_000, share: 0.91, date: '2026-11-20T14:00:00.000Z' }],
    ],
  );
});

test('reports nothing without a file or a home directory', async (t) => {
  const nothing = { notices: [], warnings: [] };
  for (const file of [path.join(await folderWith(t, {}), 'calibration.json'), null]) {
    const { stages, ...said } = compare(file);
    assert.deepEqual(said, nothing);
    assert.deepEqual(
      stages.map(({ calibration }) => calibration),
      [null, null],
    );
  }
});

test('ignores a calibration that does not apply to the run, and explains why', async (t) => {
  const file = await fileWithCalibration(t);
  const { stages, notices, warnings } = compare(file, { client: 'sdk' });
  assert.deepEqual(notices, [
    'The calibration is ignored: it was made for the direct client, not sdk; --calibrate makes one that fits this run',
  ]);
  assert.deepEqual([warnings, stages[0].calibration], [[], null]);
});

test('a failing comparison does not affect the rest of the run', async (t) => {
  const file = await fileWithCalibration(t);
  const identity = /** @type {any} */ ({ host: 'this-host', versions: null });
  const config = runConfig(NO_TARGET, { size: 16_384 });
  const { stages, notices, warnings } = compareWithCalibration(STAGES, config, { identity, file, usableCores: 2 });
  assert.deepEqual(
    stages,
    STAGES.map((stage) => ({ ...stage, calibration: null })),
  );
  assert.deepEqual(notices, []);
  assert.match(warnings.join('\n'), /^warning: the calibration is ignored: [^\n]+$/);
});
