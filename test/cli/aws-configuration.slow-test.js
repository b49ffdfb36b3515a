import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { folderWith, keysIn, runCommand, startCommand, startProgram } from '../helpers/command.js';
import { startConnectProxy } from '../helpers/connect-proxy.js';
import { startFakeAws } from '../helpers/fake-aws.js';
import { startTestEndpoint, testCertificate } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';

/**
 * @import { TestContext } from 'node:test'
 * @import { TestEndpoint } from '../helpers/local-s3.js'
 */

/** Short enough that the first credentials expire during the run, on any host. ms */
const FIRST_LIFE_MS = 38_000;

const RUN = ['40', '4', '--stages', 'write'];

/**
 * @param {TestEndpoint} endpoint
 * @param {string} [base] of its URLs
 * @returns {Record<string, string>} the AWS CLI's variables
 */
function awsEnv({ credentials, port, tls }, base = '') {
  return {
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_REGION: 'auto',
    AWS_ENDPOINT_URL_S3: `${tls === null ? 'http' : 'https'}://localhost:${port}${base}`,
  };
}

/** Credentials that expire soon, and their successors. */
function temporaryCredentials() {
  const now = Date.now();
  return [now + FIRST_LIFE_MS, now + 3_600_000].map((expiresAt, turn) => ({
    accessKeyId: `temporary-${turn}`,
    secretAccessKey: `the-secret-of-turn-${turn}`,
    sessionToken: `the-token/of+turn=${turn}`,
    expiresAt,
  }));
}

/** The program of `credential_process`: each call returns the next credentials, and fails when there are no more. */
const CREDENTIAL_PROCESS = `
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
const file = (name) => new URL(name, import.meta.url);
const calls = existsSync(file('calls.txt')) ? readFileSync(file('calls.txt'), 'utf8').length : 0;
appendFileSync(file('calls.txt'), '.');
const { accessKeyId, secretAccessKey, sessionToken, expiresAt } = JSON.parse(readFileSync(file('credentials.json'), 'utf8'))[calls];
console.log(JSON.stringify({
  Version: 1, AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, SessionToken: sessionToken,
  Expiration: new Date(expiresAt).toISOString(),
}));
`;

/**
 * @param {TestContext} t
 * @param {readonly object[]} credentials
 * @param {string} url of the endpoint
 * @returns {Promise<string>} a home directory with a profile that uses credential_process
 */
async function homeWithProcess(t, credentials, url) {
  const home = await folderWith(t, {
    'credentials.json': JSON.stringify(credentials),
    'process.mjs': CREDENTIAL_PROCESS,
  });
  await mkdir(path.join(home, '.aws'));
  await writeFile(
    path.join(home, '.aws/config'),
    `[profile temporary]\nregion = auto\nendpoint_url = ${url}\ncredential_process = "${process.execPath}" "${path.join(home, 'process.mjs')}"\n`,
  );
  return home;
}

describe('the program', { concurrency: 2 }, () => {
  test("runs with the AWS CLI's variables alone, cleans up with them, and reports what it used", async (t) => {
    const endpoint = await startTestEndpoint(t, {
      credentials: { accessKeyId: 'an-aws-key', secretAccessKey: 'the-aws-secret', sessionToken: 'the-aws-token' },
    });
    const env = /** @type {Record<string, string>} */ ({ ...awsEnv(endpoint), AWS_SESSION_TOKEN: 'the-aws-token' });
    const args = [...RUN, '--bucket', 'bucket-a,bucket-b', '--keep'];
    const kept = await startCommand(t, args, { env });
    const outcome = await kept.outcome;
    assertStatus(outcome, 0);
    assert.match(
      outcome.stderr,
      /^Using credentials of AWS_ACCESS_KEY_ID; endpoint http:\/\/localhost:[0-9]+ \(AWS_ENDPOINT_URL_S3\); region auto \(AWS_REGION\)$/m,
    );
    assert.doesNotMatch(outcome.stdout + outcome.stderr, /the-aws-/);
    assert.equal((await keysIn(endpoint)).length, 40);

    const [, command] = /remove them with: (.*)$/m.exec(outcome.stderr) ?? [];
    assert.match(command, /--bucket bucket-a,bucket-b/);
    const { AWS_ENDPOINT_URL_S3, AWS_REGION, ...secrets } = env;
    assert.ok(command.includes(AWS_ENDPOINT_URL_S3) && command.includes(AWS_REGION));
    // The command includes everything except the secrets.
    assertStatus(await (await startProgram(t, '/bin/sh', ['-c', command], { env: secrets })).outcome, 0);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  for (const [client, cores] of /** @type {const} */ ([
    ['direct', '2'],
    ['sdk', '1'],
  ])) {
    test(`${client}, ${cores} cores: a run that outlives its credentials continues with new ones from a process`, async (t) => {
      const credentials = temporaryCredentials();
      const endpoint = await startTestEndpoint(t, {
        credentials: credentials[0],
        furtherCredentials: credentials.slice(1),
      });
      const home = await homeWithProcess(t, credentials, `http://localhost:${endpoint.port}`);
      const load = ['600', '4', '--rate', '15', '--duration', '20s', '--gap', '0s', '--stages', 'write,read'];
      const outcome = await runCommand(t, [...load, '--client', client, '--cores', cores, '--bucket', 'bucket-a'], {
        env: { HOME: home, AWS_PROFILE: 'temporary' },
      });
      assertStatus(outcome, 0);
      assert.match(outcome.stderr, /^Using credentials of the profile "temporary"/m);
      assert.ok(Date.now() > credentials[0].expiresAt, 'the first ones have ended');
      assert.doesNotMatch(outcome.stdout + outcome.stderr, /the-secret|the-token|could not be renewed/);
      assert.equal(await readFile(path.join(home, 'calls.txt'), 'utf8'), '..');
      // The objects were removed with credentials that did not exist when the run started.
      assert.deepEqual(await keysIn(endpoint), []);
    });
  }

  for (const {
    from,
    asked,
    config,
    env,
  } of /** @type {{ from: string, asked: string, config: string, env: Record<string, string> }[]} */ ([
    {
      from: 'the profile "it"',
      asked: 'AssumeRole',
      config:
        '[profile base]\naws_access_key_id = id\naws_secret_access_key = secret\n[profile it]\nregion = auto\nrole_arn = arn:aws:iam::123456789012:role/r\nsource_profile = base\n',
      env: { AWS_PROFILE: 'it' },
    },
    {
      from: 'a web identity, the container or the metadata service of this host',
      asked: 'AssumeRoleWithWebIdentity',
      config: '',
      env: {
        AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/r',
        AWS_WEB_IDENTITY_TOKEN_FILE: 'token',
        AWS_REGION: 'auto',
      },
    },
    {
      from: 'a web identity, the container or the metadata service of this host',
      asked: '/container',
      config: '',
      env: { AWS_CONTAINER_CREDENTIALS_FULL_URI: '/container', AWS_REGION: 'auto' },
    },
  ])) {
    test(`uses the credentials of ${from}`, async (t) => {
      const credentials = {
        accessKeyId: 'given-id',
        secretAccessKey: 'the-given-secret',
        sessionToken: 'the-given-token',
      };
      const aws = await startFakeAws(t, credentials);
      const endpoint = await startTestEndpoint(t, { credentials });
      const home = await folderWith(t, { token: 'the-web-identity' });
      await mkdir(path.join(home, '.aws'));
      await writeFile(path.join(home, '.aws/config'), config);
      const { AWS_WEB_IDENTITY_TOKEN_FILE: token, AWS_CONTAINER_CREDENTIALS_FULL_URI: uri, ...others } = env;
      const outcome = await runCommand(t, ['cleanup', 'list', '--bucket', 'bucket-a'], {
        env: {
          ...others,
          ...(token === undefined ? {} : { AWS_WEB_IDENTITY_TOKEN_FILE: path.join(home, token) }),
          ...(uri === undefined ? {} : { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${aws.url}${uri}` }),
          HOME: home,
          AWS_ENDPOINT_URL_STS: aws.url,
          AWS_ENDPOINT_URL_S3: `http://localhost:${endpoint.port}`,
        },
      });
      assertStatus(outcome, 0);
      assert.ok(outcome.stderr.includes(`Using credentials of ${from};`), outcome.stderr);
      assert.deepEqual(aws.asked, [asked]);
      assert.doesNotMatch(outcome.stdout + outcome.stderr, /the-given|the-web/);
    });
  }

  test('expired credentials that cannot be renewed end the run, which reports both facts', async (t) => {
    const credentials = temporaryCredentials().slice(0, 1);
    const endpoint = await startTestEndpoint(t, {
      credentials: credentials[0],
      furtherCredentials: credentials.slice(1),
    });
    const home = await homeWithProcess(t, credentials, `http://localhost:${endpoint.port}`);
    const load = ['3000', '4', '--rate', '20', '--duration', '60s', '--stages', 'write', '--bucket', 'bucket-a'];
    const outcome = await runCommand(t, load, { env: { HOME: home, AWS_PROFILE: 'temporary' } });
    assertStatus(outcome, 2);
    assert.match(outcome.stderr, /^warning: The credentials could not be renewed \(/m);
    assert.match(outcome.stderr, /ExpiredToken.*: check the session token of the profile "temporary"/);
    assert.doesNotMatch(outcome.stdout + outcome.stderr, /the-secret|the-token/);
  });

  test('on request, puts the bucket before the host name, and a base path before the bucket', async (t) => {
    const basePath = '/storage/v1/s3';
    const below = await startTestEndpoint(t, { basePath });
    const run = [...RUN, '--bucket', 'bucket-a'];
    for (const [base, status] of /** @type {const} */ ([
      [basePath, 0],
      ['/other', 2],
    ])) {
      const { AWS_ENDPOINT_URL_S3, ...env } = awsEnv(below, base);
      const where = ['--endpoint-url', AWS_ENDPOINT_URL_S3, '--addressing', 'virtual', '--retries', '1'];
      assertStatus(await runCommand(t, [...run, ...where], { env }), status);
    }
    assert.deepEqual(await keysIn(below), []);
  });

  test('trusts the authorities of AWS_CA_BUNDLE, and no store without them', async (t) => {
    const tls = await testCertificate();
    const endpoint = await startTestEndpoint(t, { tls });
    const folder = await folderWith(t, { 'ca.pem': tls.cert });
    const env = awsEnv(endpoint);
    const run = [...RUN, '--bucket', 'bucket-a', '--retries', '1'];
    const AWS_CA_BUNDLE = path.join(folder, 'ca.pem');
    assertStatus(await runCommand(t, run, { env: { ...env, AWS_CA_BUNDLE } }), 0);
    const outcome = await runCommand(t, run, { env });
    assertStatus(outcome, 2);
    assert.match(outcome.stderr, /is not trusted/);
  });

  for (const scheme of ['http', 'https']) {
    test(`connects over ${scheme} through the requested proxy, and through no other`, async (t) => {
      const tls = scheme === 'http' ? null : await testCertificate();
      const endpoint = await startTestEndpoint(t, { tls });
      const proxy = await startConnectProxy(t, { user: 'me:word', port: endpoint.port });
      const folder = await folderWith(t, { 'ca.pem': tls?.cert ?? '' });
      const run = [...RUN, '--bucket', 'bucket-a', '--retries', '1'];
      const env = {
        ...awsEnv(endpoint),
        ...(tls === null ? {} : { AWS_CA_BUNDLE: path.join(folder, 'ca.pem') }),
        // Connections to this host's names never use a proxy, but the proxy knows this one.
        AWS_ENDPOINT_URL_S3: `${scheme}://store.test:${endpoint.port}`,
        ALL_PROXY: `http://me:word@localhost:${proxy.port}`,
      };
      const refused = await runCommand(t, run, { env });
      assertStatus(refused, 2);
      assert.match(refused.stderr, /^error: ALL_PROXY names a proxy/m);
      assert.deepEqual([refused.stdout, proxy.tunnels], ['', []]);

      const through = await runCommand(t, [...run, '--proxy', 'env'], { env });
      if (tls === null) {
        assertStatus(through, 0);
        assert.ok(proxy.tunnels.length >= 4);
        assert.deepEqual([...new Set(proxy.tunnels)], [`store.test:${endpoint.port}`]);
      } else {
        // The tunnel leads to a store with a different name in its certificate.
        assertStatus(through, 2);
        assert.match(through.stderr, /is for another host/);
        const named = { ...env, AWS_ENDPOINT_URL_S3: `${scheme}://localhost:${endpoint.port}` };
        const url = `http://localhost:${proxy.port}`;
        const denied = await runCommand(t, [...run, '--proxy', url], { env: named });
        assertStatus(denied, 2);
        assert.match(denied.stderr, /the proxy did not open a tunnel: it answered 407/);
        proxy.user = null;
        assertStatus(await runCommand(t, [...run, '--proxy', url], { env: named }), 0);
      }
      assert.doesNotMatch(through.stdout + through.stderr, /word/);
      assert.deepEqual(await keysIn(endpoint), []);
    });
  }
});
