import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { open, readFile, readdir } from 'node:fs/promises';
import { constants } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import {
  PROGRAM,
  dotEnvOf,
  endpointOf,
  folderWith,
  keysIn,
  runCommand,
  startCommand,
  startProgram,
} from '../helpers/command.js';
import { startFaultProxy } from '../helpers/fault-proxy.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, ofKind, recordsOf } from '../helpers/outcome.js';
import { resultFrom } from '../helpers/result-schema.js';
import { hasScript, startOnTerminal } from '../helpers/script.js';
import { until } from '../helpers/socket-server.js';
import { machineRecords } from '../helpers/log-records.js';
import { rounded } from '../../lib/text/figures.js';

const STATUSES = /** @type {const} */ ({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 });
const METHODS = /** @type {const} */ ({ Write: 'PUT', Read: 'GET', Stat: 'HEAD', Remove: 'DELETE' });

/** Each stage, and each signal. */
const STOPS = /** @type {const} */ ([
  ['Write', 'SIGINT', 'sdk'],
  ['Read', 'SIGTERM', 'direct'],
  ['Stat', 'SIGHUP', 'direct'],
  ['Remove', 'SIGINT', 'direct'],
]);

const OBJECTS = 200;
const RUN = [`${OBJECTS}`, '4', '--size', '1KiB', '--run-id', 'stopped-run'];

/** So slow that the stage would take 5 s, and a log line appears in its middle whenever the second turns. */
const SLOW = 'latency=100ms';

/** @param {string} stage */
function firstSecondOf(stage) {
  return new RegExp(`^\\d\\d:\\d\\d:\\d\\d: ${stage}: Ops [1-9]`, 'm');
}

const OFFER = /Press Ctrl-C again to exit immediately, without further clean-up/;

const skip = hasScript() ? false : 'needs the command script of util-linux';

describe('a request to stop', { concurrency: 6 }, () => {
  for (const [stage, signal, client] of STOPS) {
    const [status, method] = [STATUSES[signal], METHODS[stage]];

    test(`Row 15: ${signal} in ${stage} ends the run with status ${status}, a partial summary and an empty store`, async (t) => {
      const endpoint = await startTestEndpoint(t, { faults: `${method}.${SLOW}` });
      const command = await startCommand(t, [...RUN, '--client', client], { dotEnv: dotEnvOf(endpoint) });
      await command.shows('stdout', firstSecondOf(stage));
      command.child.kill(signal);
      const outcome = await command.outcome;
      assertStatus(outcome, status);

      const records = recordsOf(outcome.stdout);
      const stages = machineRecords(records, 'stage');
      const interrupted = stages.at(-1);
      assert.deepEqual([interrupted.stage, interrupted.end], [stage, 'stopped']);
      assert.ok(interrupted.operations > 0 && interrupted.operations < OBJECTS);
      assert.equal(interrupted.abandoned, 0, 'requests in flight have time to finish');
      assert.ok(stages.slice(0, -1).every(({ operations, end }) => operations === OBJECTS && end === 'complete'));

      const seconds = ofKind(records, 'second').filter((second) => second.stage === stage);
      const counted = seconds.reduce((sum, { operationsPerSecond }) => sum + operationsPerSecond, 0);
      assert.equal(counted, interrupted.operations);
      assert.equal(ofKind(records, 'summary').at(-1)?.stage, stage);
      assert.equal(ofKind(records, 'table-row').length, stages.length);

      const left = stage === 'Remove' ? OBJECTS - interrupted.operations : stages[0].operations;
      assert.match(outcome.stderr, new RegExp(`^Stopping \\(${signal}\\)`, 'm'));
      assert.match(
        outcome.stderr,
        new RegExp(`^Clean-up of run stopped-run: ${rounded(left)} objects removed .*, 0 left$`, 'm'),
      );
      assert.deepEqual(await keysIn(endpoint), []);
    });
  }

  test('Row 15: SIGUSR1 to all processes of a job ends the run as SIGTERM does, and opens no inspector', async (t) => {
    const command = await startCommand(t, [...RUN, '--local', '--faults', `PUT.${SLOW}`]);
    await command.shows('stdout', firstSecondOf('Write'));
    process.kill(await endpointOf(command), 'SIGUSR1');
    command.child.kill('SIGUSR1');
    const outcome = await command.outcome;
    assertStatus(outcome, 128 + constants.signals.SIGUSR1);
    assert.match(outcome.stderr, /^Stopping \(SIGUSR1\)/m);
    assert.doesNotMatch(outcome.stderr, /Debugger/);
    assert.match(outcome.stderr, /^Clean-up of run stopped-run: [\d,]+ objects removed .*, 0 left$/m);
  });

  for (const [program, ...parameters] of [
    [PROGRAM, 'merge'],
    [path.join(path.dirname(PROGRAM), 'peak-performance.js')],
  ]) {
    const name = [path.basename(program), ...parameters].join(' ');

    test(`Row 15: SIGUSR1 ends ${name} while it reads a log, and opens no inspector`, async (t) => {
      const log = path.join(await folderWith(t, {}), 'log');
      spawnSync('mkfifo', [log]);
      const command = await startProgram(t, process.execPath, [program, ...parameters, log, log]);
      // Waits until the program opens the pipe.
      const pipe = await open(log, 'w');
      t.after(() => pipe.close());
      command.child.kill('SIGUSR1');
      const { stdout, stderr } = await command.outcome;
      assert.deepEqual([command.child.signalCode, stdout, stderr], ['SIGUSR1', '', '']);
    });
  }

  test(
    'Row 41: a second Ctrl-C, a second after the first, exits immediately with the command that removes the rest',
    { skip },
    async (t) => {
      // The clean-up deletes in batches, and must last until the second Ctrl-C on a busy machine.
      const endpoint = await startTestEndpoint(t, { faults: 'POST.latency=5s' });
      const dotEnv = dotEnvOf(endpoint);
      const run = [...RUN, '--prefix', 'load/test', '--json', 'result.json', '--stages', 'write'];
      const { command, pressCtrlC } = await startOnTerminal(t, run, { dotEnv });
      await command.shows('stdout', /Clean-up: \d+ of 200 objects left after/);
      pressCtrlC();
      await command.shows('stdout', OFFER);
      assert.doesNotMatch((await command.shows('stdout', OFFER)).input, /Objects may remain/);
      pressCtrlC();
      const outcome = await command.outcome;
      assertStatus(outcome, 130);
      assert.deepEqual(await readdir(command.folder), ['.env'], 'no half report stays behind');
      const [, cleanup] = /remove them with: node \S*r2-benchmark\.js (.*)\r$/m.exec(outcome.stdout) ?? [];
      assert.deepEqual(cleanup.split(' '), ['cleanup', 'stopped-run', '--prefix', 'load/test']);
      assertStatus(await runCommand(t, cleanup.split(' '), { dotEnv }), 0);
      assert.deepEqual(await keysIn(endpoint), []);
    },
  );

  test('a run ends when its embedded endpoint dies, and reports it', async (t) => {
    const command = await startCommand(t, [...RUN, '--local', '--faults', `PUT.${SLOW}`]);
    await command.shows('stdout', firstSecondOf('Write'));
    process.kill(await endpointOf(command), 'SIGKILL');
    const outcome = await command.outcome;
    assertStatus(outcome, 1);
    assert.match(outcome.stderr, /^error: the process of the local endpoint ended unexpectedly, by SIGKILL$/m);
    assert.doesNotMatch(outcome.stderr, /js cleanup|defect/);
  });

  test('reports a rejection that nobody handled on one line, removes the objects, and exits with status 1', async (t) => {
    const folder = await folderWith(t, {
      'mistake.mjs': `process.on('SIGURG', () => { Promise.reject(new TypeError("a mistake\\nof ours")); });`,
    });
    const endpoint = await startTestEndpoint(t, { faults: `PUT.${SLOW}` });
    const env = { NODE_OPTIONS: `--import ${path.join(folder, 'mistake.mjs')}` };
    const run = [...RUN, '--json', 'result.json'];
    const command = await startCommand(t, run, { dotEnv: dotEnvOf(endpoint), env });
    await command.shows('stdout', firstSecondOf('Write'));
    command.child.kill('SIGURG');
    const outcome = await command.outcome;
    assertStatus(outcome, 1);
    assert.match(
      outcome.stderr,
      /^error: unexpected error, .*\(TypeError: a mistake of ours\); please report it .*\n(?!error)/m,
    );
    assert.doesNotMatch(outcome.stderr, /^ {4}at /m);
    assert.match(outcome.stderr, /^Clean-up of run stopped-run: [1-9][\d,]* objects removed .*, 0 left$/m);
    assert.equal(ofKind(recordsOf(outcome.stdout), 'summary').at(-1)?.stage, 'Write');
    assert.deepEqual(await keysIn(endpoint), []);
    const report = resultFrom(await readFile(path.join(command.folder, 'result.json'), 'utf8'));
    assert.equal(report.problems.length, 1);
  });

  test('Row 41: cleanup removes everything despite any signals', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'POST.latency=3s' });
    const dotEnv = dotEnvOf(endpoint);
    assertStatus(await runCommand(t, [...RUN, '--stages', 'write', '--keep'], { dotEnv }), 0);
    // Preflight also removes its object by a batch.
    let { requests } = await endpoint.report();
    const before = requests.POST.total;
    const command = await startCommand(t, ['cleanup', 'stopped-run'], { dotEnv });
    while (requests.POST.total === before) {
      await wait(50);
      ({ requests } = await endpoint.report());
    }
    command.child.kill('SIGHUP');
    await command.shows('stderr', /^Not stopping \(SIGHUP\): clean-up continues$/m);
    for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGTERM'])) {
      command.child.kill(signal);
    }
    await command.shows('stderr', /^Clean-up: [\d,]+ objects removed after/m);
    command.child.kill('SIGINT');
    const outcome = await command.outcome;
    assertStatus(outcome, 129);
    assert.match(outcome.stdout, /^Clean-up of run stopped-run: 200 objects removed .*, 0 left\n$/);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('a signal ends cleanup as long as it has not removed anything', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const key = 'benchmark/a-run/00000000-0';
    await endpoint.put('bucket-a', key, Buffer.from('an object'));
    let isChecked = false;
    const proxy = await startFaultProxy(t, endpoint, () => {
      isChecked = true;
    });
    const dotEnv = dotEnvOf(endpoint, { S3_PORT: proxy.port });
    const command = await startCommand(t, ['cleanup', 'a-run', '--timeout', '1m'], { dotEnv });
    await until(() => isChecked);
    command.child.kill('SIGINT');
    const outcome = await command.outcome;
    assertStatus(outcome, 130);
    assert.deepEqual([outcome.stdout, outcome.stderr, await keysIn(endpoint)], ['', '', [key]]);
  });
});
