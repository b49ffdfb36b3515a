// Checks AWS Signature Version 4 in the Authorization header with WebCrypto alone. The client signs with its own code,
// so the two cannot share a mistake.
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html

/** The id that belongs to the secret. It is public. */
const ACCESS_KEY_ID = 'edge';
const REGION = 'auto';

/** A signature is valid for this long before and after its date, by this clock. */
const MAX_AGE_MS = 60_000;

const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';
const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([0-9]{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/;
const DATE = /^([0-9]{4})([0-9]{2})([0-9]{2})T([0-9]{2})([0-9]{2})([0-9]{2})Z$/;
const HASH = /^[0-9a-f]{64}$/;

const ALWAYS_SIGNED = ['host', 'x-amz-content-sha256', 'x-amz-date'];

/** Further headers that change the response. If present, they must be signed. */
const SIGNED_IF_PRESENT = /^(x-amz-.*|range|if-match|if-none-match)$/;

/** A refused request, with the reason that S3 would give. */
export class Refusal extends Error {
  /**
   * @param {string} code an S3 error code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const encoder = new TextEncoder();

/** The day's signing key. @type {{ secret: string, day: string, key: Promise<CryptoKey> } | null} */
let known = null;

/**
 * @param {Request} request its body is not read
 * @param {string | undefined} secret
 * @param {number} now epoch ms
 * @returns {Promise<string | null>} required SHA-256 of the body in hexadecimal; null if the body was not signed
 * @throws {Refusal}
 */
export async function checkSignature(request, secret, now) {
  if (!secret) {
    throw new Refusal('AccessDenied', 'EDGE_SECRET is not set: npx wrangler secret put EDGE_SECRET');
  }
  const { headers } = request;
  const parts = AUTHORIZATION.exec(headers.get('authorization') ?? '');
  if (parts === null) {
    throw new Refusal('AccessDenied', 'The request is not signed.');
  }
  const [, id, day, region, signedHeaders, signature] = parts;
  const date = headers.get('x-amz-date') ?? '';
  const hash = headers.get('x-amz-content-sha256') ?? '';
  const names = signedHeaders.split(';');
  const isForHere = headers.get('host') === new URL(request.url).host;
  if (!isForHere || id !== ACCESS_KEY_ID || region !== REGION || !date.startsWith(day) || !areCovered(names, headers)) {
    throw new Refusal(
      'AccessDenied',
      'The signature is for a different host, id, region or day, or does not cover all headers.',
    );
  }
  if (hash !== UNSIGNED_PAYLOAD && !HASH.test(hash)) {
    throw new Refusal('AccessDenied', 'X-Amz-Content-Sha256 is neither a SHA-256 nor UNSIGNED-PAYLOAD.');
  }
  const canonical = canonicalRequest(request, names, hash);
  if (canonical === null) {
    throw new Refusal('AccessDenied', 'The query is not percent-encoded.');
  }
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = `AWS4-HMAC-SHA256\n${date}\n${scope}\n${await sha256(encoder.encode(canonical))}`;
  // Compares in constant time.
  const isRight = await crypto.subtle.verify(
    'HMAC',
    await signingKey(secret, day),
    bytesOf(signature),
    encoder.encode(text),
  );
  if (!isRight) {
    throw new Refusal('SignatureDoesNotMatch', "The signature is wrong: check that EDGE_SECRET equals the Worker's.");
  }
  // Check the date after the signature, so that a request without the secret cannot probe this clock.
  if (!(Math.abs(timeOf(date) - now) <= MAX_AGE_MS)) {
    throw new Refusal('RequestTimeTooSkewed', 'The signature is more than 60 s old, or dated in the future.');
  }
  return hash === UNSIGNED_PAYLOAD ? null : hash;
}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @returns {Promise<string>} in lower-case hexadecimal
 */
export async function sha256(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * @param {readonly string[]} names signed headers
 * @param {Headers} headers
 * @returns {boolean} whether everything that could change the request's effect is signed
 */
function areCovered(names, headers) {
  const needed = [...headers.keys()].filter((name) => SIGNED_IF_PRESENT.test(name));
  return [...ALWAYS_SIGNED, ...needed].every((name) => names.includes(name));
}

/**
 * @param {Request} request
 * @param {readonly string[]} names signed headers
 * @param {string} hash
 * @returns {string | null} null if the query cannot be decoded
 */
function canonicalRequest({ method, url, headers }, names, hash) {
  const { pathname, search } = new URL(url);
  const query = canonicalQuery(search);
  const lines = names.map((name) => `${name}:${(headers.get(name) ?? '').trim().replace(/ +/g, ' ')}\n`);
  return query === null ? null : `${method}\n${pathname}\n${query}\n${lines.join('')}\n${names.join(';')}\n${hash}`;
}

/**
 * @param {string} search
 * @returns {string | null} null if it cannot be decoded
 */
function canonicalQuery(search) {
  try {
    return search
      .slice(1)
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => {
        const [name, ...rest] = pair.split('=');
        return [encoded(name), encoded(rest.join('='))];
      })
      .sort(([name, value], [otherName, otherValue]) => compare(name, otherName) || compare(value, otherValue))
      .map(([name, value]) => `${name}=${value}`)
      .join('&');
  } catch {
    return null;
  }
}

/**
 * @param {string} text with any percent-encoding
 * @returns {string} encoded as the specification requires
 */
function encoded(text) {
  return encodeURIComponent(decodeURIComponent(text)).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * @param {string} one
 * @param {string} other
 */
function compare(one, other) {
  return one < other ? -1 : Number(one > other);
}

/**
 * @param {string} secret
 * @param {string} day
 * @returns {Promise<CryptoKey>}
 */
function signingKey(secret, day) {
  if (known?.secret !== secret || known.day !== day) {
    known = { secret, day, key: deriveKey(secret, day) };
  }
  return known.key;
}

/**
 * @param {string} secret
 * @param {string} day
 */
async function deriveKey(secret, day) {
  let bytes = encoder.encode(`AWS4${secret}`);
  for (const part of [day, REGION, 's3', 'aws4_request']) {
    const key = await hmacKey(bytes, 'sign');
    bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(part)));
  }
  return hmacKey(bytes, 'verify');
}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {'sign' | 'verify'} use
 */
function hmacKey(bytes, use) {
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [use]);
}

/** @param {string} hexadecimal */
function bytesOf(hexadecimal) {
  return Uint8Array.from(hexadecimal.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/**
 * @param {string} date as in X-Amz-Date
 * @returns {number} epoch ms; NaN if it is invalid
 */
function timeOf(date) {
  const [year, month, ...rest] = DATE.exec(date)?.slice(1).map(Number) ?? [NaN, NaN];
  return Date.UTC(year, month - 1, ...rest);
}
