import assert from 'node:assert/strict';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { capacityOf } from '../../lib/calibration/calibration.js';
import { parseCalibrations } from '../../lib/calibration/calibration-file.js';
import { calibrationTable } from '../../lib/calibration/calibration-table.js';
import { ClientFailure, MeasuredClient } from '../../lib/cli/calibrate-client.js';
import { startNullEndpoint } from '../../lib/cli/calibrate-endpoint.js';
import { endpointOf, folderWith, runCommand, runInProcess, startCommand } from '../helpers/command.js';
import { startFaultProxy } from '../helpers/fault-proxy.js';
import { assertStatus } from '../helpers/outcome.js';

/** @import { TestContext } from 'node:test' */

const STAGES = ['Write', 'Read', 'Stat', 'Remove'];

/** @param {TestContext} t */
async function ownFolders(t) {
  const [XDG_CACHE_HOME, TMPDIR] = [await folderWith(t, {}), await folderWith(t, {})];
  return { XDG_CACHE_HOME, TMPDIR };
}

/**
 * Starts a calibration, and waits until it has begun to measure.
 *
 * @param {TestContext} t
 */
async function startCalibration(t) {
  const env = await ownFolders(t);
  const watcher = watch(env.TMPDIR);
  t.after(() => watcher.close());
  const clientHasFolder = once(watcher, 'change');
  const command = await startCommand(t, ['100', '4', '--calibrate'], { env });
  await clientHasFolder;
  return { command, env };
}

describe('--calibrate', { concurrency: 2 }, () => {
  test('measures each stage over TLS, and keeps what was proven', async (t) => {
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
    // How busy the machine is otherwise is not for the test to say.
    const proven = stages.filter((/** @type {any} */ { unproven }) => unproven === null);
    for (const { operationsPerSecond, eventLoopUtilization, endpointUtilization } of proven) {
      assert.ok(eventLoopUtilization > 0 && endpointUtilization > 0);
      assert.ok(operationsPerSecond > 100);
    }
    assert.equal(stdout, `${calibrationTable(calibration).join('\n')}\n`);
    assert.equal(status, proven.length === STAGES.length ? 0 : 1);
    const file = path.join(env.XDG_CACHE_HOME, 'r2-benchmark', 'calibration.json');
    if (proven.length === 0) {
      assert.match(stderr, /^Nothing was proven, and nothing is kept$/m);
    } else {
      assert.ok(stderr.includes(`Kept in ${file}, for later runs to be compared with\n`));
      assert.deepEqual(parseCalibrations(await readFile(file, 'utf8')), [calibration]);
    }
    assert.deepEqual(await readdir(env.TMPDIR), []);
  });

  test('ends on Ctrl-C, and leaves nothing', async (t) => {
    const { command, env } = await startCalibration(t);
    command.child.kill('SIGINT');
    const outcome = await command.outcome;
    assertStatus(outcome, 130);
    assert.equal(outcome.stdout, '');
    assert.deepEqual(await readdir(env.TMPDIR), []);
    assert.deepEqual(await readdir(env.XDG_CACHE_HOME), []);
  });

  test('gives up with its endpoint', async (t) => {
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

  test('is refused beside --cleanup, with half a load, and with a variable or a file that cannot be read', async () => {
    for (const [parameters, env, said] of /** @type {const} */ ([
      [['--calibrate', '--cleanup', 'a-run'], {}, /^error: --calibrate: .*no --cleanup/],
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
});

/**
 * @param {TestContext} t
 * @param {number} [size] bytes
 */
async function startEndpoint(t, size = 1000) {
  const endpoint = await startNullEndpoint({ size, useTls: false, env: process.env });
  t.after(() => endpoint.close());
  return endpoint;
}

const SETTINGS = Object.freeze({
  client: /** @type {const} */ ('direct'),
  useTls: false,
  keepAlive: true,
  size: 1000,
  threads: 4,
});

describe('the client that is measured', { concurrency: 2 }, () => {
  test('proves nothing where the endpoint was busier; a stage that was too short is measured again', async (t) => {
    const size = 4 * 1024 ** 2;
    const endpoint = await startEndpoint(t, size);
    const { variables, certificate } = endpoint;
    const report = async () => ({ ...(await endpoint.report()), eventLoopUtilization: 1 });
    const { signal } = new AbortController();
    const settings = { ...SETTINGS, size };
    const busyEndpoint = { report, variables, certificate };
    const client = new MeasuredClient({ endpoint: busyEndpoint, settings, env: process.env, signal });
    const measurements = await client.measure();
    assert.deepEqual(
      measurements.map(({ stage }) => stage),
      STAGES,
    );
    for (const measurement of measurements.filter(({ eventLoopUtilization }) => eventLoopUtilization < 1)) {
      const { operationsPerSecond, unproven } = capacityOf(measurement);
      assert.equal(operationsPerSecond, null);
      assert.match(String(unproven), /^the endpoint was busier \(100%\) than the client \(\d+%\)/);
    }
    const { requests } = await endpoint.report();
    assert.ok(requests.DELETE.total > requests.PUT.total, 'Remove had more objects than Write has left');
  });

  test('proves nothing of a stage in which no operation came to its end, and measures the others', async (t) => {
    const endpoint = await startEndpoint(t);
    // The stage reads objects; what is read before it are probes.
    const proxy = await startFaultProxy(t, { port: Number(endpoint.variables.S3_PORT) }, (exchange) =>
      exchange.operation === 'GET' && exchange.index >= 0 ? undefined : exchange.pass(),
    );
    const { signal } = new AbortController();
    endpoint.variables = { ...endpoint.variables, S3_PORT: String(proxy.port) };
    const client = new MeasuredClient({ endpoint, settings: SETTINGS, env: process.env, signal });
    const measurements = await client.measure();
    assert.deepEqual(
      measurements.map(({ stage, operationsPerSecond }) => [stage, operationsPerSecond > 0]),
      STAGES.map((stage) => [stage, stage !== 'Read']),
    );
    assert.equal(capacityOf(measurements[1]).unproven, 'no operation succeeded');
  });

  test('says why it could not do its work', async (t) => {
    const endpoint = await startEndpoint(t);
    const { signal } = new AbortController();
    endpoint.variables = { ...endpoint.variables, S3_BUCKET: '' };
    const client = new MeasuredClient({ endpoint, settings: SETTINGS, env: process.env, signal });
    await assert.rejects(client.measure(), (error) => {
      assert.ok(error instanceof ClientFailure);
      assert.match(error.message, /^the client ended with status 2: \S/);
      return true;
    });
  });
});
