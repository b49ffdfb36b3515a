import { IntegrityError, otherSizeHint } from './operation.js';
import { NO_ETAG } from './write.js';

/** @import { Stage } from './operation.js' */

/** @type {Stage} */
export const stat = {
  name: 'Stat',
  isRead: false,
  isWrite: false,
  removes: false,
  needsObject: true,
  async attempt(operation) {
    const { connection, bucket, key, place, size, workload } = operation;
    await connection.head(bucket, key);
    const { contentLength, etagDigest } = connection.reply;
    if (contentLength !== size) {
      throw new IntegrityError(
        operation,
        contentLength < 0
          ? `the answer does not tell the size, ${size} bytes were expected`
          : `the size is ${contentLength} bytes, ${size} were expected${otherSizeHint(workload)}`,
      );
    }
    if (workload.wroteObjects && (etagDigest || NO_ETAG) !== workload.written.digestOf(place)) {
      throw new IntegrityError(operation, 'the ETag is not the one that the write was answered with');
    }
  },
};
