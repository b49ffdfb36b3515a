import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PROGRAM, dotEnvOf, folderWith, keysIn, startCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';
import { resultFrom } from '../helpers/result-schema.js';
import { hasTmux, onTmux } from '../helpers/tmux.js';

/**
 * @import { StageResult } from '../../lib/result/result.js'
 * @import { Command } from '../helpers/command.js'
 */

const MERGE = fileURLToPath(new URL('../../peak-performance.js', import.meta.url));

/** Longer than an operation on a machine that is busy with other tests. */
const PAUSE_MS = 3000;
const MAX_LATENCY_MS = 2500;

const LOAD = ['20', '--size', '1KiB', '--stages', 'write'];
const SUSPENDED =
  /^warning: this process was suspended for [3-5]\.\ds: that time is excluded from rates and percentiles$/m;

/**
 * Suspends a run in its first stage, after its first line.
 *
 * @param {Command} command
 */
async function suspend(command) {
  await command.shows('stdout', /^\d\d:\d\d:\d\d: Write: Ops [1-9]/m);
  command.child.kill('SIGSTOP');
  // A timer may be a little early.
  await wait(PAUSE_MS + 50);
  command.child.kill('SIGCONT');
}

/**
 * @param {string} folder
 * @returns {Promise<StageResult>} the first stage of its result.json
 */
async function stageIn(folder) {
  return resultFrom(await readFile(path.join(folder, 'result.json'), 'utf8')).stages[0];
}

/** @param {readonly { operations: number }[]} seconds */
function sumOf(seconds) {
  return seconds.reduce((sum, { operations }) => sum + operations, 0);
}

/**
 * @param {string} folder
 * @param {string} file a log or a result
 * @returns {{ average: number, peak: number, paused: number }} its first stage, merged
 */
function merged(folder, file) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [MERGE, '--json', '-', file], {
    cwd: folder,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  assert.match(stderr, /: Write was suspended for [3-5]\.\ds: its host did nothing during that time$/m);
  assert.doesNotMatch(stderr, /no line/);
  const [{ average, peak, paused }] = JSON.parse(stdout).stages;
  return { average: Number(average.toFixed(3)), peak, paused: Number(paused.toFixed(3)) };
}

/**
 * The result contains the pause, and no figure includes it.
 *
 * @param {StageResult} stage
 */
function assertLeftOut(stage) {
  const { paused = 0, startedAt, endedAt, duration, latency, seconds, operations, warmupOperations, average } = stage;
  assert.ok(paused >= PAUSE_MS - 100 && paused < PAUSE_MS + 2000, `${paused}ms`);
  assert.ok(Math.abs(endedAt - startedAt - paused - duration) < 1, `${duration}ms from ${startedAt} to ${endedAt}`);
  assert.ok(Number(latency.operations?.maximum) < MAX_LATENCY_MS, `${latency.operations?.maximum}ms`);
  assert.ok(Number(latency.attempts?.maximum) < MAX_LATENCY_MS, `${latency.attempts?.maximum}ms`);
  assert.equal(latency.operations?.count, operations - warmupOperations);
  const measured = operations - warmupOperations - stage.drainOperations;
  assert.ok(Math.abs(average - (1000 * measured) / (duration - stage.drain)) < 0.1, `${average}`);
  const missing = (endedAt - startedAt) / 1000 - seconds.length;
  assert.ok(missing > 0, `${seconds.length} seconds`);
  assert.equal(sumOf(seconds), operations);
  assert.deepEqual([stage.end, stage.errors], ['complete', {}]);
}

describe('a run that is suspended for a while', { concurrency: 2 }, () => {
  for (const [load, ...options] of [
    // The pause is longer than the deadline of an attempt.
    ['a number of objects', '--timeout', `${MAX_LATENCY_MS}ms`],
    ['a fixed rate on two cores', '--duration', '4s', '--rate', '50', '--cores', '2'],
  ]) {
    test(`Row 42: SIGSTOP is reported, and excluded from rates, percentiles and deadlines: ${load}`, async (t) => {
      const endpoint = await startTestEndpoint(t, { faults: 'PUT.latency=100ms' });
      const isTimed = options.includes('--duration');
      const parameters = [isTimed ? '100000' : '600', ...LOAD, '--json', 'result.json', '--log', 'log.txt', ...options];
      const command = await startCommand(t, parameters, { dotEnv: dotEnvOf(endpoint) });
      await suspend(command);
      const outcome = await command.outcome;
      assertStatus(outcome, 0);
      assert.equal(outcome.stderr.match(SUSPENDED)?.length, 1, outcome.stderr);
      const stage = await stageIn(command.folder);
      assertLeftOut(stage);
      if (isTimed) {
        assert.ok(Math.abs(stage.duration - 4000) < 700, `${stage.duration}ms`);
      }
      assert.ok(Number(stage.latency.startDelay?.maximum ?? 0) < MAX_LATENCY_MS);
      assert.match(outcome.stdout, /^Write was suspended for [3-5]\d{3}ms, excluded from rates and percentiles$/m);
      const [ofLog, ofResult] = ['log.txt', 'result.json'].map((file) => merged(command.folder, file));
      assert.deepEqual(ofLog, ofResult);
      assert.ok(Math.abs(ofLog.average - stage.average) < 0.1, `${ofLog.average}, ${stage.average}`);
      assert.ok(ofLog.peak <= stage.peak + 0.1, `${ofLog.peak}, ${stage.peak}`);
      assert.deepEqual(await keysIn(endpoint), []);
    });
  }

  test(
    'Row 42: Ctrl-Z and fg are reported, and excluded from rates and percentiles',
    { skip: !hasTmux() },
    async (t) => {
      const folder = await folderWith(t, {});
      const run = `cd ${folder}; "${process.execPath}" "${PROGRAM}" 100000 ${LOAD.join(' ')} --local --duration 4s --json result.json`;
      const terminal = await onTmux(t, run, { columns: 100, rows: 40 });
      await terminal.shows((rows) => rows.some((row) => row.startsWith('errors')));
      await terminal.run('send-keys', 'C-z');
      await terminal.shows((rows) => rows.at(-1) === '$');
      await wait(PAUSE_MS);
      await terminal.run('send-keys', '-l', 'fg');
      await terminal.run('send-keys', 'Enter');
      const rows = await terminal.shows((all) => all.some((row) => /^Clean-up of run/.test(row)) && all.at(-1) === '$');
      assert.match(rows.join('\n'), /^warning: this process was suspended for \d\.\ds: /m);
      assertLeftOut(await stageIn(folder));
    },
  );
});
