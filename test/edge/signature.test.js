import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal, checkSignature, sha256 } from '../../edge/signature.js';
import { LiveCredentials } from '../../lib/store/live-credentials.js';
import { RequestSigner, UNSIGNED_PAYLOAD } from '../../lib/store/sigv4.js';

const NOW = Date.UTC(2026, 0, 31, 12);
const SECRET = 'a secret of its own';
const HOST = 'edge.example.com';

/** @param {{ secret?: string, at?: number, method?: string, path?: string, query?: string, hash?: string }} [options] */
function signed({
  secret = SECRET,
  at = NOW,
  method = 'PUT',
  path = '/bucket/key',
  query = '',
  hash = UNSIGNED_PAYLOAD,
} = {}) {
  const credentials = new LiveCredentials({ accessKeyId: 'edge', secretAccessKey: secret });
  const signer = new RequestSigner({ credentials, region: 'auto', host: HOST, now: () => at });
  const list = signer.sign(method, path, hash, query);
  /** @type {[string, string][]} */
  const headers = [['host', HOST]];
  for (let index = 0; index < list.length; index += 2) {
    headers.push([list[index], list[index + 1]]);
  }
  return { method, url: `https://${HOST}${path}${query === '' ? '' : `?${query}`}`, headers: new Headers(headers) };
}

/** @param {any} request */
function check(request, secret = SECRET) {
  return checkSignature(request, secret, NOW);
}

test('a client’s signature is accepted for a minute', async () => {
  assert.equal(await check(signed()), null);
  const hash = await sha256(new TextEncoder().encode('keys'));
  assert.equal(await check(signed({ method: 'POST', path: '/bucket', query: 'delete=', hash })), hash);
  assert.equal(await check(signed({ query: 'list-type=2&prefix=a%2Fb', path: '/bucket' })), null);
  for (const at of [NOW - 60_000, NOW + 60_000]) {
    assert.equal(await check(signed({ at })), null);
  }
});

test('anything else is refused', async () => {
  const good = signed();
  const tampered = [
    signed({ secret: `${SECRET}.` }),
    signed({ at: NOW - 61_000 }),
    signed({ at: NOW + 61_000 }),
    { ...good, method: 'DELETE' },
    { ...good, url: good.url.replace('key', 'keys') },
    { ...good, url: `${good.url}?delete=` },
    withHeader(good, 'x-amz-content-sha256', 'a'.repeat(64)),
    withHeader(good, 'x-amz-copy-source', '/bucket/other'),
    withHeader(good, 'authorization', ''),
    withHeader(good, 'authorization', (good.headers.get('authorization') ?? '').replace(/.$/, 'g')),
    withHeader(good, 'host', 'other.example.com'),
    { ...good, url: good.url.replace(HOST, 'other.example.com') },
    withHeader(good, 'range', 'bytes=0-0'),
    withHeader(good, 'if-none-match', '*'),
    withHeader(good, 'if-match', '"x"'),
    withHeader(good, 'x-amz-date', '20260131T120001Z'),
  ];
  for (const request of tampered) {
    await assert.rejects(check(request), Refusal);
  }
  await assert.rejects(check(good, ''), /EDGE_SECRET is not set/);
});

/**
 * @param {ReturnType<typeof signed>} request
 * @param {string} name
 * @param {string} value
 */
function withHeader(request, name, value) {
  const headers = new Headers(request.headers);
  headers.set(name, value);
  return { ...request, headers };
}
