import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readStoreConfig } from '../../lib/options/store/store-config.js';
import { endpointUrl } from '../../lib/options/values.js';
import { folderWith } from '../helpers/command.js';
import { testCertificate } from '../helpers/local-s3.js';

/**
 * @import { TestContext } from 'node:test'
 * @import { UsageError } from '../../lib/options/usage-error.js'
 * @import { AddressOptions } from '../../lib/options/store/store-config.js'
 */

const S3_KEYS = { S3_ACCESS_KEY: 'an-s3-key', S3_SECRET_KEY: 'the-s3-secret' };
const S3 = { S3_BUCKET: 'bucket-a', S3_HOSTNAME: 'store.test', ...S3_KEYS };
const AWS_KEYS = { AWS_ACCESS_KEY_ID: 'an-aws-key', AWS_SECRET_ACCESS_KEY: 'the-aws-secret' };

const NO_FILE = '.env';

/**
 * @param {Record<string, string>} env
 * @param {AddressOptions} [options]
 */
function find(env, options) {
  return readStoreConfig(env, NO_FILE, undefined, options);
}

/**
 * @param {TestContext} t
 * @param {string} config
 */
async function configFile(t, config) {
  return path.join(await folderWith(t, { config }), 'config');
}

/**
 * @param {Record<string, string>} env
 * @param {AddressOptions} [options]
 * @returns {Promise<readonly string[]>}
 */
async function problemsOf(env, options) {
  try {
    await find(env, options);
  } catch (error) {
    return /** @type {UsageError} */ (error).problems;
  }
  return [];
}

test("the AWS CLI's keys and region are enough for an AWS bucket", async () => {
  const { store, notices, warnings, renewal } = await find(
    { ...AWS_KEYS, AWS_SESSION_TOKEN: 'the-token', AWS_REGION: 'eu-west-1' },
    { bucket: ['bucket-a'] },
  );
  assert.deepEqual(
    { ...store, settings: undefined },
    {
      buckets: ['bucket-a'],
      hostname: 's3.eu-west-1.amazonaws.com',
      port: 443,
      useTls: true,
      region: 'eu-west-1',
      credentials: { accessKeyId: 'an-aws-key', secretAccessKey: 'the-aws-secret', sessionToken: 'the-token' },
      settings: undefined,
    },
  );
  assert.deepEqual(notices, [
    'Using credentials of AWS_ACCESS_KEY_ID; endpoint https://s3.eu-west-1.amazonaws.com (AWS default); region eu-west-1 (AWS_REGION)',
  ]);
  assert.deepEqual([warnings, renewal], [[], null]);
});

test('S3_… variables take precedence over AWS settings, and a notice reports it', async () => {
  const env = { ...S3, ...AWS_KEYS, AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL: 'https://other.test' };
  const { store, notices } = await find(env);
  assert.deepEqual([store.hostname, store.region, store.credentials.accessKeyId], ['store.test', 'auto', 'an-s3-key']);
  assert.deepEqual(store.settings, {});
  assert.deepEqual(notices, [
    'Using credentials of S3_ACCESS_KEY, not of AWS_ACCESS_KEY_ID; endpoint https://store.test (S3_HOSTNAME, not AWS_ENDPOINT_URL); region auto (the default)',
  ]);
  assert.deepEqual((await find(S3)).notices, [], 'without a choice, there is no notice');
});

test('each part comes from its own source: the address from an option, credentials from AWS, a bucket from a variable', async () => {
  const { store, notices } = await find(
    { S3_BUCKET: 'bucket-a', S3_HOSTNAME: 'store.test', ...AWS_KEYS },
    { endpointUrl: endpointUrl('http://[::1]:9000/storage/v1/s3/') },
  );
  const { hostname, port, useTls, basePath, region, buckets } = store;
  assert.deepEqual([hostname, port, useTls, basePath], ['::1', 9000, false, '/storage/v1/s3']);
  assert.deepEqual([region, buckets], ['us-east-1', ['bucket-a']]);
  assert.match(
    notices[0],
    /credentials of AWS_ACCESS_KEY_ID; endpoint http:\/\/\[::1\]:9000\/storage\/v1\/s3 \(--endpoint-url\)/,
  );
  assert.equal(store.settings?.hostname, '--endpoint-url');
  const r2 = await find(
    { ...AWS_KEYS, AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL: 'https://a.r2.cloudflarestorage.com' },
    { bucket: ['bucket-a'] },
  );
  assert.equal(r2.store.region, 'auto', 'R2 has no other');
});

test('a later command gets the URL that named the store, and no unread one that may contain a password', async () => {
  const ignored = 'https://me:word@other.test';
  const option = { endpointUrl: endpointUrl('https://store.test') };
  const used = { AWS_ENDPOINT_URL_S3: 'https://store.test', AWS_REGION: 'eu-west-1' };
  const env = { S3_BUCKET: 'bucket-a', ...AWS_KEYS };
  const overridesOf = async (/** @type {Record<string, string>} */ more, /** @type {AddressOptions} */ options = {}) =>
    (await find({ ...env, ...more }, options)).overrides;
  assert.deepEqual(await overridesOf(used), { S3_BUCKET: 'bucket-a', ...used });
  assert.deepEqual(await overridesOf({ ...used, AWS_ENDPOINT_URL: ignored }), { S3_BUCKET: 'bucket-a', ...used });
  const urls = { AWS_ENDPOINT_URL: ignored, AWS_ENDPOINT_URL_S3: ignored };
  assert.deepEqual(await overridesOf({ ...urls, S3_HOSTNAME: 'me:word@other.test' }, option), {
    S3_BUCKET: 'bucket-a',
  });
  assert.deepEqual(await overridesOf({ ...urls, S3_HOSTNAME: 'store.test' }), {
    S3_BUCKET: 'bucket-a',
    S3_HOSTNAME: 'store.test',
  });
  assert.deepEqual(await overridesOf({ ...urls, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' }), {
    S3_BUCKET: 'bucket-a',
    AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true',
  });
});

test('does not send S3 keys to AWS if no address is named', async () => {
  assert.match((await problemsOf({ S3_BUCKET: 'bucket-a', ...S3_KEYS })).join('\n'), /^S3_HOSTNAME is not set/m);
});

test('does not repeat a command whose failure contains a secret', async (t) => {
  const config = '[default]\ncredential_process = sh -c "echo the-secret-word >&2; exit 3" the-secret-argument\n';
  const env = { AWS_CONFIG_FILE: await configFile(t, config) };
  assert.deepEqual(await problemsOf(env, { bucket: ['bucket-a'] }), [
    'no credentials: the credential_process command failed: run it in a shell to see why',
  ]);
});

test('rejects credentials of a profile that are invalid in a header, without showing them', async (t) => {
  const text = JSON.stringify({ Version: 1, AccessKeyId: 'id', SecretAccessKey: 'word', SessionToken: 'a\r\nword: x' });
  const folder = await folderWith(t, { answer: text });
  const config = path.join(folder, 'config');
  writeFileSync(config, `[default]\ncredential_process = cat "${path.join(folder, 'answer')}"\n`);
  assert.deepEqual(await problemsOf({ AWS_CONFIG_FILE: config }, { bucket: ['bucket-a'] }), [
    'no credentials: the keys from the profile "default" contain spaces or unprintable characters',
  ]);
});

test('rejects an expiration of a profile that is not a date', async (t) => {
  const text = JSON.stringify({ Version: 1, AccessKeyId: 'id', SecretAccessKey: 'word', Expiration: 'soon' });
  const folder = await folderWith(t, { answer: text });
  const config = path.join(folder, 'config');
  writeFileSync(config, `[default]\ncredential_process = cat "${path.join(folder, 'answer')}"\n`);
  assert.deepEqual(await problemsOf({ AWS_CONFIG_FILE: config }, { bucket: ['bucket-a'] }), [
    'no credentials: expected the expiration of the credentials to be a valid date',
  ]);
});

test('renews expiring credentials with the command that provided them', async (t) => {
  const folder = await folderWith(t, {});
  const config = path.join(folder, 'config');
  writeFileSync(config, `[default]\ncredential_process = cat "${path.join(folder, 'now')}"\n`);
  writeFileSync(path.join(folder, 'now'), answerOf('first', 3600));
  const { store, renewal } = await find({ AWS_CONFIG_FILE: config }, { bucket: ['bucket-a'] });
  assert.equal(store.credentials.accessKeyId, 'first');
  assert.ok(renewal !== null);
  assert.equal(renewal.credentials.current, store.credentials);
  t.mock.timers.enable({ apis: ['setInterval'] });
  const replaced = new Promise((resolve) => renewal.credentials.onReplaced(resolve));
  writeFileSync(path.join(folder, 'now'), answerOf('second', 7200));
  // An hour passes instantly.
  const inAnHour = Date.now() + 3_600_000;
  renewal.start({ epochNow: () => inAnHour, notice: assert.fail });
  t.mock.timers.tick(10_000);
  await replaced;
  renewal.stop();
  assert.equal(renewal.credentials.current.accessKeyId, 'second');
});

/**
 * @param {string} id
 * @param {number} seconds
 */
function answerOf(id, seconds) {
  const Expiration = new Date(Date.now() + seconds * 1000).toISOString();
  return JSON.stringify({
    Version: 1,
    AccessKeyId: id,
    SecretAccessKey: 'a-secret',
    SessionToken: 'a-token',
    Expiration,
  });
}

test('only the authorities of AWS_CA_BUNDLE are trusted, unless S3_HOSTNAME names the store', async (t) => {
  const { cert } = await testCertificate();
  const folder = await folderWith(t, { 'ca.pem': cert, 'no.pem': 'no certificate' });
  const env = { ...AWS_KEYS, AWS_CA_BUNDLE: path.join(folder, 'ca.pem') };
  const options = { bucket: ['bucket-a'], endpointUrl: endpointUrl('https://store.test') };
  const { store, notices } = await find(env, options);
  assert.equal(store.certificate, cert);
  assert.match(notices[0], /; certificate authorities of AWS_CA_BUNDLE$/);
  assert.equal((await find({ ...S3, ...env })).store.certificate, undefined);
  for (const file of ['no.pem', 'absent.pem', '.']) {
    assert.match(
      (await problemsOf({ ...env, AWS_CA_BUNDLE: path.join(folder, file) }, options))[0],
      /^AWS_CA_BUNDLE: expected a PEM file of certificates: /,
    );
  }
});

test('virtual addressing requires a single bucket that is a valid label, and a host name', async () => {
  const virtual = /** @type {const} */ ({ addressing: 'virtual' });
  assert.equal((await find(S3, virtual)).store.addressing, 'virtual');
  assert.equal((await find(S3)).store.addressing, undefined);
  assert.equal((await find(S3, { addressing: 'path' })).store.addressing, undefined);
  const problems = await problemsOf({ ...S3, S3_BUCKET: 'bucket.a,Bucket', S3_HOSTNAME: '127.0.0.1' }, virtual);
  assert.deepEqual(problems, [
    '--addressing: virtual needs a separate connection for each bucket, but a thread has only one connection: expected one bucket, or path',
    '--addressing: virtual requires a host name, got 127.0.0.1: expected path',
    '--addressing: virtual requires a bucket name of a-z 0-9 and -, got "bucket.a": expected path',
    '--addressing: virtual requires a bucket name of a-z 0-9 and -, got "Bucket": expected path',
  ]);
});

test('rejects a proxy from the environment with a hint, and uses or ignores it on request', async () => {
  const env = { ...S3, HTTPS_PROXY: 'http://me:word@proxy.test:3128' };
  const [problem, ...others] = await problemsOf(env);
  assert.match(problem, /^HTTPS_PROXY names a proxy, .* --proxy env .* --proxy none /);
  assert.deepEqual(others, []);
  assert.equal((await find(env, { proxy: 'none' })).store.proxy, undefined);
  const { store, notices } = await find(env, { proxy: 'env' });
  const authorization = `Basic ${Buffer.from('me:word').toString('base64')}`;
  assert.deepEqual(store.proxy, { hostname: 'proxy.test', port: 3128, authorization });
  assert.deepEqual(notices, [
    'All connections use the proxy proxy.test:3128 of HTTPS_PROXY, which is part of the measurement',
  ]);
  assert.equal((await find({ ...env, NO_PROXY: 'other.test,.test' })).store.proxy, undefined);
  assert.deepEqual(await problemsOf(S3, { proxy: 'env' }), ['--proxy: expected HTTPS_PROXY or ALL_PROXY to be set']);
  assert.match(
    (await problemsOf({ ...S3, ALL_PROXY: 'socks5://me:word@proxy.test' }, { proxy: 'env' }))[0],
    /^ALL_PROXY: expected a proxy such as http:\/\/[^"]*"…@proxy.test"$/,
  );
});

test('a URL that is refused is shown without its user, password and query', () => {
  for (const [given, shown] of [
    ['http://h/?x=A-SECRET', 'http://h/?…'],
    ['http://h/#A-SECRET', 'http://h/?…'],
    ['http://user:A-SECRET@h/path', '…@h/path'],
    ['http://user:A-?SECRET@h/', '…'],
    ['http://h/?x=A@SECRET', '…'],
  ]) {
    assert.throws(
      () => endpointUrl(given),
      ({ message }) => message.endsWith(`got "${shown}"`),
    );
  }
});
