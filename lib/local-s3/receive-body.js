import { pass } from './faults.js';
import { S3Error } from './xml.js';

/** @import { IncomingMessage } from 'node:http' */

/** Maximum body size in bytes. It is limited because all objects are kept in memory. */
export const MAX_BODY_BYTES = 2 ** 30;

const EMPTY = Buffer.alloc(0);
const METHODS_WITH_BODY = new Set(['PUT', 'POST']);

/**
 * @param {IncomingMessage} request
 * @param {((bytes: number) => number) | null} pace see FaultInjector
 * @returns {Promise<Buffer | null>} the body in a buffer of exactly its size, or null if the client disconnected
 * @throws {S3Error} MissingContentLength (S3 does not accept chunked bodies) or EntityTooLarge
 */
export async function receiveBody(request, pace) {
  const { 'content-length': declared, 'transfer-encoding': encoding } = request.headers;
  if (encoding !== undefined || (declared === undefined && METHODS_WITH_BODY.has(String(request.method)))) {
    throw new S3Error('MissingContentLength', 'You must provide the Content-Length HTTP header.');
  }
  const length = Number(declared ?? 0);
  if (length > MAX_BODY_BYTES) {
    throw new S3Error(
      'EntityTooLarge',
      `Your proposed upload exceeds the maximum allowed size of ${MAX_BODY_BYTES} bytes.`,
    );
  }
  return length === 0 ? EMPTY : collect(request, length, pace);
}

/**
 * @param {IncomingMessage} request
 * @param {number} length
 * @param {((bytes: number) => number) | null} pace
 * @returns {Promise<Buffer | null>}
 */
function collect(request, length, pace) {
  return new Promise((resolve) => {
    const body = Buffer.allocUnsafeSlow(length);
    let received = 0;
    let passed = Promise.resolve();
    request.on('data', (/** @type {Buffer} */ chunk) => {
      received += chunk.copy(body, received);
      if (pace !== null) {
        request.pause();
        passed = pass(pace(chunk.length)).then(() => void request.resume());
      }
    });
    // `end` can be emitted while the stream is paused for the last part, so wait for that part to pass.
    request.on('end', () => void passed.then(() => resolve(body)));
    request.on('close', () => {
      if (!request.readableEnded) {
        resolve(null);
      }
    });
  });
}
