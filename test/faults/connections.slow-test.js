import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { describe, test } from 'node:test';
import { dotEnvOf, folderWith, keysIn, runCommand } from '../helpers/command.js';
import { startFaultProxy } from '../helpers/fault-proxy.js';
import {
  OBJECTS,
  assertConnectionsAddUp,
  assertSeenByStore,
  endOf,
  fastTime,
  faultRun,
  startFaultRun,
  sum,
} from '../helpers/fault-run.js';
import { makeCertificate, startTestEndpoint, testCertificate } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';
import { startSocketServer, until } from '../helpers/socket-server.js';

/** @import { Exchange } from '../helpers/fault-proxy.js' */

/** The answer of a server without TLS to a TLS handshake. */
const PLAIN_ANSWER = 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n';

/**
 * Resolves a name to this host, except while a certain file exists, as a name server might fail. A failed look-up leaves
 * another file.
 */
const RESOLVES_PER_NAME = `
  import { existsSync, writeFileSync } from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  import promises from 'node:dns/promises';
  promises.lookup = async (name) => {
    if (existsSync(new URL('no-name', import.meta.url))) {
      writeFileSync(new URL('was-asked', import.meta.url), '');
      throw Object.assign(new Error('getaddrinfo ENOTFOUND ' + name), { code: 'ENOTFOUND' });
    }
    return [{ address: '127.0.0.1', family: 4 }];
  };
  syncBuiltinESMExports();
`;

/**
 * @param {{ port: number }} server
 * @param {net.Socket} socket
 */
function pipeTo({ port }, socket) {
  const connection = net.connect(port, '127.0.0.1').on('error', () => socket.destroy());
  socket.pipe(connection).pipe(socket);
}

describe('connections', { concurrency: 3 }, () => {
  test('Row 4: a name that fails to resolve for a while is looked up again, and no operation is lost', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'PUT.latency=20ms' });
    const proxy = await startFaultProxy(t, endpoint);
    const folder = await folderWith(t, { 'resolves-a-name.mjs': RESOLVES_PER_NAME });
    const [noName, wasAsked] = ['no-name', 'was-asked'].map((name) => path.join(folder, name));
    const command = await startFaultRun(t, endpoint, ['--cores', '1'], {
      port: proxy.port,
      variables: { S3_HOSTNAME: 'store.invalid' },
      env: { NODE_OPTIONS: `--import=${path.join(folder, 'resolves-a-name.mjs')}` },
    });
    await command.shows('stdout', /^Write: scheduling/m);
    await writeFile(noName, '');
    proxy.stop();
    await until(() => existsSync(wasAsked));
    await Promise.all([rm(noName), proxy.start()]);
    const run = await endOf(command);
    assertStatus(run, 0);
    assert.ok(run.stages[0].errors.name > 0 && run.stages[0].errors.connect > 0, JSON.stringify(run.stages[0].errors));
    assert.ok(run.stages.every(({ operations }) => operations === OBJECTS));
    // The clock of an absent store cannot be measured.
    assertSeenByStore(run, await endpoint.report(), run.report.requests.clock);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  for (const kind of ['tls', 'certificate']) {
    const what = kind === 'tls' ? 'TLS handshakes that fail' : 'certificates that are not trusted';

    test(`Row 4: ${what} during a run are retried`, async (t) => {
      const tls = await testCertificate();
      const endpoint = await startTestEndpoint(t, { tls, faults: 'GET.close=10, HEAD.close=10, DELETE.close=10' });
      const impostor = await startSocketServer(t, { certificate: await makeCertificate() });
      let writes = false;
      let broken = 0;
      const relay = await startSocketServer(t, {
        onSocket: (socket) => {
          const isBroken = writes && relay.sockets.length % 3 === 0;
          broken += Number(isBroken);
          if (isBroken && kind === 'tls') {
            socket.once('data', () => socket.end(PLAIN_ANSWER));
          } else {
            pipeTo(isBroken ? impostor : endpoint, socket);
          }
        },
      });
      const folder = await folderWith(t, { 'authority.pem': tls.cert });
      const command = await startFaultRun(t, endpoint, [], {
        port: relay.port,
        env: { NODE_EXTRA_CA_CERTS: path.join(folder, 'authority.pem') },
      });
      await command.shows('stdout', /^Write: scheduling/m);
      writes = true;
      const run = await endOf(command);
      assertStatus(run, 0);
      // Some of them may have hit requests for the store's clock.
      const failed = sum(run.stages.map(({ errors }) => errors[kind] ?? 0));
      assert.ok(failed > 0 && failed <= broken, `${failed} of ${broken}`);
      assert.match(run.stdout, /^Write connections: opened \d+ .* TLS p50 /m);
      assert.ok(run.stages.every(({ operations }) => operations === OBJECTS));
      const report = await endpoint.report();
      assertSeenByStore(run, report, broken - failed + report.faults.close);
      assert.deepEqual(await keysIn(endpoint), []);
    });
  }

  test('Row 5: a longer --timeout does not extend the attempts of preflight', async (t) => {
    const silent = await startSocketServer(t, { onSocket: (socket) => socket.resume() });
    const endpoint = await startTestEndpoint(t);
    const outcome = await runCommand(t, ['10', '2', '--cores', '1', '--timeout', '1h'], {
      dotEnv: dotEnvOf(endpoint, { S3_PORT: silent.port }),
      env: fastTime(50),
    });
    assertStatus(outcome, 2);
    assert.match(outcome.stderr, /^error: no connection to 127\.0\.0\.1:\d+ \(no complete response within 30000ms\)/m);
  });

  test('Row 12: a closed kept connection costs one immediate, counted retry on a new one', async (t) => {
    const endpoint = await startTestEndpoint(t);
    let closed = 0;
    const isStale = (/** @type {Exchange} */ { operation, index, earlier }) =>
      operation !== 'PUT' && index >= 0 && index < OBJECTS && earlier % 20 === 19;
    const proxy = await startFaultProxy(t, endpoint, (exchange) => {
      if (isStale(exchange)) {
        closed += 1;
        return exchange.end(closed % 2 === 0 ? 'reset' : 'close');
      }
      return exchange.pass();
    });
    const run = await faultRun(t, endpoint, [], { port: proxy.port });
    assertStatus(run, 0);
    assert.ok(closed > 0);
    assert.deepEqual(
      run.stages.map(({ errors }) => Object.keys(errors).filter((kind) => kind !== 'stale-connection')),
      run.stages.map(() => []),
    );
    assert.equal(sum(run.stages.map(({ retries }) => retries)), closed);
    assertConnectionsAddUp(run);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('Row 31: a store that dies ends the stage after a minute; clean-up is tried, and possible remains are reported with the command', async (t) => {
    const endpoint = await startTestEndpoint(t);
    let written = 0;
    const proxy = await startFaultProxy(t, endpoint, async (exchange) => {
      await exchange.pass();
      if (exchange.operation === 'PUT' && exchange.index >= 0 && exchange.index < OBJECTS) {
        written += 1;
        if (written === 50) {
          proxy.stop();
        }
      }
    });
    const parameters = ['--cores', '1', '--retries', '1000', '--run-id', 'a-run'];
    const command = await startFaultRun(t, endpoint, parameters, { port: proxy.port, env: fastTime(5) });
    const run = await endOf(command);
    assertStatus(run, 1);
    const [write, ...others] = run.stages;
    assert.deepEqual([write.stage, write.end, others], ['Write', 'stalled', []]);
    assert.ok(write.endedAt - write.startedAt >= 60_000);
    assert.ok(write.errors.connect > 0);
    assert.match(run.stderr, /^Write: ended because operations stopped succeeding/m);
    assert.match(run.stderr, /^error: clean-up: .*ECONNREFUSED/m);
    assert.match(
      run.stderr,
      /^error: Clean-up of run a-run: 0 objects removed .*, the rest could not be counted; try again with: node \S*r2-benchmark\.js cleanup a-run$/m,
    );

    const left = await keysIn(endpoint);
    assert.ok(left.length >= write.operations && left.length <= 60);
    const cleaned = await runCommand(t, ['cleanup', 'a-run'], { dotEnv: dotEnvOf(endpoint) });
    assertStatus(cleaned, 0);
    assert.match(cleaned.stdout, new RegExp(`^Clean-up of run a-run: ${left.length} objects removed .*, 0 left\\n$`));
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('Row 27: the run reports that the environment disables the check of certificates', async (t) => {
    const endpoint = await startTestEndpoint(t, { tls: await testCertificate() });
    for (const cores of ['1', '2']) {
      const outcome = await runCommand(t, ['10', '2', '--size', '1KiB', '--cores', cores], {
        dotEnv: dotEnvOf(endpoint),
        env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      });
      assertStatus(outcome, 0);
      assert.match(outcome.stderr, /^.*warning: .*NODE_TLS_REJECT_UNAUTHORIZED.*$/im);
    }
    assert.deepEqual(await keysIn(endpoint), []);
  });
});
