import { sha256 } from '../../lib/s3/sigv4.js';

// The specification's functions in full. The production signer assembles its few requests from fixed parts instead.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html

const ALGORITHM = 'AWS4-HMAC-SHA256';

const LONE_UNRESERVED = /[!'()*]/g;

/**
 * Percent-encodes all but RFC 3986's unreserved characters, as UTF-8.
 *
 * @param {string} text
 * @param {object} [options]
 * @param {boolean} [options.keepSlash] keep `/`: for a path, which S3 encodes once and never normalizes
 * @returns {string}
 */
export function uriEncode(text, { keepSlash = false } = {}) {
  const encoded = encodeURIComponent(text).replace(
    LONE_UNRESERVED,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return keepSlash ? encoded.replaceAll('%2F', '/') : encoded;
}

/**
 * @param {readonly (readonly [name: string, value: string])[]} query not yet encoded
 * @returns {string} encoded, sorted by name, then by value
 */
export function canonicalQuery(query) {
  return query
    .map(([name, value]) => [uriEncode(name), uriEncode(value)])
    .sort((one, other) => compareText(one[0], other[0]) || compareText(one[1], other[1]))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/**
 * @param {object} request
 * @param {string} request.method
 * @param {string} request.canonicalPath already encoded
 * @param {string} request.canonicalQuery see {@link canonicalQuery}
 * @param {readonly (readonly [name: string, value: string])[]} request.headers the headers to sign; values of a repeated
 *   name are joined in order
 * @param {string} request.payloadHash hexadecimal SHA-256 of the payload, or UNSIGNED-PAYLOAD
 * @returns {{ text: string, signedHeaders: string }}
 */
export function canonicalRequest({ method, canonicalPath, canonicalQuery: query, headers, payloadHash: hashed }) {
  /** @type {Map<string, string>} */
  const values = new Map();
  for (const [name, value] of headers) {
    const lowerCase = name.toLowerCase();
    const trimmed = value.trim().replace(/ +/g, ' ');
    const earlier = values.get(lowerCase);
    values.set(lowerCase, earlier === undefined ? trimmed : `${earlier},${trimmed}`);
  }
  const names = [...values.keys()].sort(compareText);
  const canonicalHeaders = names.map((name) => `${name}:${values.get(name)}\n`).join('');
  const signedHeaders = names.join(';');
  return {
    text: `${method}\n${canonicalPath}\n${query}\n${canonicalHeaders}\n${signedHeaders}\n${hashed}`,
    signedHeaders,
  };
}

/**
 * @param {object} parts
 * @param {string} parts.date such as `20150830T123600Z`
 * @param {string} parts.scope such as `20150830/us-east-1/s3/aws4_request`
 * @param {string} parts.canonicalRequest
 * @returns {string}
 */
export function stringToSign({ date, scope, canonicalRequest: text }) {
  return `${ALGORITHM}\n${date}\n${scope}\n${sha256(text)}`;
}

/**
 * Code-unit order, which equals the required byte order for percent-encoded text and header names.
 *
 * @param {string} one
 * @param {string} other
 */
function compareText(one, other) {
  return one < other ? -1 : Number(one > other);
}
