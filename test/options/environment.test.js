import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { endpointUrl } from '../../lib/options/values.js';
import { readStoreConfig } from '../../lib/options/store/store-config.js';
import { folderWith } from '../helpers/command.js';

/**
 * @import { TestContext } from 'node:test'
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
    settings: {},
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

/**
 * @param {TestContext} t
 * @param {string | Buffer} content of the file
 * @param {Record<string, string>} [env]
 */
async function findIn(t, content, env = {}) {
  const file = path.join(await folderWith(t, { 'a.env': content }), 'a.env');
  const outcome = await readStoreConfig(env, file).catch((/** @type {UsageError} */ error) => ({
    problems: error.problems,
  }));
  const lines = 'problems' in outcome ? outcome.problems : outcome.warnings;
  return { ...outcome, lines: lines.map((line) => line.replace(file, 'a.env')) };
}

const USUAL = Object.entries(REQUIRED).map(([name, value]) => `${name}=${value}`);

test('a file in UTF-16 is read, with a byte order mark and without', async (t) => {
  for (const mark of ['\uFEFF', '']) {
    const little = Buffer.from(mark + USUAL.join('\r\n'), 'utf16le');
    for (const content of [little, Buffer.from(little).swap16()]) {
      assert.deepEqual((await findIn(t, content)).lines, []);
    }
  }
});

test('Row 22: the first line that is not NAME=value is named, before the variables that it fails to set', async (t) => {
  for (const [line, shown] of [
    ['set S3_BUCKET=bucket-a', ', got "set S3_BUCKET…"'],
    ['setx S3_BUCKET bucket-a', ', got "setx S3_BUCKET…"'],
    ["$env:S3_BUCKET='bucket-a'", ', got "$env:S3_BUCKET…"'],
    ['\u200BS3_BUCKET=bucket-a', ', got "\\u{200b}S3_BUCKET…"'],
    ['S3_BUCKET\u00A0bucket-a', ', got "S3_BUCKET…"'],
    ['const S3_BUCKET=bucket-a', ', got "const S3_BUCKET…"'],
    ['the secret key=', ''],
  ]) {
    const { lines } = await findIn(t, ['# a comment', '', line, ...USUAL.slice(1)].join('\n'));
    assert.equal(lines[0], `a.env:3: expected NAME=value${shown}`);
    assert.match(lines[1], /^S3_BUCKET is not set: expected /);
  }
  await assert.rejects(readStoreConfig({}, '.env'), { hint: /\.env\.example.*--local$/ });
});

test('no line of a file that is read is strange', async (t) => {
  const content = [
    'KEY="-----BEGIN',
    'it is \\\\"this',
    'END-----"',
    'a.b-c: yaml',
    ' export X = 1',
    '',
    "Y='",
    "'",
    ...USUAL,
  ];
  assert.deepEqual((await findIn(t, content.join('\n'))).lines, []);
  const { lines } = await findIn(t, ['set X=1', 'set Y=2', ...USUAL].join('\n'));
  assert.deepEqual(lines, ['a.env:1: expected NAME=value (and 1 more like it)'], 'a warning where nothing is missing');
});

test('an unknown variable is named with the nearest known one', async (t) => {
  for (const [name, nearest] of [
    ['S3_BUCKETS', 'S3_BUCKET'],
    ['S3_HOST', 'S3_HOSTNAME'],
    ['S3_SECRET', 'S3_SECRET_KEY'],
    ['S3_ACCESSKEY', 'S3_ACCESS_KEY'],
    ['S3_SSL', 'S3_USE_SSL'],
  ]) {
    const message = `${name} is not a variable of this tool; did you mean ${nearest}?`;
    assert.deepEqual((await findIn(t, [`${name}=1`, ...USUAL].join('\n'))).lines, [message]);
  }
  const { lines } = await findIn(t, USUAL.slice(1).join('\n'), { S3_BUKET: 'bucket-a' });
  assert.equal(lines[0], 'S3_BUKET is not a variable of this tool; did you mean S3_BUCKET?');
});

test('quotes that docker --env-file has kept are named, and no value is shown', async () => {
  for (const name of ['S3_BUCKET', 'S3_HOSTNAME', 'S3_ACCESS_KEY', 'S3_SECRET_KEY', 'S3_SESSION_TOKEN', 'S3_PORT']) {
    for (const mark of ['"', "'"]) {
      const problems = await problemsOf({ ...REQUIRED, [name]: `${mark}value${mark}` });
      assert.deepEqual(problems, [
        `${name}: expected a value without quotes around it, which docker --env-file does not remove`,
      ]);
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
    [
      'S3_HOSTNAME',
      'minio_1',
      'expected a host name such as s3.example.com, got "minio_1": a host name has no underscore, so use its address or another name',
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
