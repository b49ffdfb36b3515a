import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OF_ENVIRONMENT, formatPublicUrl, publicUrl } from '../../lib/options/values.js';
import { openTarget } from '../../lib/options/store/target.js';

/**
 * @import { OptionValues } from '../../lib/options/read-options.js'
 * @import { UsageError } from '../../lib/options/usage-error.js'
 */

const S3 = { S3_BUCKET: 'bucket-a', S3_HOSTNAME: 'store.test', S3_ACCESS_KEY: 'a-key', S3_SECRET_KEY: 'the-secret' };
const CDN = { hostname: 'cdn.test', port: 443, useTls: true, basePath: '', bucketInPath: false };

/**
 * @param {Record<string, string>} env
 * @param {Partial<OptionValues>} [options]
 */
function open(env, options = {}) {
  return openTarget(/** @type {OptionValues} */ ({ client: 'public', envFile: '.env', ...options }), { ...S3, ...env });
}

/** @param {Promise<unknown>} opened */
async function problemsOf(opened) {
  try {
    await opened;
  } catch (error) {
    return /** @type {UsageError} */ (error).problems;
  }
  return [];
}

test('the public URL is that of PUBLIC_URL, and that of the option goes before it', async () => {
  const ofVariable = await open({ PUBLIC_URL: 'https://cdn.test' });
  assert.deepEqual(ofVariable.store.publicUrl, CDN);
  const ofOption = await open({ PUBLIC_URL: 'https://cdn.test' }, { publicUrl: publicUrl('http://other.test:81/') });
  assert.deepEqual(ofOption.store.publicUrl, { ...CDN, hostname: 'other.test', port: 81, useTls: false });
});

test('without a public URL, the public client shows what to set, next to what else is missing', async () => {
  assert.deepEqual(await problemsOf(open({ S3_HOSTNAME: '', PUBLIC_URL: '' })), [
    '.env: there is no such file',
    'S3_HOSTNAME is not set: expected a host such as ACCOUNT.r2.cloudflarestorage.com, or --endpoint-url',
    'PUBLIC_URL is not set: expected the address of the custom domain, such as https://cdn.example.com, or --public-url',
  ]);
});

test('several buckets take a URL that tells them apart', async () => {
  const buckets = { S3_BUCKET: 'bucket-a,bucket-b' };
  assert.deepEqual(await problemsOf(open({ ...buckets, PUBLIC_URL: 'https://cdn.test' })), [
    '--public-url: expected {bucket} in the URL for 2 buckets, got https://cdn.test',
  ]);
  const { store } = await open({ ...buckets, PUBLIC_URL: 'https://{bucket}.cdn.test' });
  assert.equal(store.publicUrl?.hostname, '{bucket}.cdn.test');
});

test('a proxy that the environment names is a part of what is measured here, too', async () => {
  const env = {
    S3_USE_SSL: '0',
    PUBLIC_URL: 'http://cdn.test',
    http_proxy: 'http://proxy.test:3128',
    no_proxy: 'store.test',
  };
  const [problem, ...others] = await problemsOf(open(env));
  assert.match(problem, /^http_proxy names a proxy, which would be part of the measurement/);
  assert.deepEqual(others, []);
  const { store } = await open(env, { proxy: OF_ENVIRONMENT });
  assert.deepEqual(store.publicUrl?.proxy, { hostname: 'proxy.test', port: 3128 });
  assert.equal(store.proxy, undefined);
});

test('public URLs are written as they are read', () => {
  for (const text of [
    'https://cdn.example.com',
    'http://127.0.0.1:8080',
    'https://{bucket}.example.com',
    'https://pub-{bucket}.r2.dev',
    'https://cdn.example.com/files',
    'https://cdn.example.com/{bucket}',
    'https://cdn.example.com/files/{bucket}',
  ]) {
    assert.equal(formatPublicUrl(publicUrl(text)), text);
    assert.deepEqual(publicUrl(`${text}/`), publicUrl(text));
  }
});

test('what is no public URL is refused without its password', () => {
  for (const text of [
    'cdn.example.com',
    'ftp://cdn.example.com',
    'https://{bucket}.example.com/{bucket}',
    'https://cdn.example.com/{bucket}/files',
    'https://cdn.example.com/?a=b',
    'https://user:the-password@cdn.example.com',
  ]) {
    assert.throws(
      () => publicUrl(text),
      ({ message }) =>
        message.startsWith('expected a URL such as https://cdn.example.com, with {bucket}') &&
        !message.includes('the-password'),
    );
  }
});

test('a later command finds the public URL of the environment, but not one that it repeats', async () => {
  const ofVariable = await open({ PUBLIC_URL: 'https://cdn.example.com' });
  assert.equal(ofVariable.overrides.PUBLIC_URL, 'https://cdn.example.com');
  const given = { publicUrl: ofVariable.store.publicUrl };
  assert.equal((await open({}, given)).overrides.PUBLIC_URL, undefined);
});
