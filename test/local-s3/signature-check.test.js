import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { SignatureV4 } from '@smithy/signature-v4';
import { NodeSha256 } from '../../lib/local-s3/node-sha256.js';
import { MAX_SKEW_MS, SignatureCheck } from '../../lib/local-s3/signature-check.js';
import { sdkClient, startTestEndpoint } from '../helpers/local-s3.js';

/** @import { SignedRequest } from '../../lib/local-s3/signature-check.js' */

const NOW = Date.UTC(2026, 2, 1, 12, 0, 0);
const BODY = Buffer.from('the body');
const credentials = { accessKeyId: 'AKID', secretAccessKey: 'a secret' };
const UNSIGNED = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };

/** @param {Partial<ConstructorParameters<typeof SignatureCheck>[0]>} [overrides] */
function makeCheck(overrides = {}) {
  return new SignatureCheck({ credentials: [credentials], region: 'auto', now: () => NOW, ...overrides });
}

/**
 * @param {object} [choice]
 * @param {Record<string, string>} [choice.headers]
 * @param {string} [choice.path]
 * @param {Record<string, string>} [choice.query]
 * @param {string} [choice.region]
 * @param {string} [choice.service]
 * @param {number} [choice.time]
 * @param {{ accessKeyId: string, secretAccessKey: string, sessionToken?: string }} [choice.identity]
 * @returns {Promise<SignedRequest>}
 */
async function signedRequest({
  headers = UNSIGNED,
  path = '/bucket/key',
  query = {},
  region = 'auto',
  service = 's3',
  time = NOW,
  identity = credentials,
} = {}) {
  const signer = new SignatureV4({
    credentials: identity,
    region,
    service,
    sha256: NodeSha256,
    uriEscapePath: false,
    applyChecksum: false,
  });
  const request = await signer.sign(
    { method: 'PUT', protocol: 'http:', hostname: 'h', path, query, headers: { host: 'h', ...headers } },
    { signingDate: new Date(time) },
  );
  return { method: 'PUT', path, query, headers: request.headers };
}

/**
 * @param {SignedRequest} request
 * @param {string} code
 * @param {SignatureCheck} [check]
 */
async function assertRefused(request, code, check = makeCheck()) {
  await assert.rejects(check.check(request, BODY), { name: 'S3Error', code });
}

test('accepts a signed request with an unsigned or hashed payload', async () => {
  await makeCheck().check(await signedRequest(), BODY);
  const hashed = { 'x-amz-content-sha256': hash('sha256', BODY) };
  await makeCheck().check(await signedRequest({ headers: hashed }), BODY);
  const empty = { 'x-amz-content-sha256': hash('sha256', '') };
  await makeCheck().check(await signedRequest({ headers: empty }), Buffer.alloc(0));
});

test('the signature covers a query and a path that need encoding', async () => {
  const request = await signedRequest({ path: '/bucket/a%20b%2Bc/%C3%A9', query: { 'x-id': 'a b/+é', delete: '' } });
  await makeCheck().check(request, BODY);
  await assertRefused({ ...request, query: { ...request.query, 'x-id': 'a b' } }, 'SignatureDoesNotMatch');
});

test('rejects a path signed in a non-canonical encoding', async () => {
  await assertRefused(await signedRequest({ path: '/bucket/a%2bc' }), 'SignatureDoesNotMatch');
  await assertRefused(await signedRequest({ path: "/bucket/it's" }), 'SignatureDoesNotMatch');
});

test('anything changed after signing is SignatureDoesNotMatch', async () => {
  const request = await signedRequest({ headers: { ...UNSIGNED, 'content-type': 'text/plain' } });
  await makeCheck().check(request, BODY);
  const changes = [
    { method: 'DELETE' },
    { path: '/bucket/other' },
    { query: { delete: '' } },
    { headers: { ...request.headers, host: 'other' } },
    { headers: { ...request.headers, 'content-type': 'text/html' } },
    { headers: { ...request.headers, 'content-type': undefined } },
    { headers: { ...request.headers, 'x-amz-date': '20260301T120001Z' } },
    { headers: { ...request.headers, authorization: request.headers.authorization?.replace(/.$/, flipDigit) } },
  ];
  for (const change of changes) {
    await assertRefused({ ...request, ...change }, 'SignatureDoesNotMatch');
  }
});

test('headers that the signer skips by default count if the client signed them', async () => {
  const request = await signedRequest();
  const signer = new SignatureV4({
    credentials,
    region: 'auto',
    service: 's3',
    sha256: NodeSha256,
    uriEscapePath: false,
  });
  const headers = { host: 'h', ...UNSIGNED, 'user-agent': 'tool/1' };
  const signed = await signer.sign(
    { method: 'PUT', protocol: 'http:', hostname: 'h', path: request.path, headers },
    { signingDate: new Date(NOW), signableHeaders: new Set(['user-agent']) },
  );
  assert.match(signed.headers.authorization, /SignedHeaders=[^,]*user-agent/);
  await makeCheck().check({ ...request, headers: signed.headers }, BODY);
  const changed = { ...signed.headers, 'user-agent': 'tool/2' };
  await assertRefused({ ...request, headers: changed }, 'SignatureDoesNotMatch');
});

test('distinguishes a wrong secret, a wrong key, a missing and a malformed signature', async () => {
  const wrongSecret = { ...credentials, secretAccessKey: 'another' };
  await assertRefused(await signedRequest({ identity: wrongSecret }), 'SignatureDoesNotMatch');
  const wrongKey = { ...credentials, accessKeyId: 'OTHER' };
  await assertRefused(await signedRequest({ identity: wrongKey }), 'InvalidAccessKeyId');
  const request = await signedRequest();
  await assertRefused({ ...request, headers: { ...request.headers, authorization: undefined } }, 'AccessDenied');
  const strange = { ...request.headers, authorization: 'Basic dXNlcjpwYXNz' };
  await assertRefused({ ...request, headers: strange }, 'AuthorizationHeaderMalformed');
});

test('rejects a scope of another region or service', async () => {
  await assertRefused(await signedRequest({ region: 'eu-west-1' }), 'AuthorizationHeaderMalformed');
  await assertRefused(await signedRequest({ service: 'ec2' }), 'AuthorizationHeaderMalformed');
});

test('a clock may be off by up to 15 minutes', async () => {
  for (const sign of [-1, 1]) {
    await makeCheck().check(await signedRequest({ time: NOW + sign * MAX_SKEW_MS }), BODY);
    await assertRefused(await signedRequest({ time: NOW + sign * (MAX_SKEW_MS + 1000) }), 'RequestTimeTooSkewed');
  }
});

test('the date of the scope must be that of the request', async () => {
  const request = await signedRequest();
  const authorization = request.headers.authorization?.replace('/20260301/', '/20260302/');
  await assertRefused({ ...request, headers: { ...request.headers, authorization } }, 'AuthorizationHeaderMalformed');
});

test("S3's own headers must be signed", async () => {
  const request = await signedRequest();
  const headers = { ...request.headers, 'x-amz-acl': 'public-read' };
  await assertRefused({ ...request, headers }, 'AccessDenied');
});

test('rejects a body that does not match the signed hash, and a streaming signature', async () => {
  const other = { 'x-amz-content-sha256': hash('sha256', 'another body') };
  await assertRefused(await signedRequest({ headers: other }), 'XAmzContentSHA256Mismatch');
  const streaming = { 'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD' };
  await assertRefused(await signedRequest({ headers: streaming }), 'NotImplemented');
  const request = await signedRequest();
  await assertRefused(
    { ...request, headers: { ...request.headers, 'x-amz-content-sha256': undefined } },
    'InvalidRequest',
  );
});

test('a session token must be present and signed if the credentials have one', async () => {
  const temporary = { ...credentials, sessionToken: 'the token' };
  const check = makeCheck({ credentials: [temporary] });
  await check.check(await signedRequest({ identity: temporary }), BODY);
  await assertRefused(await signedRequest(), 'SignatureDoesNotMatch', check);
  const wrong = { ...temporary, sessionToken: 'another token' };
  await assertRefused(await signedRequest({ identity: wrong }), 'SignatureDoesNotMatch', check);
});

test('derives the signing key once per day, not per request', async () => {
  let made = 0;
  class CountingSha256 extends NodeSha256 {
    /** @param {string | ArrayBuffer | ArrayBufferView} [secret] */
    constructor(secret) {
      super(secret);
      made++;
    }
  }
  const fresh = { ...credentials, secretAccessKey: 'one that no other test has had derived' };
  const check = makeCheck({ credentials: [fresh], sha256: CountingSha256 });
  const request = await signedRequest({ identity: fresh, time: NOW });
  await check.check(request, BODY);
  made = 0;
  await check.check(request, BODY);
  // The name under which the key is cached, the canonical request, and the signature; a derivation takes four more.
  assert.equal(made, 3);
});

test('the SDK gets an explanation for a wrong secret, key, region or clock', async (t) => {
  const endpoint = await startTestEndpoint(t);
  const { accessKeyId, secretAccessKey } = endpoint.credentials;
  const cases = [
    { name: 'SignatureDoesNotMatch', config: { credentials: { accessKeyId, secretAccessKey: 'wrong' } } },
    { name: 'InvalidAccessKeyId', config: { credentials: { accessKeyId: 'wrong', secretAccessKey } } },
    { name: 'AuthorizationHeaderMalformed', config: { region: 'eu-west-1' } },
    { name: 'RequestTimeTooSkewed', config: { systemClockOffset: 16 * 60 * 1000 } },
  ];
  for (const { name, config } of cases) {
    const client = sdkClient(t, endpoint, config);
    const put = new PutObjectCommand({ Bucket: 'bucket-a', Key: 'k', Body: 'x' });
    await assert.rejects(client.send(put), { name });
  }
  assert.deepEqual(await endpoint.list('bucket-a'), []);
  assert.deepEqual((await endpoint.report()).statuses, { 400: 1, 403: 3 });
});

test('the SDK can use a session token', async (t) => {
  const temporary = { ...credentials, sessionToken: 'token' };
  const endpoint = await startTestEndpoint(t, { credentials: temporary });
  await endpoint.put('bucket-a', 'k', Buffer.from('secret thing'));
  const get = await sdkClient(t, endpoint).send(new GetObjectCommand({ Bucket: 'bucket-a', Key: 'k' }));
  assert.equal(await get.Body?.transformToString(), 'secret thing');
});

/** @param {string} digit */
function flipDigit(digit) {
  return digit === '0' ? '1' : '0';
}

test("each of several credentials is accepted until it expires, and not with another's key", async () => {
  const first = { accessKeyId: 'ONE', secretAccessKey: 'a secret', sessionToken: 'a-token' };
  const second = { accessKeyId: 'TWO', secretAccessKey: 'another secret', sessionToken: 'another-token' };
  let now = NOW;
  const check = makeCheck({ credentials: [{ ...first, expiresAt: NOW + 1 }, second], now: () => now });
  const body = Buffer.alloc(0);
  for (const identity of [first, second]) {
    await check.check(await signedRequest({ identity }), body);
  }
  const swapped = await signedRequest({ identity: { ...second, secretAccessKey: first.secretAccessKey } });
  await assert.rejects(check.check(swapped, body), { code: 'SignatureDoesNotMatch' });
  now = NOW + 1;
  await assert.rejects(check.check(await signedRequest({ identity: first }), body), { code: 'ExpiredToken' });
  await check.check(await signedRequest({ identity: second }), body);
});
