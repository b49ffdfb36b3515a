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
  sha256,
  signingKey,
  UNSIGNED_PAYLOAD,
} from '../../lib/s3/sigv4.js';
import { LiveCredentials } from '../../lib/s3/live-credentials.js';
import { SigningRegion } from '../../lib/s3/signing-region.js';
import { canonicalQuery, canonicalRequest, stringToSign, uriEncode } from '../helpers/canonical-request.js';
import { cases } from '../helpers/cases.js';

/**
 * @import { Credentials } from '../../lib/model/config.js'
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
  test(`canonical request, string to sign and signature are those of the official vector ${name}`, () => {
    const vector = readVector(name);
    const { credentials, region, service } = vector.context;
    const date = vector.context.timestamp.replace(/[-:]/g, '');
    const day = date.slice(0, 8);

    const { pairs, ...parts } = signableParts(vector, date);
    assert.equal(signersQuery(pairs), vector.canonicalRequest.split('\n')[2]);
    const canonical = canonicalRequest(parts);
    assert.equal(canonical.text, vector.canonicalRequest);
    assert.equal(canonical.signedHeaders, vector.canonicalRequest.split('\n').at(-2));
    assert.equal(
      stringToSign({
        date,
        scope: `${day}/${region}/${service}/aws4_request`,
        canonicalRequest: vector.canonicalRequest,
      }),
      vector.stringToSign,
    );
    const key = signingKey({ secretAccessKey: credentials.secret_access_key, day, region, service });
    assert.equal(hmac(key, vector.stringToSign), vector.signature);
    const [start, hashed] = [vector.stringToSign.slice(0, -64), vector.stringToSign.slice(-64)];
    assert.equal(new TextSigner(key, start, 64).sign(hashed), vector.signature);
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

test('encoding leaves unreserved characters alone, writes upper-case hexadecimal of UTF-8, and loses nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const encoded = uriEncode(text);
      assert.match(encoded, /^(?:[A-Za-z0-9._~-]|%[0-9A-F]{2})*$/);
      assert.equal(decodeURIComponent(encoded), text);
      assert.equal(
        uriEncode(text, { keepSlash: true }),
        text
          .split('/')
          .map((part) => uriEncode(part))
          .join('/'),
      );
    }),
  );
});

test('every byte outside the unreserved set is encoded, among them those that encodeURIComponent spares', () => {
  const ascii = String.fromCharCode(...Array(128).keys());
  const spared = uriEncode(ascii).replace(/%[0-9A-F]{2}/g, '');
  assert.equal(spared, '-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~');
  assert.equal(uriEncode("!'()*"), '%21%27%28%29%2A');
});

test('a query is sorted by encoded name, then by encoded value', () => {
  const query = /** @type {[string, string][]} */ ([
    ['b', ''],
    ['a', '2'],
    ['a', '10'],
    ['a-', 'x y'],
    ['ä', '/'],
  ]);
  for (const canonical of [canonicalQuery, signersQuery]) {
    assert.equal(canonical(query), '%C3%A4=%2F&a=10&a=2&a-=x%20y&b=');
    assert.equal(canonical([]), '');
    assert.equal(canonical([["a!'()*", '']]), 'a%21%27%28%29%2A=');
  }
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

test('RequestSigner signs the canonical request that the official vectors hold for', () => {
  fc.assert(
    fc.property(signerOptions(), request(), (options, { time, method, path, query, body }) => {
      const { credentials, region, host } = options;
      const hashed = body === null ? UNSIGNED_PAYLOAD : sha256(body);
      const { authorization, ...added } = toObject(
        signerOf(options, () => time).sign(method, path, hashed, signersQuery(Object.entries(query))),
      );
      const headers = /** @type {[string, string][]} */ (Object.entries({ host, ...added }));
      const parts = {
        method,
        canonicalPath: path,
        canonicalQuery: canonicalQuery(Object.entries(query)),
        headers,
        payloadHash: hashed,
      };
      const { text, signedHeaders } = canonicalRequest(parts);
      const date = added['x-amz-date'];
      const day = date.slice(0, 8);
      const scope = `${day}/${region}/s3/aws4_request`;
      const key = signingKey({ secretAccessKey: credentials.secretAccessKey, day, region, service: 's3' });
      const signed = hmac(key, stringToSign({ date, scope, canonicalRequest: text }));
      assert.equal(
        authorization,
        `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signed}`,
      );
    }),
    { numRuns: cases(300) },
  );
});

test('a signer that outlives midnight signs with the key of the new day', async () => {
  const options = {
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
    region: 'auto',
    host: 'store.example:9000',
  };
  const midnight = Date.UTC(2024, 1, 29);
  let now = midnight - 1;
  const signer = signerOf(options, () => now);
  const before = toObject(signer.sign('GET', '/bucket/key', EMPTY_PAYLOAD_HASH));
  now = midnight;
  const after = toObject(signer.sign('GET', '/bucket/key', EMPTY_PAYLOAD_HASH));

  assert.equal(before['x-amz-date'], '20240228T235959Z');
  assert.equal(after['x-amz-date'], '20240229T000000Z');
  const expected = { method: 'GET', path: '/bucket/key', query: {}, body: '' };
  assert.deepEqual(before, await signedBySmithy(options, { ...expected, time: midnight - 1 }));
  assert.deepEqual(after, await signedBySmithy(options, { ...expected, time: midnight }));
});

/**
 * @typedef {object} Vector
 * @property {{
 *   credentials: { access_key_id: string, secret_access_key: string, token?: string },
 *   region: string, service: string, timestamp: string, sign_body: boolean, omit_session_token?: boolean }} context
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
 * The vector's request, with the headers that a signer adds, in the parts that canonicalRequest takes. The query stands in
 * request.txt partly encoded, the path not at all.
 *
 * @param {Vector} vector
 * @param {string} date
 */
function signableParts({ request: text, context }, date) {
  const headEnd = text.indexOf('\n\n');
  const body = headEnd < 0 ? '' : text.slice(headEnd + 2);
  const head = headEnd < 0 ? text : text.slice(0, headEnd);
  // A header's value goes on in a line that begins with blanks (RFC 9112, section 5.2): the break stands for a blank.
  const [requestLine, ...headerLines] = head
    .trimEnd()
    .replace(/\n[ \t]+/g, ' ')
    .split('\n');
  const [, method, path, query] = /** @type {RegExpExecArray} */ (
    /^(\S+) ([^?]*)(?:\?(.*))? HTTP\/1\.1$/.exec(requestLine)
  );
  const headers = headerLines.map((line) => {
    const colon = line.indexOf(':');
    return /** @type {[string, string]} */ ([line.slice(0, colon).toLowerCase(), line.slice(colon + 1)]);
  });
  const payloadHash = createHash('sha256').update(body).digest('hex');
  headers.push(['x-amz-date', date]);
  if (context.credentials.token !== undefined && context.omit_session_token !== true) {
    headers.push(['x-amz-security-token', context.credentials.token]);
  }
  if (context.sign_body) {
    headers.push(['x-amz-content-sha256', payloadHash]);
  }
  const pairs = query === undefined ? [] : query.split('&').map(decodePair);
  return {
    pairs,
    method,
    canonicalPath: uriEncode(path, { keepSlash: true }),
    canonicalQuery: canonicalQuery(pairs),
    headers,
    payloadHash,
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
    region: new SigningRegion(region),
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
    .map(({ bucket, key, ...rest }) => ({ ...rest, path: `/${bucket}/${uriEncode(key, { keepSlash: true })}` }));
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
