import assert from 'node:assert/strict';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { formatCalibrations, parseCalibrations } from '../../lib/calibration/calibration-file.js';
import { calibrationTable } from '../../lib/calibration/calibration-table.js';
import { versionsOf } from '../../lib/s3/versions.js';
import { calibrationWith, provenStage } from '../helpers/calibration.js';
import { endpointOf, folderWith, runCommand, startCommand } from '../helpers/command.js';
import { assertStatus } from '../helpers/outcome.js';
import { resultFrom } from '../helpers/result-schema.js';

/**
 * @import { TestContext } from 'node:test'
 * @import { Calibration } from '../../lib/calibration/calibration.js'
 */

const NAME = path.join('r2-benchmark', 'calibration.json');
const STAGES = ['Write', 'Read', 'Stat', 'Remove'];

/** @param {TestContext} t */
async function ownFolders(t) {
  const [XDG_CACHE_HOME, TMPDIR] = [await folderWith(t, {}), await folderWith(t, {})];
  return { XDG_CACHE_HOME, TMPDIR };
}

/**
 * Starts a calibration, and waits until it measures.
 *
 * @param {TestContext} t
 */
async function startCalibration(t) {
  const env = await ownFolders(t);
  const command = await startCommand(t, ['100', '4', '--calibrate'], { env });
  await command.shows('stderr', /^Measuring /m);
  return { command, env };
}

describe('--calibrate', { concurrency: 2 }, () => {
  test('measures each stage over TLS, and saves what was proven', async (t) => {
    const env = await ownFolders(t);
    const json = path.join(env.XDG_CACHE_HOME, 'result.json');
    const parameters = ['--calibrate', '--size', '1KiB', '--json', json];
    const { status, stdout, stderr } = await runCommand(t, parameters, { env: { ...env, S3_USE_SSL: '' } });
    const calibration = JSON.parse(await readFile(json, 'utf8').catch(() => assert.fail(stderr)));
    const { client, useTls, keepAlive, size, threads, stages } = calibration;
    assert.deepEqual(
      { client, useTls, keepAlive, size, threads },
      {
        client: 'direct',
        useTls: true,
        keepAlive: true,
        size: 1024,
        threads: 100,
      },
    );
    assert.deepEqual(
      stages.map((/** @type {any} */ { stage }) => stage),
      STAGES,
    );
    // How busy the machine is otherwise does not matter.
    const proven = stages.filter((/** @type {any} */ { unproven }) => unproven === null);
    for (const { operationsPerSecond, eventLoopUtilization, endpointUtilization } of proven) {
      assert.ok(eventLoopUtilization > 0 && endpointUtilization > 0);
      assert.ok(operationsPerSecond > 100);
    }
    assert.equal(stdout, `${calibrationTable(calibration).join('\n')}\n`);
    assert.equal(status, proven.length === STAGES.length ? 0 : 1);
    const file = path.join(env.XDG_CACHE_HOME, 'r2-benchmark', 'calibration.json');
    if (proven.length === 0) {
      assert.match(stderr, /^Nothing was saved: every stage was inconclusive$/m);
    } else {
      assert.ok(stderr.includes(`Saved in ${file}: later runs are compared with it\n`));
      assert.deepEqual(parseCalibrations(await readFile(file, 'utf8')), [calibration]);
    }
    assert.deepEqual(await readdir(env.TMPDIR), []);
  });

  test('stops on Ctrl-C, and leaves nothing', async (t) => {
    const { command, env } = await startCalibration(t);
    command.child.kill('SIGINT');
    const outcome = await command.outcome;
    assertStatus(outcome, 130);
    assert.equal(outcome.stdout, '');
    assert.deepEqual(await readdir(env.TMPDIR), []);
    assert.deepEqual(await readdir(env.XDG_CACHE_HOME), []);
  });

  test('fails if its endpoint dies', async (t) => {
    const { command, env } = await startCalibration(t);
    process.kill(await endpointOf(command), 'SIGKILL');
    const outcome = await command.outcome;
    assertStatus(outcome, 1);
    assert.match(
      outcome.stderr,
      /^error: --calibrate: the process of the local endpoint ended unexpectedly, by SIGKILL$/m,
    );
    assert.deepEqual(await readdir(env.TMPDIR), []);
  });
});

/**
 * @param {TestContext} t
 * @param {string} content of the file
 * @returns {Promise<string>} the cache directory
 */
async function cacheWith(t, content) {
  const cache = await folderWith(t, {});
  await mkdir(path.join(cache, 'r2-benchmark'));
  await writeFile(path.join(cache, NAME), content);
  return cache;
}

describe('a run after a calibration', { concurrency: 3 }, () => {
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

  test("reports on stderr and in --json which share of the host's capacity it used", async (t) => {
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
    const result = resultFrom(await readFile(json, 'utf8'));
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
      /^The calibration is ignored: .*: expected a calibration at position 1; --calibrate makes/m,
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
    test(`continues if the file ${kind}, and reports it unless --quiet is set`, async (t) => {
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
