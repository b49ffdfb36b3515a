/** Stands for the digest of an ETag where the store's answer to a write named none. */
export const NO_ETAG = 1;

/** @type {import('./stage.js').Stage} */
export const write = {
  name: 'Write',
  isWrite: true,
  needsObject: false,
  async attempt({ connection, bucket, key, index, size, workload }) {
    await connection.put(bucket, key, workload.payload.body(index, size), size);
    workload.written.add(index, connection.reply.etagDigest || NO_ETAG);
  },
};
