import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { dotEnvOf, folderWith, keysIn, runCommand, startCommand } from '../helpers/command.js';
import { startFaultProxy } from '../helpers/fault-proxy.js';
import { endOf, fastTime, startFaultRun } from '../helpers/fault-run.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';
import { until } from '../helpers/socket-server.js';

/** @import { TestContext } from 'node:test' */

const RUN = ['50', '4', '--size', '1KiB'];

describe('a store that refuses requests of the run', { concurrency: 3 }, () => {
  test('Row 1: 401 Unauthorized ends the run before the first PUT, with one line and no retry', async (t) => {
    const endpoint = await startTestEndpoint(t, { buckets: ['bucket-a'] });
    const proxy = await startFaultProxy(t, endpoint, (exchange) => exchange.refuse(401, 'Unauthorized'));
    const outcome = await runCommand(t, RUN, { dotEnv: dotEnvOf(endpoint, { S3_PORT: proxy.port }) });
    assertStatus(outcome, 2);
    assert.equal(outcome.stdout, '');
    assert.match(
      outcome.stderr,
      /^Checking the buckets\nerror: .*"bucket-a".*Unauthorized.*S3_ACCESS_KEY, S3_SECRET_KEY.*\n$/,
    );
    assert.deepEqual(proxy.requests, { GET: 1 });
  });

  test('Row 2: a token that may not remove is reported with bucket and operation, and nothing is left', async (t) => {
    const faults = 'DELETE.status=403/AccessDenied:100%';
    const endpoint = await startTestEndpoint(t, { buckets: ['bucket-a'], faults });
    const outcome = await runCommand(t, RUN, { dotEnv: dotEnvOf(endpoint) });
    assertStatus(outcome, 2);
    const errors = outcome.stderr.split('\n').filter((line) => line.startsWith('error:'));
    assert.equal(errors.length, 1, outcome.stderr);
    assert.match(errors[0], /^error: remove in bucket "bucket-a" was refused \(HTTP 403/);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('Row 2: losing the permission to read ends the run, and its objects are removed', async (t) => {
    const endpoint = await startTestEndpoint(t, { buckets: ['bucket-a'] });
    const proxy = await startFaultProxy(t, endpoint, (exchange) =>
      exchange.operation === 'GET' && exchange.index === 77 ? exchange.refuse(403, 'AccessDenied') : exchange.pass(),
    );
    const run = await endOf(await startFaultRun(t, endpoint, [], { port: proxy.port }));
    assertStatus(run, 2);
    assert.match(run.stderr, /^error: read in bucket "bucket-a" was refused .*AccessDenied/m);
    assert.deepEqual(
      run.stages.map(({ end }) => end),
      ['complete', 'fatal'],
    );
    assert.deepEqual(await keysIn(endpoint), []);
  });
});

/** The program of a `credential_process` that never answers, not even to a request to end. */
const HANGING = `
import { renameSync, writeFileSync } from 'node:fs';
process.on('SIGTERM', () => {});
writeFileSync(new URL('pid.part', import.meta.url), String(process.pid));
renameSync(new URL('pid.part', import.meta.url), new URL('pid', import.meta.url));
setInterval(() => {}, 1000);
`;

/** @param {TestContext} t */
async function homeThatHangs(t) {
  const home = await folderWith(t, { 'hanging.mjs': HANGING });
  // The shell remains the parent of its command.
  const command = `"${process.execPath}" "${path.join(home, 'hanging.mjs')}"; true`;
  await mkdir(path.join(home, '.aws'));
  await writeFile(
    path.join(home, '.aws/config'),
    `[default]\nregion = auto\nendpoint_url = http://localhost:1\ncredential_process = ${command}\n`,
  );
  const pidFile = path.join(home, 'pid');
  return {
    env: { HOME: home },
    started: () => until(() => existsSync(pidFile)),
    process: () => Number(readFileSync(pidFile, 'utf8')),
  };
}

/** Whether a process runs. One that has ended may wait for its parent. @param {number} id */
function isRunning(id) {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${id}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

const WITH_BUCKET = ['--bucket', 'bucket-a'];

describe('a credential_process that hangs', { concurrency: 2 }, () => {
  test('Row 54: is ended after 60 s, and the run ends with one line and status 2', async (t) => {
    const source = await homeThatHangs(t);
    const outcome = await runCommand(t, [...RUN, ...WITH_BUCKET], { env: { ...source.env, ...fastTime(20) } });
    assertStatus(outcome, 2);
    const line = 'error: no credentials: no answer within 60 s: check the source of the credentials\n';
    assert.deepEqual([outcome.stdout, outcome.stderr], ['', line]);
    assert.equal(isRunning(source.process()), false);
  });

  const run = [...RUN, '--json', 'result.json', '--log', 'log'];
  for (const [signal, status, what, parameters] of /** @type {[NodeJS.Signals, number | null, string, string[]][]} */ ([
    ['SIGTERM', 143, 'a run', run],
    ['SIGHUP', null, 'a run', run],
    ['SIGTERM', 143, 'ab', ['ab', ...RUN, '--a', '', '--b', '--client sdk']],
    ['SIGTERM', 143, 'cleanup', ['cleanup', 'a-run']],
  ])) {
    test(`Row 54: is ended at once by ${signal} to ${what}, without a word`, async (t) => {
      const source = await homeThatHangs(t);
      const command = await startCommand(t, [...parameters, ...WITH_BUCKET], { env: source.env });
      await source.started();
      command.child.kill(signal);
      const outcome = await command.outcome;
      assert.deepEqual(outcome, { ...outcome, status, stdout: '', stderr: '' });
      assert.equal(command.child.signalCode, status === null ? signal : null);
      await until(() => !isRunning(source.process()));
      assert.deepEqual(await readdir(command.folder), []);
    });
  }
});
