import { S3Error } from './s3-error.js';

/** The largest body taken, in bytes: all objects are held in memory. */
export const MAXIMUM_BODY = 2 ** 30;

const EMPTY = Buffer.alloc(0);
const METHODS_WITH_BODY = new Set(['PUT', 'POST']);

/**
 * @param {import('node:http').IncomingMessage} request
 * @returns {Promise<Buffer | null>} the body in a buffer of exactly its size, or null when the client went away
 * @throws {S3Error} MissingContentLength (S3 takes no chunked bodies) or EntityTooLarge
 */
export async function receiveBody(request) {
  const { 'content-length': declared, 'transfer-encoding': encoding } = request.headers;
  if (encoding !== undefined || (declared === undefined && METHODS_WITH_BODY.has(String(request.method)))) {
    throw new S3Error('MissingContentLength', 'You must provide the Content-Length HTTP header.');
  }
  const length = Number(declared ?? 0);
  if (length > MAXIMUM_BODY) {
    throw new S3Error(
      'EntityTooLarge',
      `Your proposed upload exceeds the maximum allowed size of ${MAXIMUM_BODY} bytes.`,
    );
  }
  return length === 0 ? EMPTY : collect(request, length);
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {number} length
 * @returns {Promise<Buffer | null>}
 */
function collect(request, length) {
  return new Promise((resolve) => {
    const body = Buffer.allocUnsafeSlow(length);
    let received = 0;
    request.on('data', (/** @type {Buffer} */ chunk) => {
      received += chunk.copy(body, received);
    });
    request.on('end', () => resolve(body));
    request.on('close', () => resolve(null));
  });
}
