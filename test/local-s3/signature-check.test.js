import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import { MAX_SKEW_MS, SignatureCheck } from '../../lib/local-s3/signature-check.js';
import { LiveCredentials } from '../../lib/store/live-credentials.js';
import { RequestSigner } from '../../lib/store/sigv4.js';

/** @import { SignedRequest } from '../../lib/local-s3/signature-check.js' */

const NOW = Date.UTC(2026, 2, 1, 12, 0, 0);
const BODY = Buffer.from('the body');
const CREDENTIALS = { accessKeyId: 'AKID', secretAccessKey: 'a secret' };
const TEMPORARY = { accessKeyId: 'TEMP', secretAccessKey: 'another secret', sessionToken: 'a-token' };
const UNSIGNED = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };

const OTHER_DAY = `AWS4-HMAC-SHA256 Credential=AKID/20260302/auto/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=${'0'.repeat(64)}`;

/** @param {Partial<ConstructorParameters<typeof SignatureCheck>[0]>} [overrides] */
function makeCheck(overrides = {}) {
  const credentials = [CREDENTIALS, { ...TEMPORARY, expiresAt: NOW + 1 }];
  return new SignatureCheck({ credentials, region: 'auto', now: () => NOW, ...overrides });
}

/**
 * @param {object} [choice]
 * @param {Record<string, string>} [choice.headers]
 * @param {string} [choice.path]
 * @param {Record<string, string>} [choice.query]
 * @param {string} [choice.region]
 * @param {number} [choice.time]
 * @param {{ accessKeyId: string, secretAccessKey: string, sessionToken?: string }} [choice.identity]
 * @param {string[]} [choice.alsoSigned] headers that the signer skips by default
 * @returns {Promise<SignedRequest>}
 */
async function signedRequest(choice = {}) {
  const { headers = UNSIGNED, path = '/bucket/key', query = {}, region = 'auto', time = NOW, alsoSigned = [] } = choice;
  const signer = new SignatureV4({
    ...{ credentials: choice.identity ?? CREDENTIALS, region, service: 's3', sha256: Hash.bind(null, 'sha256') },
    ...{ uriEscapePath: false, applyChecksum: false },
  });
  const request = await signer.sign(
    { method: 'PUT', protocol: 'http:', hostname: 'h', path, query, headers: { host: 'h', ...headers } },
    { signingDate: new Date(time), signableHeaders: new Set(alsoSigned) },
  );
  return { method: 'PUT', path, query, headers: request.headers };
}

for (const [what, choice, body] of /** @type {[string, Parameters<typeof signedRequest>[0], Buffer][]} */ ([
  ['an unsigned payload', {}, BODY],
  ['a hashed payload', { headers: { 'x-amz-content-sha256': hash('sha256', BODY) } }, BODY],
  ['an empty payload', { headers: { 'x-amz-content-sha256': hash('sha256', '') } }, Buffer.alloc(0)],
  ['encoding', { path: '/bucket/a%20b%2Bc/%C3%A9', query: { 'x-id': 'a b/+é', delete: '' } }, BODY],
  ['a session token', { identity: TEMPORARY }, BODY],
  ['a clock that is 15 minutes behind', { time: NOW - MAX_SKEW_MS }, BODY],
  ['a clock that is 15 minutes ahead', { time: NOW + MAX_SKEW_MS }, BODY],
])) {
  test(`accepts a signed request with ${what}`, async () => makeCheck().check(await signedRequest(choice), body));
}

test('anything changed after signing is SignatureDoesNotMatch', async () => {
  const request = await signedRequest({
    headers: { ...UNSIGNED, 'content-type': 'text/plain', 'user-agent': 'tool/1' },
    query: { 'x-id': 'a b' },
    alsoSigned: ['user-agent'],
  });
  await makeCheck().check(request, BODY);
  const { authorization = '' } = request.headers;
  assert.match(authorization, /SignedHeaders=[^,]*user-agent/);
  for (const change of [
    { method: 'DELETE' },
    { path: '/bucket/other' },
    { query: { delete: '' } },
    ...[
      { host: 'other' },
      { 'content-type': undefined },
      { 'user-agent': 'tool/2' },
      { 'x-amz-date': '20260301T120001Z' },
      { authorization: authorization.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')) },
    ].map((headers) => ({ headers: { ...request.headers, ...headers } })),
  ]) {
    const changed = makeCheck().check({ ...request, ...change }, BODY);
    await assert.rejects(changed, { code: 'SignatureDoesNotMatch' }, JSON.stringify(change));
  }
});

for (const [code, choice, headers] of /** @type {[string, Parameters<typeof signedRequest>[0], object][]} */ ([
  ['SignatureDoesNotMatch', { identity: { ...CREDENTIALS, secretAccessKey: 'other' } }, {}],
  ['SignatureDoesNotMatch', { identity: { ...TEMPORARY, sessionToken: 'another' } }, {}],
  ['SignatureDoesNotMatch', { path: '/bucket/a%2bc' }, {}],
  ['InvalidAccessKeyId', { identity: { ...CREDENTIALS, accessKeyId: 'OTHER' } }, {}],
  ['AuthorizationHeaderMalformed', { region: 'eu-west-1' }, {}],
  ['SignatureDoesNotMatch', {}, { authorization: OTHER_DAY }],
  ['RequestTimeTooSkewed', {}, { 'x-amz-date': undefined }],
  ['AccessDenied', {}, { authorization: undefined }],
  ['InvalidRequest', {}, { 'x-amz-content-sha256': undefined }],
  ['RequestTimeTooSkewed', { time: NOW - MAX_SKEW_MS - 1000 }, {}],
  ['XAmzContentSHA256Mismatch', { headers: { 'x-amz-content-sha256': hash('sha256', 'another body') } }, {}],
])) {
  test(`refuses ${JSON.stringify({ ...choice, ...headers })} as ${code}`, async () => {
    const request = await signedRequest(choice);
    const changed = { ...request, headers: { ...request.headers, ...headers } };
    await assert.rejects(makeCheck().check(changed, BODY), { name: 'S3Error', code });
  });
}

test('accepts a presigned URL, and refuses one that was changed', async () => {
  for (const identity of [CREDENTIALS, TEMPORARY]) {
    const signer = new RequestSigner({
      ...{ credentials: new LiveCredentials(identity), region: 'auto' },
      ...{ host: 'h', now: () => NOW },
    });
    const url = new URL(signer.presign('GET', '/bucket/a%20b'), 'http://h');
    const query = Object.fromEntries(url.searchParams);
    const request = { method: 'GET', path: url.pathname, query, headers: { host: 'h', range: 'bytes=0-9' } };
    await makeCheck().check(request, Buffer.alloc(0));
    for (const change of [
      { method: 'PUT' },
      { path: '/bucket/other' },
      { query: { ...query, 'X-Amz-Expires': '9' } },
      { query: { ...query, 'X-Amz-Date': '20260301T120001Z' } },
      { query: { ...query, versionId: '1' } },
    ]) {
      const changed = makeCheck().check({ ...request, ...change }, Buffer.alloc(0));
      await assert.rejects(changed, { code: 'SignatureDoesNotMatch' }, JSON.stringify(change));
    }
  }
});
