import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { dotEnvOf, folderWith, keysIn, runCommand } from '../helpers/command.js';
import { freePort } from '../helpers/free-port.js';
import { startTestEndpoint, testCertificate } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';

/**
 * @import { TestContext } from 'node:test'
 */

/** The specified limit is 3 s; the rest allows for a busy machine. */
const REFUSED_WITHIN_MS = 30_000;

/** Makes every name lookup fail, because a machine's own name server may be slow, or return an address. */
const RESOLVES_NO_NAME = `
  import { syncBuiltinESMExports } from 'node:module';
  import promises from 'node:dns/promises';
  promises.lookup = async (name) => {
    throw Object.assign(new Error('getaddrinfo ENOTFOUND ' + name), { code: 'ENOTFOUND' });
  };
  syncBuiltinESMExports();
`;

const RUN = ['50', '4', '--size', '1KiB'];

/**
 * Runs against a store that must refuse the run before any write.
 *
 * @param {TestContext} t
 * @param {string} dotEnv
 * @param {Record<string, string>} [env]
 * @returns {Promise<string>} the single error line
 */
async function refusal(t, dotEnv, env) {
  const outcome = await runCommand(t, RUN, { dotEnv, env });
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
    .filter((line) => !/^(Checking the buckets$|Measuring the store's clock$|Run \S+: [\d,]+ objects of )/.test(line));
}

describe('a run that cannot succeed is refused before anything is written', { concurrency: 3 }, () => {
  test('Row 2: a bucket that does not exist, alongside one that does', async (t) => {
    const endpoint = await startTestEndpoint(t, { buckets: ['bucket-a'] });
    const line = await refusal(t, dotEnvOf(endpoint, { S3_BUCKET: 'bucket-a,bucket-x' }));
    assert.match(line, /^error: the first request failed because there is no bucket "bucket-x"/);
    assert.doesNotMatch(line, /bucket-a/);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('Row 5: a port without a listener', async (t) => {
    const endpoint = await startTestEndpoint(t, { port: await freePort() });
    await endpoint.close();
    assert.match(await refusal(t, dotEnvOf(endpoint)), /no connection to 127\.0\.0\.1:\d+ .*ECONNREFUSED/);
  });

  test('Row 4: a name that does not resolve', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const folder = await folderWith(t, { 'resolves-no-name.mjs': RESOLVES_NO_NAME });
    const env = { NODE_OPTIONS: `--import=${path.join(folder, 'resolves-no-name.mjs')}` };
    const line = await refusal(t, dotEnvOf(endpoint, { S3_HOSTNAME: 'no-such-host.invalid' }), env);
    assert.match(line, /the name no-such-host\.invalid does not resolve .*S3_HOSTNAME/);
  });

  test('Row 4: a server without TLS when TLS was requested', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const line = await refusal(t, dotEnvOf(endpoint, { S3_USE_SSL: '' }));
    assert.match(line, /no TLS connection to 127\.0\.0\.1:\d+ .*S3_USE_SSL=0/);
  });

  test('Row 27: an untrusted certificate, until NODE_EXTRA_CA_CERTS adds its authority', async (t) => {
    const tls = await testCertificate();
    const endpoint = await startTestEndpoint(t, { tls });
    const line = await refusal(t, dotEnvOf(endpoint));
    assert.match(line, /certificate of 127\.0\.0\.1 is not trusted .*NODE_EXTRA_CA_CERTS/);
    assert.equal((await endpoint.report()).requests.GET.total, 0, 'no byte is sent to an untrusted server');

    const folder = await folderWith(t, { 'authority.pem': tls.cert });
    const env = { NODE_EXTRA_CA_CERTS: path.join(folder, 'authority.pem') };
    const trusting = await runCommand(t, [...RUN], { dotEnv: dotEnvOf(endpoint), env });
    assertStatus(trusting, 0);
    assert.match(trusting.stdout, /^Write connections: opened \d+ .* TLS p50 /m);
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
});
