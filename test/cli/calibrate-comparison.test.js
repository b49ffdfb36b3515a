import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import path from 'node:path';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { formatCalibrations } from '../../lib/calibration/calibration-file.js';
import { compareWithCalibration } from '../../lib/cli/calibrate-comparison.js';
import { versionsOf } from '../../lib/cli/package-version.js';
import { calibrationWith, provenStage } from '../helpers/calibration.js';
import { folderWith, runCommand } from '../helpers/command.js';
import { finishedStage } from '../helpers/finished-stage.js';
import { assertStatus } from '../helpers/outcome.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

/**
 * @import { Calibration } from '../../lib/calibration/calibration.js'
 * @import { RunConfig } from '../../lib/run/run-config.js'
 * @import { TestContext } from 'node:test'
 */

const IDENTITY = { host: 'this-host', versions: calibrationWith().versions };
const STAGES = [
  finishedStage({ name: 'Write', operations: [{ after: 1 }] }, { average: 8600 }),
  finishedStage({ name: 'Stat', operations: [{ after: 1 }] }, { average: 36_400 }),
];

/**
 * @param {TestContext} t
 * @param {string} content of the file
 * @returns {Promise<string>} the cache directory
 */
async function cacheWith(t, content) {
  const cache = await folderWith(t, {});
  await mkdir(path.join(cache, 'r2-benchmark'));
  await writeFile(path.join(cache, 'r2-benchmark', 'calibration.json'), content);
  return cache;
}

/**
 * @param {string} cache
 * @param {Partial<RunConfig>} [overrides]
 */
function compare(cache, overrides) {
  const config = runConfig(NO_TARGET, { size: 16_384, ...overrides });
  const env = { XDG_CACHE_HOME: cache };
  return compareWithCalibration(STAGES, config, { identity: IDENTITY, env, platform: 'linux', usableCores: 2 });
}

test('each stage is held against the calibration; what comes near it is a warning', async (t) => {
  const cache = await cacheWith(t, formatCalibrations([calibrationWith()]));
  const { stages, notices, warnings } = compare(cache);
  assert.deepEqual(notices, ['Write: you used 43% of what this host can drive (20,000 ops/s, calibrated 2026-11-20)']);
  assert.deepEqual(warnings, [
    'warning: Stat: you used 91% of what this host can drive (40,000 ops/s, calibrated 2026-11-20): the client may be what limits, more hosts would show',
  ]);
  assert.deepEqual(
    stages.map(({ stage, calibration }) => [stage, calibration]),
    [
      ['Write', { operationsPerSecond: 20_000, share: 0.43, date: '2026-11-20T14:00:00.000Z' }],
      ['Stat', { operationsPerSecond: 40_000, share: 0.91, date: '2026-11-20T14:00:00.000Z' }],
    ],
  );
});

test('without a file, and without a home, nothing is said', async (t) => {
  const nothing = { notices: [], warnings: [] };
  for (const cache of [await folderWith(t, {}), '']) {
    const { stages, ...said } = compare(cache);
    assert.deepEqual(said, nothing);
    assert.deepEqual(
      stages.map(({ calibration }) => calibration),
      [null, null],
    );
  }
});

test('a calibration that does not hold for the run is ignored, and it is said why', async (t) => {
  const cache = await cacheWith(t, formatCalibrations([calibrationWith()]));
  const { stages, notices, warnings } = compare(cache, { client: 'sdk' });
  assert.deepEqual(notices, [
    'The calibration is ignored: it was made for the direct client, not sdk; --calibrate makes one for a run like this',
  ]);
  assert.deepEqual([warnings, stages[0].calibration], [[], null]);
});

test('a comparison that fails costs the run nothing but the comparison', async (t) => {
  const cache = await cacheWith(t, formatCalibrations([calibrationWith()]));
  const identity = /** @type {any} */ ({ host: 'this-host', versions: null });
  const world = { identity, env: { XDG_CACHE_HOME: cache }, platform: /** @type {const} */ ('linux'), usableCores: 2 };
  const { stages, notices, warnings } = compareWithCalibration(STAGES, runConfig(NO_TARGET, { size: 16_384 }), world);
  assert.deepEqual(
    stages,
    STAGES.map((stage) => ({ ...stage, calibration: null })),
  );
  assert.deepEqual(notices, []);
  assert.match(warnings.join('\n'), /^warning: the calibration is ignored: [^\n]+$/);
});

describe('a run', { concurrency: 3 }, () => {
  const RUN = ['20', '2', '--local', '--size', '1KiB'];

  /**
   * @param {Partial<Calibration>} overrides
   * @returns {Calibration} that holds for RUN
   */
  const fitting = (overrides) =>
    calibrationWith({
      host: hostname(),
      versions: versionsOf('direct'),
      useTls: false,
      size: 1024,
      ...overrides,
    });

  test('tells on stderr and in --json how much of the host it used', async (t) => {
    const stages = [provenStage('Write', 1e9), provenStage('Read', 0.001)];
    const XDG_CACHE_HOME = await cacheWith(t, formatCalibrations([fitting({ stages })]));
    const json = path.join(XDG_CACHE_HOME, 'result.json');
    const outcome = await runCommand(t, [...RUN, '--json', json], { env: { XDG_CACHE_HOME } });
    assertStatus(outcome, 0);
    assert.match(
      outcome.stderr,
      /^Write: you used 0% of what this host can drive \([\d,]+ ops\/s, calibrated 2026-11-20\)$/m,
    );
    assert.match(
      outcome.stderr,
      /^warning: Read: you used \d+% of what this host can drive \(\d+ ops\/s, .*more hosts/m,
    );
    assert.doesNotMatch(outcome.stderr, /(Stat|Remove): you used/);
    const result = JSON.parse(await readFile(json, 'utf8'));
    for (const { stage, average, calibration } of result.stages) {
      if (stage === 'Write' || stage === 'Read') {
        assert.equal(calibration.share, average / calibration.operationsPerSecond);
        assert.equal(calibration.date, '2026-11-20T14:00:00.000Z');
      } else {
        assert.equal(calibration, null);
      }
    }
  });

  for (const [kind, content, said] of /** @type {const} */ ([
    [
      'is corrupt',
      '{"format":1,"calibr',
      /^The calibration is ignored: .*calibration\.json: expected JSON; --calibrate makes/m,
    ],
    [
      'has a date that is a number',
      formatCalibrations([fitting({ date: /** @type {any} */ (5) })]),
      /^The calibration is ignored: .*: expected a calibration in place 1; --calibrate makes/m,
    ],
    [
      'is foreign',
      '{"cache":true}',
      /^The calibration is ignored: .*: expected calibrations in format 1; --calibrate makes/m,
    ],
    [
      'is old',
      formatCalibrations([fitting({ versions: { 'r2-benchmark': '0.1.0', node: '18.0.0' } })]),
      /^The calibration is ignored: it was made with version 0\.1\.0, not \S+; --calibrate makes/m,
    ],
  ])) {
    test(`goes its way where the file ${kind}, and says so unless it is to be quiet`, async (t) => {
      const env = { XDG_CACHE_HOME: await cacheWith(t, content) };
      const [outcome, quiet] = await Promise.all([
        runCommand(t, RUN, { env }),
        runCommand(t, [...RUN, '--quiet'], { env }),
      ]);
      assertStatus(outcome, 0);
      assert.match(outcome.stderr, said);
      assertStatus(quiet, 0);
      assert.doesNotMatch(quiet.stderr, /calibration/);
    });
  }
});
