import { hash } from 'node:crypto';
import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import { percentEncode } from './router.js';
import { S3Error } from './xml.js';

/** @import { IncomingHttpHeaders } from 'node:http' */

/**
 * @typedef {object} Credentials
 * @property {string} accessKeyId
 * @property {string} secretAccessKey
 * @property {string} [sessionToken] if set, every request must contain it in a signed header
 * @property {number} [expiresAt] epoch ms by the server's clock
 *
 * @typedef {object} SignedRequest
 * @property {string} method
 * @property {string} path as received, percent-encoded, without the query
 * @property {Readonly<Record<string, string>>} query decoded
 * @property {IncomingHttpHeaders} headers
 */

export const MAX_SKEW_MS = 15 * 60 * 1000;

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 +Credential=([^/]+)\/[0-9]{8}\/([^/]*)\/([^/]*)\/aws4_request, *SignedHeaders=([^, ]+), *Signature=([0-9a-f]{64})$/;
const AMZ_DATE = /^([0-9]{4})([0-9]{2})([0-9]{2}T[0-9]{2})([0-9]{2})([0-9]{2}Z)$/;
const SIGNATURE_LENGTH = 64;
const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';
const EMPTY_SHA256 = hash('sha256', '');

/**
 * Checks AWS Signature Version 4 in the Authorization header or the query: it signs the received request again and compares the
 * signatures. It uses the AWS SDK's signer: if the client and this check shared a signer, its mistakes would cancel
 * out. The SDK's signer caches each day's signing key. It ignores a Date header; S3 clients sign X-Amz-Date instead.
 */
export class SignatureCheck {
  /** By access key ID. @type {Map<string, { signer: SignatureV4, expiresAt: number }>} */
  #known;
  #region;
  #now;

  /**
   * @param {{ credentials: readonly Credentials[], region: string, now: () => number }} options `now`: the server's
   *   clock, epoch ms
   */
  constructor({ credentials, region, now }) {
    this.#region = region;
    this.#now = now;
    const sha256 = Hash.bind(null, 'sha256');
    const common = { region, service: 's3', sha256, uriEscapePath: false, applyChecksum: false };
    this.#known = new Map(
      credentials.map(({ expiresAt = Infinity, ...keys }) => [
        keys.accessKeyId,
        { signer: new SignatureV4({ ...common, credentials: keys }), expiresAt },
      ]),
    );
  }

  /**
   * @param {SignedRequest} request
   * @param {Buffer} body
   * @throws {S3Error} the error that S3 returns for such a request
   */
  async check(request, body) {
    const { query, headers } = request;
    const isPresigned = query['X-Amz-Signature'] !== undefined;
    const [accessKeyId, region, service, signedHeaders, signature] = parseAuthorization(
      isPresigned ? { authorization: authorizationIn(query) } : headers,
    );
    const known = this.#known.get(accessKeyId);
    if (known === undefined) {
      throw new S3Error('InvalidAccessKeyId', 'The access key id you provided does not exist in our records.');
    }
    if (this.#now() >= known.expiresAt) {
      throw new S3Error('ExpiredToken', 'The provided token has expired.');
    }
    if (region !== this.#region || service !== 's3') {
      throw new S3Error(
        'AuthorizationHeaderMalformed',
        `The scope '${region}/${service}' of the credential is wrong; expecting '${this.#region}/s3'.`,
        this.#region,
      );
    }
    const signingDate = this.#signingDate(isPresigned ? query['X-Amz-Date'] : headers['x-amz-date']);
    if (!isPresigned) {
      checkPayloadHash(headers['x-amz-content-sha256'], body);
    }
    const names = checkedNames(signedHeaders, headers);
    const expected = await sign(known.signer, request, names, signingDate);
    if (signature !== expected) {
      throw new S3Error(
        'SignatureDoesNotMatch',
        'The request signature we calculated does not match the signature you provided.',
      );
    }
  }

  /** @param {string | string[] | undefined} amzDate */
  #signingDate(amzDate) {
    const date = new Date(String(amzDate).replace(AMZ_DATE, '$1-$2-$3:$4:$5'));
    if (!(Math.abs(date.getTime() - this.#now()) <= MAX_SKEW_MS)) {
      throw new S3Error(
        'RequestTimeTooSkewed',
        'The difference between the request time and the server time is too large.',
      );
    }
    return date;
  }
}

/**
 * @param {SignatureV4} signer
 * @param {SignedRequest} request
 * @param {Set<string>} signedNames
 * @param {Date} signingDate
 * @returns {Promise<string>} the signature, 64 hexadecimal digits
 */
async function sign(signer, { method, path, query, headers }, signedNames, signingDate) {
  const signedHeaders = Object.fromEntries([...signedNames].map((name) => [name, String(headers[name])]));
  const request = { method, path: canonicalPath(path), headers: signedHeaders, protocol: 'http:', hostname: '' };
  if (query['X-Amz-Signature'] !== undefined) {
    const own = Object.fromEntries(Object.entries(query).filter(([name]) => !name.startsWith('X-Amz-')));
    // The signer takes the hash of the payload from a header, which it need not sign or move to the query.
    const hashed = new Set(['x-amz-content-sha256']);
    const presigned = await signer.presign(
      { ...request, query: own, headers: { ...signedHeaders, 'x-amz-content-sha256': UNSIGNED_PAYLOAD } },
      {
        ...{ signingDate, expiresIn: Number(query['X-Amz-Expires']) },
        ...{ unsignableHeaders: hashed, unhoistableHeaders: hashed },
      },
    );
    return String(presigned.query?.['X-Amz-Signature']);
  }
  const signed = await signer.sign(
    { ...request, query },
    // Include every header that the client signed: by default, the signer skips some headers.
    { signingDate, signableHeaders: signedNames },
  );
  return signed.headers.authorization.slice(-SIGNATURE_LENGTH);
}

/** The header that is equivalent to a signed query. @param {Readonly<Record<string, string>>} query */
function authorizationIn(query) {
  const [algorithm, credential, names, signature] = ['Algorithm', 'Credential', 'SignedHeaders', 'Signature'].map(
    (name) => query[`X-Amz-${name}`],
  );
  return `${algorithm} Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`;
}

/** Returns the groups of {@link AUTHORIZATION}. @param {Pick<IncomingHttpHeaders, 'authorization'>} headers */
function parseAuthorization({ authorization }) {
  if (authorization === undefined) {
    throw new S3Error('AccessDenied', 'Access Denied: the request is not signed.');
  }
  const parts = AUTHORIZATION.exec(authorization);
  if (parts === null) {
    throw new S3Error('AuthorizationHeaderMalformed', 'Expected an Authorization header of the form AWS4-HMAC-SHA256.');
  }
  return parts.slice(1);
}

/** Like S3, encodes each character once, whatever the client encoded, and does not normalize. @param {string} path */
function canonicalPath(path) {
  return percentEncode(path.includes('%') ? decodeURIComponent(path) : path);
}

/**
 * S3 rejects a request whose signature does not cover all of its x-amz headers.
 *
 * @param {string} list the names in SignedHeaders
 * @param {IncomingHttpHeaders} headers
 */
function checkedNames(list, headers) {
  const names = new Set(list.split(';'));
  for (const name in headers) {
    if ((name === 'host' || name.startsWith('x-amz-')) && !names.has(name)) {
      throw new S3Error('AccessDenied', `There were headers present in the request which were not signed: ${name}`);
    }
  }
  return names;
}

/**
 * @param {string | string[] | undefined} claimed X-Amz-Content-Sha256
 * @param {Buffer} body
 */
function checkPayloadHash(claimed, body) {
  if (typeof claimed !== 'string') {
    throw new S3Error('InvalidRequest', 'Missing required header for this request: x-amz-content-sha256');
  }
  if (claimed === UNSIGNED_PAYLOAD) {
    return;
  }
  if (claimed !== (body.length === 0 ? EMPTY_SHA256 : hash('sha256', body))) {
    throw new S3Error(
      'XAmzContentSHA256Mismatch',
      "The provided 'x-amz-content-sha256' header does not match what was computed.",
    );
  }
}
