import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { dotEnvOf, keysIn, machineLines, runCommand, startCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, ofKind, recordsOf } from '../helpers/outcome.js';

const STATUSES = /** @type {const} */ ({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 });
const METHODS = /** @type {const} */ ({ Write: 'PUT', Read: 'GET', Stat: 'HEAD', Remove: 'DELETE' });

const OBJECTS = 200;
const RUN = [`${OBJECTS}`, '4', '--size', '1KiB', '--run-id', 'stopped-run'];

/** So slow that the stage would take 5 s. */
const SLOW = 'latency=100ms';

/** @param {string} stage */
function firstSecondOf(stage) {
  return new RegExp(`^\\d\\d:\\d\\d:\\d\\d: ${stage}: Ops [1-9]`, 'm');
}

describe('a request to stop', { concurrency: 6 }, () => {
  for (const [signal, status] of Object.entries(STATUSES)) {
    for (const [stage, method] of Object.entries(METHODS)) {
      test(`${signal} in ${stage} ends the run with status ${status}, a partial summary and an empty store`, async (t) => {
        const endpoint = await startTestEndpoint(t, { faults: `${method}.${SLOW}` });
        const client = signal === 'SIGINT' ? 'sdk' : 'direct';
        const command = await startCommand(t, [...RUN, '--client', client], { dotEnv: dotEnvOf(endpoint) });
        await command.shows('stdout', firstSecondOf(stage));
        command.child.kill(/** @type {NodeJS.Signals} */ (signal));
        const outcome = await command.outcome;
        assertStatus(outcome, status);

        const records = recordsOf(outcome.stdout);
        const stages = machineLines(records, 'stage');
        const interrupted = stages.at(-1);
        assert.deepEqual([interrupted.stage, interrupted.end], [stage, 'stopped']);
        assert.ok(interrupted.operations > 0 && interrupted.operations < OBJECTS);
        assert.equal(interrupted.abandoned, 0, 'what is under way has time to settle');
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
          new RegExp(`^Clean-up of run stopped-run: ${left} objects removed .*, 0 left$`, 'm'),
        );
        assert.deepEqual(await keysIn(endpoint), []);
      });
    }
  }

  test('a PUT that is never answered is given up, and its object removed all the same', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'PUT.latency=2s' });
    const run = ['4', '4', '--size', '1KiB', '--timeout', '1s', '--retries', '0'];
    const outcome = await runCommand(t, run, { dotEnv: dotEnvOf(endpoint) });
    assertStatus(outcome, 1);
    assert.match(outcome.stderr, /^Write: .* failed: no complete answer within 1000ms$/m);
    // The clean-up looks again after 2 s, when the writes that were given up have been carried out.
    assert.match(outcome.stderr, /^Clean-up of run \S+: 4 objects removed .* 0 left$/m);
    const { requests } = await endpoint.report();
    assert.ok(requests.LIST.total >= 3 * 32, 'the store is looked at twice, and counted');
  });

  test('a second signal ends the process at once, with the command that cleans up', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'PUT.latency=30s' });
    const run = [...RUN, '--timeout', '1m', '--prefix', 'load/test', '--json', 'result.json'];
    const command = await startCommand(t, run, { dotEnv: dotEnvOf(endpoint) });
    await command.shows('stdout', /^Write: scheduling/m);
    command.child.kill('SIGINT');
    await command.shows('stderr', /^Stopping/m);
    command.child.kill('SIGTERM');
    const outcome = await command.outcome;
    assertStatus(outcome, 143);
    const [, cleanup] = /remove them with: node r2-benchmark\.js (.*)$/m.exec(outcome.stderr) ?? [];
    assert.deepEqual(cleanup.split(' '), ['--cleanup', 'stopped-run', '--prefix', 'load/test']);
    assert.deepEqual(await readdir(command.folder), ['.env'], 'no half report stays behind');
  });

  test('what a killed run left is removed by --cleanup, from anywhere', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'PUT.latency=20ms' });
    const dotEnv = dotEnvOf(endpoint);
    const command = await startCommand(t, RUN, { dotEnv });
    await command.shows('stdout', firstSecondOf('Write'));
    command.child.kill('SIGKILL');
    assert.equal((await command.outcome).status, null);
    const left = (await keysIn(endpoint)).length;
    assert.ok(left > 0);
    const outcome = await runCommand(t, ['--cleanup', 'stopped-run'], { dotEnv });
    assertStatus(outcome, 0);
    assert.match(
      outcome.stdout,
      /^Clean-up of run stopped-run: \d+ objects removed under benchmark\/stopped-run\/ in bucket-a, bucket-b, 0 left\n$/,
    );
    assert.deepEqual(await keysIn(endpoint), []);
  });

  for (const client of ['direct', 'sdk']) {
    test(`${client}: a closed stdout ends the run with status 141, the rest of the log on stderr, and an empty store`, async (t) => {
      const endpoint = await startTestEndpoint(t, { faults: SLOW });
      const command = await startCommand(t, [...RUN, '--client', client], { dotEnv: dotEnvOf(endpoint) });
      await command.shows('stdout', firstSecondOf('Write'));
      command.closeStdout();
      const outcome = await command.outcome;
      assertStatus(outcome, 141);
      assert.match(outcome.stderr, /^Write took \d+ms\. /m);
      assert.match(outcome.stderr, /^Clean-up of run stopped-run: [1-9]\d* objects removed .*, 0 left$/m);
      assert.deepEqual(await keysIn(endpoint), []);
    });
  }

  test('with --keep, what was written until then stays, and the command that removes it is told', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: `PUT.${SLOW}` });
    const command = await startCommand(t, [...RUN, '--keep'], { dotEnv: dotEnvOf(endpoint) });
    await command.shows('stdout', firstSecondOf('Write'));
    command.child.kill('SIGINT');
    const outcome = await command.outcome;
    assertStatus(outcome, 130);
    const [{ operations }] = machineLines(recordsOf(outcome.stdout), 'stage');
    assert.equal((await keysIn(endpoint)).length, operations);
    assert.match(
      outcome.stderr,
      /^The objects were kept; remove them with: node r2-benchmark\.js --cleanup stopped-run$/m,
    );
  });

  test('a clean-up is ended by a signal, and can be begun again', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'LIST.latency=30s' });
    const command = await startCommand(t, ['--cleanup', 'a-run', '--timeout', '1m'], { dotEnv: dotEnvOf(endpoint) });
    let { requests } = await endpoint.report();
    while (requests.LIST.total === 0) {
      ({ requests } = await endpoint.report());
    }
    command.child.kill('SIGINT');
    const outcome = await command.outcome;
    assert.deepEqual([outcome.status, command.child.signalCode], [null, 'SIGINT'], 'which a shell shows as 130');
  });
});
