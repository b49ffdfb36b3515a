import { IntegrityError, otherSizeHint } from './operation.js';

/** @import { Stage, StageOperation } from './operation.js' */

/**
 * Every byte is compared as it streams in, in the callback that undici hands the chunk to: no promise stands between a
 * chunk and its check (measured: bench/studies/README.md).
 *
 * @type {Stage}
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
      throw new IntegrityError(operation, `the body first differs at offset ${mismatch}${lengths(operation)}`);
    }
  },
};

/**
 * @param {StageOperation} operation whose body has come
 * @returns {string} empty where it is as long as was expected
 */
function lengths({ verifier: { received }, size, workload }) {
  return received === size ? '' : ` (${received} bytes came, ${size} were expected${otherSizeHint(workload)})`;
}
