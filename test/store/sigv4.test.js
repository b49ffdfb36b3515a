import { SignatureV4 } from '@smithy/signature-v4';
import fc from 'fast-check';
import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  EMPTY_PAYLOAD_HASH,
  RequestSigner,
  TextSigner,
  canonicalQuery as signersQuery,
  encodedPath,
  sha256,
  signingKey,
  UNSIGNED_PAYLOAD,
} from '../../lib/store/sigv4.js';
import { LiveCredentials } from '../../lib/store/live-credentials.js';
import { cases } from '../helpers/cases.js';

/**
 * @import { Credentials } from '../../lib/result/config.js'
 * @import { BinaryLike } from 'node:crypto'
 */

const DAY = 86_400_000;
const VECTORS = new URL('../vectors/sigv4/', import.meta.url);
const CASES = readdirSync(VECTORS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

test('all official vectors that hold for S3 are there', () => {
  assert.equal(CASES.length, 31);
});

/**
 * @param {Buffer} key
 * @param {string} text
 */
function hmac(key, text) {
  return createHmac('sha256', key).update(text).digest('hex');
}

for (const name of CASES) {
  test(`query, signing key and signature are those of the official vector ${name}`, () => {
    const { context, request: text, canonicalRequest, stringToSign, signature } = readVector(name);
    const [, query = ''] = /^\S+ [^?]*\?(.*) HTTP\/1\.1$/m.exec(text) ?? [];
    assert.equal(signersQuery(query === '' ? [] : query.split('&').map(decodePair)), canonicalRequest.split('\n')[2]);
    const { credentials, region, service, timestamp } = context;
    const day = timestamp.replace(/[-:]/g, '').slice(0, 8);
    const key = signingKey({ secretAccessKey: credentials.secret_access_key, day, region, service });
    assert.equal(hmac(key, stringToSign), signature);
    const [start, hashed] = [stringToSign.slice(0, -64), stringToSign.slice(-64)];
    assert.equal(hashed, sha256(canonicalRequest));
    assert.equal(new TextSigner(key, start, 64).sign(hashed), signature);
  });
}

test('texts that begin alike are signed as HMAC-SHA-256 signs each of them', () => {
  const anyText = fc.string({ unit: 'grapheme-ascii', maxLength: 200 });
  const anyKey = fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes));
  const anyEnds = fc.array(fc.string({ unit: 'grapheme-ascii', minLength: 64, maxLength: 64 }), { maxLength: 4 });
  fc.assert(
    fc.property(anyKey, anyText, anyEnds, (key, start, ends) => {
      const signer = new TextSigner(key, start, 64);
      for (const end of ends) {
        assert.equal(signer.sign(end), hmac(key, start + end));
      }
    }),
  );
});

test('a query is sorted by encoded name, then by encoded value', () => {
  const query = /** @type {[string, string][]} */ ([
    ['b', ''],
    ['a', '2'],
    ['a', '10'],
    ['a-', 'x y'],
    ['ä', '/'],
  ]);
  assert.equal(signersQuery(query), '%C3%A4=%2F&a=10&a=2&a-=x%20y&b=');
  assert.equal(signersQuery([]), '');
  assert.equal(signersQuery([["a!'()*", '']]), 'a%21%27%28%29%2A=');
});

test('the hash of an empty payload is that of no bytes', () => {
  assert.equal(EMPTY_PAYLOAD_HASH, createHash('sha256').digest('hex'));
});

test('RequestSigner signs as @smithy/signature-v4 does, whatever the key, bucket, query, method, time, host, region and token', async () => {
  await fc.assert(
    fc.asyncProperty(
      signerOptions(),
      fc.array(request(), { minLength: 1, maxLength: 4 }),
      async (options, requests) => {
        let now = 0;
        const signer = signerOf(options, () => now);
        // One signer over several moments, forwards and backwards: what it keeps of the second and the day before must not show.
        for (const { time, method, path, query, body } of requests) {
          now = time;
          const payloadHash = body === null ? UNSIGNED_PAYLOAD : sha256(body);
          const headers = toObject(signer.sign(method, path, payloadHash, signersQuery(Object.entries(query))));
          assert.deepEqual(headers, await signedBySmithy(options, { time, method, path, query, body }));
        }
      },
    ),
    { numRuns: cases(300) },
  );
});

/**
 * @typedef {object} Vector
 * @property {{ credentials: { secret_access_key: string }, region: string, service: string, timestamp: string }} context
 * @property {string} request
 * @property {string} canonicalRequest
 * @property {string} stringToSign
 * @property {string} signature
 */

/**
 * @param {string} name
 * @returns {Vector}
 */
function readVector(name) {
  const read = (/** @type {string} */ file) => readFileSync(new URL(`${name}/${file}`, VECTORS), 'utf8');
  return {
    context: JSON.parse(read('context.json')),
    request: read('request.txt'),
    canonicalRequest: read('header-canonical-request.txt'),
    stringToSign: read('header-string-to-sign.txt'),
    signature: read('header-signature.txt'),
  };
}

/**
 * @param {string} pair
 * @returns {[name: string, value: string]}
 */
function decodePair(pair) {
  const [name, value] = pair.split('=').map(decodeURIComponent);
  return [name, value];
}

/** @typedef {{ credentials: Credentials, region: string, host: string }} SignerOptions */

/**
 * @param {SignerOptions} options
 * @param {() => number} now
 */
function signerOf({ credentials, region, host }, now) {
  return new RequestSigner({
    credentials: new LiveCredentials(credentials),
    region,
    host,
    now,
  });
}
/**
 * @typedef {object} SignableRequest
 * @property {number} time epoch ms
 * @property {string} method
 * @property {string} path
 * @property {Record<string, string>} query
 * @property {string | null} body null: not signed
 */

/** @returns {fc.Arbitrary<SignerOptions>} */
function signerOptions() {
  const printable = fc.string({ unit: fc.constantFrom(...'ABCxyz059/+=._-~!@$'), minLength: 1, maxLength: 80 });
  return fc.record({
    credentials: fc.record(
      { accessKeyId: printable, secretAccessKey: fc.string({ minLength: 1 }), sessionToken: printable },
      { requiredKeys: ['accessKeyId', 'secretAccessKey'] },
    ),
    region: fc.oneof(fc.constantFrom('auto', 'us-east-1'), fc.stringMatching(/^[a-z]{2}-[a-z]{4,9}-[1-9]$/)),
    host: fc
      .tuple(fc.oneof(fc.domain(), fc.ipV4()), fc.option(fc.integer({ min: 1, max: 65535 })))
      .map(([name, port]) => (port === null ? name : `${name}:${port}`)),
  });
}

/** @returns {fc.Arbitrary<SignableRequest>} */
function request() {
  return fc
    .record({
      time: fc.oneof(fc.integer({ min: 0, max: Date.UTC(2100, 0) }), fc.constantFrom(0, 999, 1_000, DAY - 1, DAY)),
      method: fc.constantFrom('GET', 'PUT', 'HEAD', 'DELETE', 'POST'),
      bucket: fc.stringMatching(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/),
      key: fc.string({ unit: 'binary', minLength: 1 }),
      query: fc.dictionary(
        // The other implementation keeps a query in a plain object, and leaves a signature in it out.
        fc
          .string({ unit: 'binary', minLength: 1 })
          .filter((name) => !['x-amz-signature', '__proto__'].includes(name.toLowerCase())),
        fc.string({ unit: 'binary' }),
        { maxKeys: 3, noNullPrototype: true },
      ),
      body: fc.option(fc.string()),
    })
    .map(({ bucket, key, ...rest }) => ({ ...rest, path: `/${bucket}/${encodedPath(key)}` }));
}

/** Node's hashes in the shape that the other implementation asks for. */
class Sha256 {
  #hash;

  /** @param {BinaryLike} [secret] */
  constructor(secret) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret);
  }

  /** @param {Uint8Array} data */
  update(data) {
    this.#hash.update(data);
  }

  async digest() {
    return this.#hash.digest();
  }

  reset() {
    throw new Error('a hash is used once');
  }
}

/**
 * @param {SignerOptions} options
 * @param {SignableRequest} signable
 */
async function signedBySmithy({ credentials, region, host }, { time, method, path, query, body }) {
  const smithy = new SignatureV4({
    service: 's3',
    region,
    credentials,
    uriEscapePath: false,
    applyChecksum: true,
    sha256: /** @type {any} */ (Sha256),
  });
  /** @type {Record<string, string>} */
  const given = body === null ? { host, 'x-amz-content-sha256': UNSIGNED_PAYLOAD } : { host };
  const { headers } = await smithy.sign(
    { method, protocol: 'https:', hostname: host, path, query, headers: given, body },
    { signingDate: new Date(time) },
  );
  const { host: signedHost, ...added } = headers;
  assert.equal(signedHost, host);
  return added;
}

/**
 * @param {readonly string[]} flat name, value, name, value, …
 * @returns {Record<string, string>}
 */
function toObject(flat) {
  const names = flat.filter((_, position) => position % 2 === 0);
  assert.equal(new Set(names).size, names.length, 'no header occurs twice');
  return Object.fromEntries(names.map((name, position) => [name, flat[position * 2 + 1]]));
}

test('the presigned URL is that of the example in the documentation of S3', () => {
  const credentials = {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  };
  const signer = new RequestSigner({
    credentials: new LiveCredentials(credentials),
    region: 'us-east-1',
    host: 'examplebucket.s3.amazonaws.com',
    now: () => Date.UTC(2013, 4, 24),
  });
  assert.equal(
    signer.presign('GET', '/test.txt'),
    '/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
});
