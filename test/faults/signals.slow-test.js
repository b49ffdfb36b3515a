import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { PROGRAM, dotEnvOf, folderWith, keysIn, startCommand, startProgram } from '../helpers/command.js';
import { startFaultProxy } from '../helpers/fault-proxy.js';
import { OBJECTS, endOf, fastTime, startFaultRun } from '../helpers/fault-run.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, recordsOf } from '../helpers/outcome.js';
import { until } from '../helpers/socket-server.js';
import { hasTmux, onTmux } from '../helpers/tmux.js';
import { machineRecords } from '../helpers/log-records.js';
import { rounded } from '../../lib/text/figures.js';

/**
 * @import { Exchange } from '../helpers/fault-proxy.js'
 * @import { TestEndpoint } from '../helpers/local-s3.js'
 * @import { TestContext } from 'node:test'
 */

const RUN = `"$0" "$1" 400 4 --size 1KiB --run-id a-run`;

/** The shell must survive the signal to report the exit status of the program. */
const TELLS_STATUS = 'trap : HUP INT TERM';

const skip = spawnSync('setsid', ['bash', '-c', 'exit 0']).status === 0 ? false : 'needs setsid and bash';

/**
 * Starts a line of shell script in its own process group, like a terminal.
 *
 * @param {TestContext} t
 * @param {TestEndpoint} endpoint
 * @param {string} pipeline
 */
function startPipeline(t, endpoint, pipeline) {
  const script = `${TELLS_STATUS}; ${pipeline}; echo "status \${PIPESTATUS[0]}" >&2`;
  const parameters = ['bash', '-c', script, process.execPath, PROGRAM];
  return startProgram(t, 'setsid', parameters, { dotEnv: dotEnvOf(endpoint) });
}

test('Row 15: closing the terminal ends the run like a signal, after everything is removed', { skip }, async (t) => {
  const endpoint = await startTestEndpoint(t, { faults: 'latency=5ms' });
  const line = `bash -c '${TELLS_STATUS}; "${process.execPath}" "${PROGRAM}" 400 4 --size 1KiB; echo $? >status.part; mv status.part status'`;
  const env = { SHELL: '/bin/sh' };
  const command = await startProgram(t, 'script', ['-qec', line, '/dev/null'], { dotEnv: dotEnvOf(endpoint), env });
  await command.shows('stdout', /Read 2\/4/);
  // The marker of the run is among them.
  assert.equal((await keysIn(endpoint)).length, 401);
  // This closes the terminal.
  command.child.kill('SIGKILL');
  const status = path.join(command.folder, 'status');
  await until(() => existsSync(status));
  assert.equal(await readFile(status, 'utf8'), '129\n');
  assert.deepEqual(await keysIn(endpoint), []);
});

/** By then all writes have ended, and clean-up takes a few seconds. */
const SLOW_CLEANUP = 'PUT.latency=20ms, LIST.latency=200ms, POST.latency=3s';

const LONG_RUN = ['100000', '20', '--size', '1KiB', '--run-id', 'a-run'];

describe('several signals', { concurrency: 3 }, () => {
  test(`Row 41: SIGHUP, SIGTERM and SIGINT, each twice, leave nothing, and the remaining objects are shown each second`, async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: SLOW_CLEANUP });
    const command = await startCommand(t, LONG_RUN, { dotEnv: dotEnvOf(endpoint) });
    await command.shows('stdout', /^\d\d:\d\d:\d\d: Write: Ops [1-9]/m);
    for (const signal of /** @type {const} */ (['SIGHUP', 'SIGTERM', 'SIGINT'])) {
      for (let time = 0; time < 2; time++) {
        command.child.kill(signal);
        await wait(50);
      }
    }
    await command.shows('stderr', /^Clean-up: \d+ of \d+ objects left after \d+s$/m);
    // More than a second after the first SIGINT, but without a terminal.
    command.child.kill('SIGINT');
    const outcome = await command.outcome;
    assertStatus(outcome, 129);
    assert.match(outcome.stderr, /^Clean-up of run a-run: [1-9][\d,]* objects removed .*, 0 left$/m);
    assert.doesNotMatch(outcome.stderr, /Press Ctrl-C/);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test(
    'Row 41: `tmux kill-session` after Ctrl-C leaves nothing',
    { skip: hasTmux() ? false : 'needs tmux' },
    async (t) => {
      const endpoint = await startTestEndpoint(t, { faults: SLOW_CLEANUP });
      const folder = await folderWith(t, { '.env': dotEnvOf(endpoint) });
      const run = [process.execPath, PROGRAM, ...LONG_RUN].map((word) => `"${word}"`).join(' ');
      const line = `cd "${folder}" && bash -c '${TELLS_STATUS}; ${run}; echo $? >status.part; mv status.part status'`;
      const terminal = await onTmux(t, line, { columns: 100, rows: 30 });
      await terminal.shows((rows) => rows.some((row) => /^ops\/s +[1-9]/.test(row)));
      assert.ok((await keysIn(endpoint)).length > 0);
      await terminal.run('send-keys', 'C-c');
      await terminal.shows((rows) => rows.some((row) => row.startsWith('Stopping')));
      await terminal.run('kill-session');
      const status = path.join(folder, 'status');
      await until(() => existsSync(status));
      assert.equal(await readFile(status, 'utf8'), '129\n');
      assert.deepEqual(await keysIn(endpoint), []);
    },
  );
});

test('Row 15: writes without an answer within five seconds of a signal are given up, and removed even if stored later', async (t) => {
  const endpoint = await startTestEndpoint(t);
  const answered = OBJECTS / 2;
  const isHeld = (/** @type {number} */ index) => index >= answered && index < OBJECTS;
  /** @type {Exchange[]} */
  const held = [];
  let stored = 0;
  const proxy = await startFaultProxy(t, endpoint, async (exchange) => {
    if (exchange.operation === 'PUT' && isHeld(exchange.index)) {
      held.push(exchange);
      return;
    }
    await exchange.pass();
    if (exchange.operation === 'LIST') {
      // Clean-up has begun.
      await Promise.all(held.splice(0).map((late) => late.forward()));
      stored = Math.max(stored, (await keysIn(endpoint)).length);
    }
  });
  // Clean-up lists twice, a second of real time apart: the second list shows the late writes.
  const parameters = ['--cores', '1', '--timeout', '5m', '--run-id', 'a-run'];
  const command = await startFaultRun(t, endpoint, parameters, { port: proxy.port, env: fastTime(2) });
  const threads = 10;
  await until(() => held.length === threads);
  command.child.kill('SIGINT');
  const run = await endOf(command);
  assertStatus(run, 130);
  const [write, ...others] = run.stages;
  assert.deepEqual([write.end, write.operations, write.abandoned, others], ['stopped', answered, threads, []]);
  assert.match(run.stderr, new RegExp(`^Write: ${threads} operations cut off at the end$`, 'm'));
  assert.ok(stored >= threads, 'the late writes took effect');
  assert.match(
    run.stderr,
    new RegExp(`^Clean-up of run a-run: ${answered + threads} objects removed .*, 0 left$`, 'm'),
  );
  assert.deepEqual(await keysIn(endpoint), []);
});

describe('a run in a pipeline', { concurrency: 3, skip }, () => {
  test('Row 15: Ctrl-C before `| tee -i` leaves a complete log of the finished part, and an empty store', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'PUT.latency=50ms' });
    const command = await startPipeline(t, endpoint, `${RUN} | tee -i log.txt`);
    await command.shows('stdout', /^\d\d:\d\d:\d\d: Write: Ops [1-9]/m);
    process.kill(-Number(command.child.pid), 'SIGINT');
    const outcome = await command.outcome;
    assertStatus(outcome, 0);
    assert.match(outcome.stderr, /^status 130$/m);
    assert.equal(await readFile(path.join(command.folder, 'log.txt'), 'utf8'), outcome.stdout);
    const [write, ...others] = machineRecords(recordsOf(outcome.stdout), 'stage');
    assert.deepEqual([write.stage, write.end, others], ['Write', 'stopped', []]);
    assert.ok(write.operations > 0 && write.operations < 400);
    assert.match(outcome.stderr, new RegExp(`: ${rounded(write.operations)} objects removed .*, 0 left$`, 'm'));
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('Row 15: Ctrl-C that also ends `tee` still ends the run with 130, a partial summary on stderr, and an empty store', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'PUT.latency=50ms' });
    const command = await startPipeline(t, endpoint, `${RUN} | tee log.txt`);
    await command.shows('stdout', /^\d\d:\d\d:\d\d: Write: Ops [1-9]/m);
    process.kill(-Number(command.child.pid), 'SIGINT');
    const outcome = await command.outcome;
    assert.match(outcome.stderr, /^status (130|141)$/m);
    assert.match(outcome.stderr, /^Write took \d+ms\. /m);
    assert.match(outcome.stderr, /: [1-9][\d,]* objects removed .*, 0 left$/m);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('Row 19: `| head -3` ends the run with 141, a partial summary on stderr, and an empty store', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'PUT.latency=50ms' });
    const command = await startPipeline(t, endpoint, `${RUN} | head -3`);
    const outcome = await command.outcome;
    assertStatus(outcome, 0);
    assert.equal(outcome.stdout.trimEnd().split('\n').length, 3);
    assert.match(outcome.stderr, /^status 141$/m);
    assert.match(outcome.stderr, /^Write took \d+ms\. /m);
    assert.match(outcome.stderr, /: [1-9][\d,]* objects removed .*, 0 left$/m);
    assert.doesNotMatch(outcome.stderr, /^ {4}at |EPIPE/m);
    assert.deepEqual(await keysIn(endpoint), []);
  });
});
