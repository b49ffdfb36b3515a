import { S3_CALLS } from '../s3/object-store.js';
import { QUICK_PREFLIGHT, defineOperation } from './operation.js';

/** Stands for the digest of an ETag where the store's answer to a write named none. */
export const NO_ETAG = 1;

export const write = defineOperation({
  name: 'write',
  call: S3_CALLS.PutObject,
  effect: 'creates',
  needsObject: false,
  transfer: 'sends',
  canTakeParts: true,
  billingClass: 'A',
  isDefaultStage: true,
  preflight: QUICK_PREFLIGHT,
  async attempt(record) {
    const { connection, localIndex, index, size, workload } = record;
    record.body = workload.payload.body(index, size);
    if (workload.checksums !== undefined) {
      record.input = workload.checksums.inputOf(index, size);
    }
    await connection.send(this.call, record);
    workload.written.add(localIndex, connection.reply.etagDigest || NO_ETAG);
  },
});
