import { createHash, createHmac, hash } from 'node:crypto';

/**
 * @import { LiveCredentials } from './live-credentials.js'
 */

// AWS Signature Version 4, in the terms of its specification:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html

const ALGORITHM = 'AWS4-HMAC-SHA256';
const SERVICE = 's3';
/** Replaces the hash of a payload that is not signed because TLS already protects it. */
export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';

const HASH_HEADER = 'x-amz-content-sha256';

const HASH_BYTES = 32;
const HASH_DIGITS = 2 * HASH_BYTES;

export const EMPTY_PAYLOAD_HASH = hash('sha256', '');

/** SHA-256 in lower-case hexadecimal. @param {string | Buffer} data */
export function sha256(data) {
  return hash('sha256', data);
}

/** SHA-256 in lower-case hexadecimal. @param {Buffer | Iterable<Buffer>} payload whole, or in pieces */
export function payloadHash(payload) {
  if (Buffer.isBuffer(payload)) {
    return sha256(payload);
  }
  const digest = createHash('sha256');
  for (const piece of /** @type {Iterable<Buffer>} */ (payload)) {
    digest.update(piece);
  }
  return digest.digest('hex');
}

/**
 * @param {{ secretAccessKey: string, day: string, region: string, service: string }} parts `day`: such as `20150830`
 * @returns {Buffer}
 */
export function signingKey({ secretAccessKey, day, region, service }) {
  return [day, region, service, 'aws4_request'].reduce(
    (key, part) => createHmac('sha256', key).update(part).digest(),
    Buffer.from(`AWS4${secretAccessKey}`),
  );
}

/** The block length of SHA-256 in bytes, to which HMAC pads a key. */
const HMAC_BLOCK = 64;
const INNER_PADDING = 0x36;
const OUTER_PADDING = 0x5c;

/**
 * Computes HMAC-SHA-256 (RFC 2104) of texts with a common start: the strings to sign within one second differ only in a
 * final hash of fixed length. It calls SHA-256 twice on prepared buffers, because an Hmac object of node:crypto takes
 * twice as long and creates garbage for each text.
 */
export class TextSigner {
  #inner;
  #outer;
  #endsAt;

  /**
   * @param {Buffer} key of at most 64 bytes, see {@link signingKey}
   * @param {string} start common to all texts, ASCII
   * @param {number} length of the part that follows
   */
  constructor(key, start, length) {
    this.#endsAt = HMAC_BLOCK + start.length;
    this.#inner = Buffer.alloc(this.#endsAt + length, INNER_PADDING);
    this.#outer = Buffer.alloc(HMAC_BLOCK + HASH_BYTES, OUTER_PADDING);
    key.forEach((byte, place) => {
      this.#inner[place] ^= byte;
      this.#outer[place] ^= byte;
    });
    this.#inner.write(start, HMAC_BLOCK, 'latin1');
  }

  /** The signature in lower-case hexadecimal. @param {string} end of the text, ASCII */
  sign(end) {
    this.#inner.write(end, this.#endsAt, 'latin1');
    this.#outer.write(hash('sha256', this.#inner, 'binary'), HMAC_BLOCK, 'latin1');
    return hash('sha256', this.#outer);
  }
}

/**
 * The canonical query string, which is also valid as the query of the request's URL.
 *
 * @param {readonly (readonly [name: string, value: string])[]} parameters not yet encoded
 * @returns {string} percent-encoded, sorted by name, then by value
 */
export function canonicalQuery(parameters) {
  return parameters
    .map(([name, value]) => [uriEncode(name), uriEncode(value)])
    .sort(([name, value], [otherName, otherValue]) => byCodeUnit(name, otherName) || byCodeUnit(value, otherValue))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/** Reserved characters that encodeURIComponent() does not encode. */
const RESERVED = /[!'()*]/g;

/** The UTF-8 form, percent-encoded except for RFC 3986's unreserved characters. @param {string} text */
function uriEncode(text) {
  return encodeURIComponent(text).replace(
    RESERVED,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The key in a path, which S3 encodes once and does not normalise. @param {string} key can contain any character */
export function encodedPath(key) {
  return uriEncode(key).replaceAll('%2F', '/');
}

/**
 * Compares encoded text. As it is ASCII, this is the byte order that the specification requires.
 *
 * @param {string} one
 * @param {string} other
 */
function byCodeUnit(one, other) {
  return one < other ? -1 : Number(one > other);
}

/**
 * Signs the requests to one host. Each request takes one hash and one HMAC. The signing key is computed once per day,
 * and everything else once per second, which is also when replaced credentials take effect.
 */
export class RequestSigner {
  #live;
  #region;
  #host;
  #now;
  // The fields below are valid for the current second.
  #credentials;
  #second = -1;
  #day = '';
  #date = '';
  /** @type {Buffer} */
  #key = Buffer.alloc(0);
  #textSigner = new TextSigner(this.#key, '', HASH_DIGITS);
  #lastSigned = '';
  #lastHeaders = '';
  #authorizationScope = '';
  #headersEnd = '';
  #authorizationStart = '';
  #presignedQuery = '';

  /**
   * @param {{ credentials: LiveCredentials, region: string, host: string, now: () => number }} options `host`:
   *   the value of the Host header; `now`: epoch ms
   */
  constructor({ credentials, region, host, now }) {
    this.#live = credentials;
    this.#credentials = credentials.current;
    this.#region = region;
    this.#host = host;
    this.#now = now;
  }

  /**
   * @param {string} method
   * @param {string} path already encoded
   * @param {string} hashed hexadecimal SHA-256 of the payload, or {@link UNSIGNED_PAYLOAD}
   * @param {string} [query] see {@link canonicalQuery}
   * @returns {string[]} the headers to send: name, value, name, value, …
   */
  sign(method, path, hashed, query = '') {
    this.#refresh();
    // The specification's canonical request.
    const canonical = `${method}\n${path}\n${query}\nhost:${this.#host}\nx-amz-content-sha256:${hashed}${this.#headersEnd}${hashed}`;
    return this.#headersOf(hashed, this.#authorizationStart + this.#textSigner.sign(sha256(canonical)));
  }

  /**
   * @param {string} method
   * @param {string} path already encoded
   * @returns {string} path and query of a URL that anyone can use for a day, with a Host header and any others
   */
  presign(method, path) {
    this.#refresh();
    const canonical = `${method}\n${path}\n${this.#presignedQuery}\nhost:${this.#host}\n\nhost\n${UNSIGNED_PAYLOAD}`;
    return `${path}?${this.#presignedQuery}&X-Amz-Signature=${this.#textSigner.sign(sha256(canonical))}`;
  }

  /**
   * @param {string} method
   * @param {string} path already encoded
   * @param {string} hashed see {@link sign}
   * @param {string} query see {@link canonicalQuery}
   * @param {readonly [name: string, value: string][]} headers to add, sorted by name: either all names sort between `host`
   *   and `x-amz-content-sha256`, or all names sort between the latter and `x-amz-date`
   */
  signHeaders(method, path, hashed, query, headers) {
    this.#refresh();
    let [given, names] = ['', ''];
    for (const [name, value] of headers) {
      given += `${name}:${value}\n`;
      names += `${name};`;
    }
    const isFirst = given < HASH_HEADER;
    const signedHeaders = `host;${isFirst ? names : ''}${HASH_HEADER};${isFirst ? '' : names}${this.#lastSigned}`;
    const own = `${HASH_HEADER}:${hashed}\n`;
    const lines = `host:${this.#host}\n${isFirst ? given + own : own + given}${this.#lastHeaders}`;
    const canonical = `${lines}${signedHeaders}\n`;
    const signature = this.#textSigner.sign(sha256(`${method}\n${path}\n${query}\n${canonical}${hashed}`));
    const authorization = `${this.#authorizationScope}${signedHeaders}, Signature=${signature}`;
    const signed = this.#headersOf(hashed, authorization);
    for (const [name, value] of headers) {
      signed.push(name, value);
    }
    return signed;
  }

  /**
   * @param {string} hashed
   * @param {string} authorization
   */
  #headersOf(hashed, authorization) {
    const headers = ['x-amz-date', this.#date, 'x-amz-content-sha256', hashed, 'authorization', authorization];
    if (this.#credentials.sessionToken) {
      headers.push('x-amz-security-token', this.#credentials.sessionToken);
    }
    return headers;
  }

  #refresh() {
    const second = Math.floor(this.#now() / 1000);
    if (second !== this.#second) {
      this.#beginSecond(second);
    }
  }

  /** @param {number} second */
  #beginSecond(second) {
    const region = this.#region;
    const isReplaced = this.#credentials !== this.#live.current;
    this.#credentials = this.#live.current;
    const { accessKeyId, secretAccessKey, sessionToken } = this.#credentials;
    this.#second = second;
    this.#date = `${new Date(second * 1000).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
    const day = this.#date.slice(0, 8);
    if (day !== this.#day || isReplaced) {
      this.#day = day;
      this.#key = signingKey({ secretAccessKey, day, region, service: SERVICE });
    }
    const scope = `${day}/${region}/${SERVICE}/aws4_request`;
    const lastSigned = `x-amz-date${sessionToken ? ';x-amz-security-token' : ''}`;
    const signedHeaders = `host;x-amz-content-sha256;${lastSigned}`;
    const tokenHeader = sessionToken ? `x-amz-security-token:${sessionToken}\n` : '';
    const start = `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=`;
    const headersEnd = `x-amz-date:${this.#date}\n${tokenHeader}\n`;
    this.#textSigner = new TextSigner(this.#key, `${ALGORITHM}\n${this.#date}\n${scope}\n`, HASH_DIGITS);
    this.#lastSigned = lastSigned;
    this.#lastHeaders = headersEnd;
    this.#authorizationScope = start;
    this.#headersEnd = `\n${headersEnd}${signedHeaders}\n`;
    this.#authorizationStart = `${start}${signedHeaders}, Signature=`;
    this.#presignedQuery = canonicalQuery([
      ['X-Amz-Algorithm', ALGORITHM],
      ['X-Amz-Credential', `${accessKeyId}/${scope}`],
      ['X-Amz-Date', this.#date],
      ['X-Amz-Expires', '86400'],
      ...(sessionToken ? [/** @type {const} */ (['X-Amz-Security-Token', sessionToken])] : []),
      ['X-Amz-SignedHeaders', 'host'],
    ]);
  }
}
