import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { describe, test } from 'node:test';
import { PROGRAM, dotEnvOf, folderWith, keysIn, runCommand, startCommand, startProgram } from '../helpers/command.js';
import { startFaultProxy } from '../helpers/fault-proxy.js';
import { freePort } from '../helpers/free-port.js';
import { startTestEndpoint, testCertificate } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';
import { resultFrom } from '../helpers/result-schema.js';
import { until } from '../helpers/socket-server.js';

/**
 * @import { Exchange } from '../helpers/fault-proxy.js'
 * @import { AddressInfo, Server } from 'node:net'
 * @import { TestContext } from 'node:test'
 */

/** The specified limit is 3 s; the rest allows for a busy machine. */
const REFUSED_WITHIN_MS = 30_000;

const CLIENTS = /** @type {const} */ (['direct', 'sdk']);

/** Makes every name lookup fail, because a machine's own name server may be slow, or return an address. */
const RESOLVES_NO_NAME = `
  import { syncBuiltinESMExports } from 'node:module';
  import promises from 'node:dns/promises';
  promises.lookup = async (name) => {
    throw Object.assign(new Error('getaddrinfo ENOTFOUND ' + name), { code: 'ENOTFOUND' });
  };
  syncBuiltinESMExports();
`;

/** What a server sends first to a client that expects 100 Continue. */
const GO_ON = 'HTTP/1.1 100 Continue\r\n\r\n';

const RUN = ['50', '4', '--size', '1KiB'];

/**
 * Runs against a store that must refuse the run before any write.
 *
 * @param {TestContext} t
 * @param {'direct' | 'sdk'} client
 * @param {string} dotEnv
 * @param {Record<string, string>} [env]
 * @returns {Promise<string>} the single error line
 */
async function refusal(t, client, dotEnv, env) {
  const outcome = await runCommand(t, [...RUN, '--client', client], { dotEnv, env });
  assertStatus(outcome, 2);
  assert.ok(outcome.milliseconds < REFUSED_WITHIN_MS, `took ${outcome.milliseconds}ms`);
  assert.equal(outcome.stdout, '', 'no stage begins');
  const lines = errorLines(outcome.stderr);
  assert.equal(lines.length, 1, outcome.stderr);
  assert.match(lines[0], /^error: /);
  return lines[0];
}

/**
 * @param {string} stderr
 * @returns {string[]} its lines, without those about phases and the run's name
 */
function errorLines(stderr) {
  return stderr
    .trimEnd()
    .split('\n')
    .filter((line) => !/^(Checking the buckets$|Measuring the store's clock$|Run \S+: \d+ objects of )/.test(line));
}

/**
 * @param {TestContext} t
 * @param {Server} server
 * @returns {Promise<number>} the port on which it listens until the end of the test
 */
async function listen(t, server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return /** @type {AddressInfo} */ (server.address()).port;
}

/**
 * @param {TestContext} t
 * @param {{ status: number, body: string, headers?: Record<string, string> }} answer to every request
 */
async function answering(t, { status, body, headers }) {
  /** @type {string[]} */
  const requests = [];
  const server = http.createServer((request, response) => {
    requests.push(String(request.method));
    request.resume();
    response.writeHead(status, { 'Content-Type': 'application/xml', ...headers }).end(body);
  });
  const port = await listen(t, server);
  const store = { buckets: ['bucket-a'], hostname: '127.0.0.1', port, region: 'auto', tls: null };
  const credentials = { accessKeyId: 'test-access-key', secretAccessKey: 'test-secret-key' };
  return { requests, dotEnv: dotEnvOf(/** @type {any} */ ({ ...store, credentials })) };
}

/** @param {string} code */
function errorBody(code) {
  return `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>So it is.</Message></Error>`;
}

describe('a run that cannot succeed is refused before anything is written', { concurrency: 3 }, () => {
  for (const client of CLIENTS) {
    for (const [what, name, value] of [
      ['secret key', 'S3_SECRET_KEY', 'a-wrong-secret-key'],
      ['access key', 'S3_ACCESS_KEY', 'a-wrong-access-key'],
    ]) {
      test(`Row 1: ${client}: a wrong ${what}`, async (t) => {
        const endpoint = await startTestEndpoint(t);
        const line = await refusal(t, client, dotEnvOf(endpoint, { [name]: value, S3_BUCKET: 'bucket-a' }));
        assert.match(line, /bucket-a/);
        assert.match(line, /S3_ACCESS_KEY, S3_SECRET_KEY/);
        const { requests } = await endpoint.report();
        assert.deepEqual([requests.PUT.total, requests.GET.total], [0, 1], 'no request is tried again');
      });
    }

    test(`Row 2: ${client}: a bucket that does not exist, alongside one that does`, async (t) => {
      const endpoint = await startTestEndpoint(t, { buckets: ['bucket-a'] });
      const line = await refusal(t, client, dotEnvOf(endpoint, { S3_BUCKET: 'bucket-a,bucket-x' }));
      assert.match(line, /^error: the first request failed because there is no bucket "bucket-x"/);
      assert.doesNotMatch(line, /bucket-a/);
      assert.deepEqual(await keysIn(endpoint), []);
    });

    test(`${client}: a store that refuses with just an error code, such as for a token without permission`, async (t) => {
      const { requests, dotEnv } = await answering(t, { status: 403, body: errorBody('AccessDenied') });
      const line = await refusal(t, client, dotEnv);
      assert.match(line, /^error: write, read, stat and remove in bucket "bucket-a" were refused .*AccessDenied/);
      // Requests after the first: existing objects, versioning, and the operations of the stages.
      const all = ['GET', 'GET', 'GET', 'PUT', 'GET', 'HEAD', 'DELETE'];
      assert.deepEqual(requests, all, 'none is tried again');
    });

    test(`Row 3: ${client}: a wrong clock, with the difference to the store's Date header`, async (t) => {
      const headers = { Date: new Date(Date.now() + 3_600_000).toUTCString() };
      const answer = { status: 403, body: errorBody('RequestTimeTooSkewed'), headers };
      const { requests, dotEnv } = await answering(t, answer);
      const line = await refusal(t, client, dotEnv);
      const offset = Number(/clock is (\d+)s behind the store's/.exec(line)?.[1]);
      assert.ok(Math.abs(offset - 3600) <= 10, line);
      assert.deepEqual(requests, ['GET']);
    });

    test(`Row 3: ${client}: the embedded endpoint with a clock 20 minutes ahead`, async (t) => {
      const endpoint = await startTestEndpoint(t, { faults: 'skew=20m' });
      const line = await refusal(t, client, dotEnvOf(endpoint, { S3_BUCKET: 'bucket-a' }));
      assert.match(line, /clock is (119[5-9]|120\d)s behind the store's .*RequestTimeTooSkewed/);
    });

    test(`Row 5: ${client}: a port without a listener`, async (t) => {
      const endpoint = await startTestEndpoint(t, { port: await freePort() });
      await endpoint.close();
      assert.match(await refusal(t, client, dotEnvOf(endpoint)), /no connection to 127\.0\.0\.1:\d+ .*ECONNREFUSED/);
    });

    test(`Row 4: ${client}: a name that does not resolve`, async (t) => {
      const endpoint = await startTestEndpoint(t);
      const folder = await folderWith(t, { 'resolves-no-name.mjs': RESOLVES_NO_NAME });
      const env = { NODE_OPTIONS: `--import=${path.join(folder, 'resolves-no-name.mjs')}` };
      const line = await refusal(t, client, dotEnvOf(endpoint, { S3_HOSTNAME: 'no-such-host.invalid' }), env);
      assert.match(line, /the name no-such-host\.invalid does not resolve .*S3_HOSTNAME/);
    });

    test(`Row 4: ${client}: a server without TLS when TLS was requested`, async (t) => {
      const endpoint = await startTestEndpoint(t);
      const line = await refusal(t, client, dotEnvOf(endpoint, { S3_USE_SSL: '' }));
      assert.match(line, /no TLS connection to 127\.0\.0\.1:\d+ .*S3_USE_SSL=0/);
    });

    test(`${client}: a server that closes every connection`, async (t) => {
      const port = await listen(
        t,
        net.createServer((socket) => socket.destroy()),
      );
      const endpoint = await startTestEndpoint(t);
      await refusal(t, client, dotEnvOf(endpoint, { S3_PORT: port, S3_BUCKET: 'bucket-a' }));
    });

    test(`${client}: a response that does not match the request`, async (t) => {
      const { dotEnv } = await answering(t, { status: 304, body: '' });
      const line = await refusal(t, client, dotEnv);
      assert.match(line, /the first request in .* failed \(HTTP 304\)$/);
    });

    test(`${client}: a redirect`, async (t) => {
      const body = errorBody('PermanentRedirect');
      const { dotEnv } = await answering(t, { status: 301, body, headers: { Location: 'http://elsewhere.invalid/' } });
      assert.match(await refusal(t, client, dotEnv), /redirects/);
    });

    test(`Row 27: ${client}: an untrusted certificate, until NODE_EXTRA_CA_CERTS adds its authority`, async (t) => {
      const tls = await testCertificate();
      const endpoint = await startTestEndpoint(t, { tls });
      const line = await refusal(t, client, dotEnvOf(endpoint));
      assert.match(line, /certificate of 127\.0\.0\.1 is not trusted .*NODE_EXTRA_CA_CERTS/);
      assert.equal((await endpoint.report()).requests.GET.total, 0, 'no byte is sent to an untrusted server');

      const folder = await folderWith(t, { 'authority.pem': tls.cert });
      const env = { NODE_EXTRA_CA_CERTS: path.join(folder, 'authority.pem') };
      const trusting = await runCommand(t, [...RUN, '--client', client], { dotEnv: dotEnvOf(endpoint), env });
      assertStatus(trusting, 0);
      assert.match(trusting.stdout, /^Write connections: opened \d+ .* TLS p50 /m);
    });
  }

  test('both clients skip an unsolicited "100 Continue"', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const port = await listen(
      t,
      net.createServer((socket) => {
        const store = net.connect(endpoint.port, endpoint.hostname);
        store.on('error', () => socket.destroy());
        socket.on('error', () => store.destroy());
        store.on('data', (answer) => socket.write(Buffer.concat([Buffer.from(GO_ON), answer])));
        socket.pipe(store).on('close', () => socket.destroy());
      }),
    );
    const dotEnv = dotEnvOf(endpoint, { S3_PORT: port, S3_BUCKET: 'bucket-a' });
    for (const client of CLIENTS) {
      assertStatus(await runCommand(t, [...RUN, '--client', client], { dotEnv }), 0);
    }
  });

  for (const client of CLIENTS) {
    test(`${client}: a token that may read but not write is detected before the first stage, and nothing is left`, async (t) => {
      const endpoint = await startTestEndpoint(t, { faults: 'PUT.status=403/AccessDenied:100%' });
      const line = await refusal(t, client, dotEnvOf(endpoint));
      assert.match(line, /^error: write in buckets "bucket-a", "bucket-b" was refused \(HTTP 403 AccessDenied/);
      const { requests } = await endpoint.report();
      assert.deepEqual([requests.PUT.total, requests.HEAD.total, requests.DELETE.total], [2, 2, 2]);
    });

    test(`${client}: all missing permissions are reported together, along with a missing bucket`, async (t) => {
      const faults = 'PUT.status=403/AccessDenied:100%, DELETE.status=501/NotImplemented:100%';
      const endpoint = await startTestEndpoint(t, { buckets: ['bucket-a'], faults });
      const dotEnv = dotEnvOf(endpoint, { S3_BUCKET: 'bucket-a,bucket-x' });
      const outcome = await runCommand(t, [...RUN, '--client', client], { dotEnv });
      assertStatus(outcome, 2);
      const lines = errorLines(outcome.stderr).toSorted();
      assert.match(lines[0], /^error: remove in bucket "bucket-a" on .* failed \(HTTP 501/);
      assert.match(lines[1], /^error: the first request failed because there is no bucket "bucket-x"/);
      assert.match(lines[2], /^error: write in bucket "bucket-a" was refused/);
      assert.equal(lines.length, 3);
    });
  }

  test('a store with internal problems is not a configuration problem: status 1', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'PUT.status=503:100%' });
    const outcome = await runCommand(t, RUN, { dotEnv: dotEnvOf(endpoint) });
    assertStatus(outcome, 1);
    assert.match(
      outcome.stderr,
      /^error: write in buckets .* failed \(HTTP 503 SlowDown.*: the store has an internal problem/m,
    );
    assert.deepEqual([outcome.stdout, await keysIn(endpoint)], ['', []]);
  });

  test('cleans up what preflight wrote and could not remove', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'DELETE.status=403/AccessDenied:100%' });
    const outcome = await runCommand(t, RUN, { dotEnv: dotEnvOf(endpoint) });
    assertStatus(outcome, 2);
    assert.match(outcome.stderr, /^error: remove in buckets "bucket-a", "bucket-b" was refused/m);
    assert.match(outcome.stderr, /^Clean-up of run \S+: 2 objects removed .*, 0 left$/m);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('a signal during preflight leaves nothing, even if its write is carried out late', async (t) => {
    const endpoint = await startTestEndpoint(t);
    /** @type {Exchange[]} */
    const held = [];
    const proxy = await startFaultProxy(t, endpoint, (exchange) =>
      exchange.operation === 'PUT' ? void held.push(exchange) : exchange.pass(),
    );
    const command = await startCommand(t, RUN, { dotEnv: dotEnvOf(endpoint, { S3_PORT: proxy.port }) });
    await until(() => held.length === 2);
    command.child.kill('SIGTERM');
    await command.shows('stderr', /^Stopping/m);
    await Promise.all(held.map((write) => write.pass()));
    const outcome = await command.outcome;
    assertStatus(outcome, 143);
    assert.match(outcome.stderr, /^Clean-up of run \S+: 2 objects removed .*, 0 left$/m);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('--no-preflight tries nothing in advance, and the stage reports what is wrong', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'PUT.status=403/AccessDenied:100%' });
    const run = [...RUN, '--no-preflight', '--json', 'result.json'];
    const command = await startCommand(t, run, { dotEnv: dotEnvOf(endpoint) });
    assertStatus(await command.outcome, 2);
    const report = resultFrom(await readFile(path.join(command.folder, 'result.json'), 'utf8'));
    const [lists, questionsOfVersions] = [2, 2];
    assert.equal(report.requests.preflight, lists + questionsOfVersions);
    assert.match(report.problems[0], /^write in bucket "bucket-[ab]" was refused/);
    assert.deepEqual([report.stages.length, report.stages[0].end], [1, 'fatal']);
  });

  test('missing objects of an earlier run are named, and the run continues and counts them', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const run = [...RUN, '--run-id', 'no-such-run', '--stages', 'stat'];
    const outcome = await runCommand(t, run, { dotEnv: dotEnvOf(endpoint) });
    assertStatus(outcome, 1);
    assert.match(
      outcome.stderr,
      /^Run no-such-run has no bucket-[ab]\/benchmark\/no-such-run\/\S+, \S+ in these buckets: check that the run used --keep/m,
    );
  });

  test('problems with variables, open files, the report and the shard are reported together, before any request', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const limited = 'ulimit -n 200 && exec "$0" "$@"';
    const run = ['1000', '300', '--json', '/no-such-folder/a.json', '--shard', 'auto'];
    const dotEnv = dotEnvOf(endpoint, { S3_PORT: 'x', S3_REGION: '!' });
    const command = await startProgram(t, '/bin/sh', ['-c', limited, process.execPath, PROGRAM, ...run], { dotEnv });
    const outcome = await command.outcome;
    assertStatus(outcome, 2);
    assert.deepEqual(
      outcome.stderr
        .trimEnd()
        .split('\n')
        .map((line) => /^error: (\S+?):? /.exec(line)?.[1])
        .toSorted(),
      ['--json', '--shard', '300', 'S3_PORT', 'S3_REGION'],
    );
    assert.equal((await endpoint.report()).connections, 0);
  });

  test('Row 20: a report that cannot be written', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const folder = await folderWith(t, { 'a-file': '' });
    for (const json of [path.join(folder, 'missing', 'a.json'), path.join(folder, 'a-file', 'a.json'), folder]) {
      const outcome = await runCommand(t, [...RUN, '--json', json], { dotEnv: dotEnvOf(endpoint) });
      assertStatus(outcome, 2);
      assert.equal(outcome.stdout, '');
      assert.match(outcome.stderr, /^error: --json: \S+ .*\n$/);
      assert.ok(outcome.stderr.includes(json));
    }
    assert.equal((await endpoint.report()).connections, 0);
  });

  for (const client of CLIENTS) {
    test(`${client}: a signal ends the wait for a store that does not respond`, async (t) => {
      const silent = net.createServer();
      const connected = once(silent, 'connection');
      const port = await listen(t, silent);
      const endpoint = await startTestEndpoint(t);
      const dotEnv = dotEnvOf(endpoint, { S3_PORT: port });
      const command = await startCommand(t, [...RUN, '--client', client, '--timeout', '5m'], { dotEnv });
      const [socket] = await connected;
      await once(socket, 'data');
      command.child.kill('SIGINT');
      const outcome = await command.outcome;
      assertStatus(outcome, 130);
      assert.deepEqual([outcome.stdout, /^error/m.test(outcome.stderr)], ['', false]);
    });
  }
});
