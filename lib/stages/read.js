import { IntegrityError } from './stage.js';

/**
 * Every byte is compared as it streams in, in the callback that undici hands the chunk to: no promise stands between a
 * chunk and its check (measured: bench/studies/README.md).
 *
 * @type {import('./stage.js').Stage}
 */
export const read = {
  name: 'Read',
  isRead: true,
  isWrite: false,
  removes: false,
  needsObject: true,
  async attempt(operation) {
    const { connection, bucket, key, index, size, verifier } = operation;
    verifier.begin(index, size);
    await connection.get(bucket, key, verifier);
    const mismatch = verifier.end();
    if (mismatch >= 0) {
      throw new IntegrityError(operation, describe(mismatch, verifier.received, size));
    }
  },
};

/**
 * @param {number} mismatch offset
 * @param {number} received bytes
 * @param {number} size bytes that were written
 */
function describe(mismatch, received, size) {
  const length = received === size ? '' : ` (${received} bytes came, ${size} were written)`;
  return `the body differs from what was written from offset ${mismatch} on${length}`;
}
