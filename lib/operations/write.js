/** @import { Stage } from './operation.js' */

/** Stands for the digest of an ETag where the store's answer to a write named none. */
export const NO_ETAG = 1;

/** @type {Stage} */
export const write = {
  name: 'Write',
  isRead: false,
  isWrite: true,
  removes: false,
  needsObject: false,
  async attempt({ connection, bucket, key, place, index, size, workload }) {
    await connection.put(bucket, key, workload.payload.body(index, size), size);
    workload.written.add(place, connection.reply.etagDigest || NO_ETAG);
  },
};
