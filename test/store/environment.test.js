import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { endpointUrl } from '../../lib/options/values.js';
import { readStoreConfig } from '../../lib/store/store-config.js';

/**
 * @import { UsageError } from '../../lib/options/usage-error.js'
 */

const REQUIRED = {
  S3_BUCKET: 'bucket-a',
  S3_HOSTNAME: 'account.r2.cloudflarestorage.com',
  S3_ACCESS_KEY: 'an-access-key',
  S3_SECRET_KEY: 'the-secret-key',
};

// The user who runs the tests may have a `.env`.
const emptyFolder = mkdtempSync(path.join(tmpdir(), 'r2-benchmark-'));
process.chdir(emptyFolder);
after(() => rmSync(emptyFolder, { recursive: true }));

/**
 * @param {Record<string, string>} env
 * @returns {Promise<readonly string[]>} the problems
 */
async function problemsOf(env) {
  try {
    await readStoreConfig(env, '.env');
  } catch (error) {
    return /** @type {UsageError} */ (error).problems;
  }
  return [];
}

test('the defaults suit R2: TLS on port 443, region auto', async () => {
  const { store, warnings } = await readStoreConfig(REQUIRED, '.env');
  assert.deepEqual(store, {
    buckets: ['bucket-a'],
    hostname: 'account.r2.cloudflarestorage.com',
    region: 'auto',
    useTls: true,
    port: 443,
    credentials: { accessKeyId: 'an-access-key', secretAccessKey: 'the-secret-key' },
  });
  assert.deepEqual(warnings, []);
});

test('signs for the region in the name of an AWS host if none is set, and for auto with any other store', async () => {
  for (const [hostname, region] of [
    ['s3.eu-west-1.amazonaws.com', 'eu-west-1'],
    ['s3.amazonaws.com', 'us-east-1'],
    ['store.test', 'auto'],
  ]) {
    const { store } = await readStoreConfig({ ...REQUIRED, S3_HOSTNAME: hostname }, '.env');
    assert.equal(store.region, region);
  }
  const set = { ...REQUIRED, S3_HOSTNAME: 's3.eu-west-1.amazonaws.com', S3_REGION: 'us-west-2' };
  assert.equal((await readStoreConfig(set, '.env')).store.region, 'us-west-2');
});

test('S3_USE_SSL is on if empty, and off only if it says so', async () => {
  for (const [given, useTls] of /** @type {[string, boolean][]} */ ([
    ...['', ' ', '1', 'true', 'TRUE', 'yes', 'on'].map((text) => [text, true]),
    ...['0', 'false', 'False', 'no', 'off', ' off '].map((text) => [text, false]),
  ])) {
    const { store } = await readStoreConfig({ ...REQUIRED, S3_USE_SSL: given }, '.env');
    assert.deepEqual([given, store.useTls, store.port], [given, useTls, useTls ? 443 : 80]);
  }
});

/** What one of the clients would not accept, or what is not meant, by variable. */
const REFUSED = {
  S3_BUCKET: [',', 'ab', 'a/b', 'bucket a', 'x'.repeat(64), 'bucket-a,../b'],
  S3_HOSTNAME: [
    ...['https://user@example.com', 'example.com/a b', 'example.com:99999', 'https://', 'ftp://a', '1.2.3.999', 'a b'],
    ...['.example.com', 'example.com.', '[::1]', 'fe80::1%eth0', 'user@example.com', 'https://example.com/?a=b'],
  ],
  S3_PORT: ['0', '65536', '-1', '9e3', 'https'],
  S3_USE_SSL: ['2', 'nope', '00', '0 1', 'null', '-1'],
  S3_REGION: ['eu west', 'auto/x', '-', '-a', 'a-', 'a.b', 'a_b', 'x'.repeat(64)],
  S3_ACCESS_KEY: ['an access key', 'schlüssel'],
  S3_SECRET_KEY: ['a secret key', 'schlüssel'],
  S3_SESSION_TOKEN: ['a token'],
};

test('refuses each wrong value of a variable by its name, without showing a secret', async () => {
  for (const [name, values] of Object.entries(REFUSED)) {
    for (const value of values) {
      const problems = await problemsOf({ ...REQUIRED, [name]: value });
      assert.equal(problems.length, 1, value);
      assert.match(problems[0], new RegExp(`^${name}: expected `));
      assert.ok(!/KEY|TOKEN/.test(name) || !problems[0].includes(value), 'a secret is not shown');
    }
  }
});

test('a file without an end is refused by name', async () => {
  await assert.rejects(readStoreConfig({}, '/dev/zero'), /^UsageError: \/dev\/zero: it is longer than 1 MiB/);
});

test('never shows the password of a URL', async () => {
  const url = 'https://me:secret-word@example.com:9000/bucket';
  for (const [name, value, problem] of [
    [
      'S3_HOSTNAME',
      url,
      'expected a URL such as https://s3.example.com or https://example.com/storage/v1/s3, got "…@example.com:9000/bucket"',
    ],
    [
      'S3_BUCKET',
      'https://me:secret,word@example.com/bucket,bucket-b',
      'expected comma-separated bucket names of 3 to 63 characters from A-Z a-z 0-9 . _ -, got "…@example.com/bucket,bucket-b"',
    ],
    ['S3_REGION', url, 'expected a region such as auto, got "…@example.com:9000/bucket"'],
  ]) {
    assert.deepEqual(await problemsOf({ ...REQUIRED, [name]: value }), [`${name}: ${problem}`]);
  }
});

test('S3_HOSTNAME takes a host, a port and a URL, which override S3_PORT and S3_USE_SSL', async () => {
  for (const [given, expected] of /** @type {[string, object][]} */ ([
    ['example.com', { hostname: 'example.com', port: 81, useTls: true }],
    ['example.com:9000', { hostname: 'example.com', port: 9000, useTls: true }],
    ['example.com/', { hostname: 'example.com', port: 81, useTls: true }],
    ['https://example.com', { hostname: 'example.com', port: 81, useTls: true }],
    ['HTTPS://example.com:443/', { hostname: 'example.com', port: 443, useTls: true }],
    ['http://example.com:9000', { hostname: 'example.com', port: 9000, useTls: false }],
    ['http://[::1]:9000/', { hostname: '::1', port: 9000, useTls: false }],
    ['::1', { hostname: '::1', port: 81, useTls: true }],
    [
      'https://example.com/storage/v1/s3',
      { hostname: 'example.com', port: 81, useTls: true, basePath: '/storage/v1/s3' },
    ],
  ])) {
    const { store, notices } = await readStoreConfig({ ...REQUIRED, S3_PORT: '81', S3_HOSTNAME: given }, '.env');
    const { hostname, port, useTls, basePath } = store;
    assert.deepEqual({ hostname, port, useTls, ...(basePath === undefined ? {} : { basePath }) }, expected, given);
    assert.deepEqual(notices, []);
  }
  const { store } = await readStoreConfig({ ...REQUIRED, S3_HOSTNAME: 'http://example.com' }, '.env');
  assert.deepEqual([store.port, store.useTls], [80, false]);
});

test('a path that is the bucket is taken off the address with one notice, wherever the address comes from', async () => {
  const { S3_BUCKET, S3_HOSTNAME, ...keys } = REQUIRED;
  const url = 'https://account.r2.cloudflarestorage.com';
  for (const [suffix, basePath] of /** @type {[string, string | undefined][]} */ ([
    ['/bench', undefined],
    ['/bench/', undefined],
    ['/other', '/other'],
    ['/bench/bench', '/bench/bench'],
    ['/benc', '/benc'],
  ])) {
    const given = endpointUrl(url + suffix);
    for (const { store, notices } of [
      await readStoreConfig({ ...keys, S3_BUCKET: 'bench,more', S3_HOSTNAME: url + suffix }, '.env'),
      await readStoreConfig({ ...keys, S3_BUCKET: 'bench' }, '.env', undefined, { endpointUrl: given }),
      await readStoreConfig({ ...keys, AWS_ENDPOINT_URL_S3: url + suffix }, '.env', undefined, { bucket: ['bench'] }),
    ]) {
      assert.equal(store.basePath, basePath, suffix);
      const about = notices.filter((notice) => notice.startsWith('The path /bench of the endpoint is the bucket'));
      assert.equal(about.length, basePath === undefined ? 1 : 0);
    }
  }
});
