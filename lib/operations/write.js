import { S3_CALLS } from '../s3/s3-calls.js';
import { versionOf } from '../workload/mixed-objects.js';
import { NO_ETAG } from './no-etag.js';
import { QUICK_PREFLIGHT, defineOperation } from './operation.js';
import { mixedOf } from './versions.js';

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
  async attemptOfVersion(record) {
    const { connection, localIndex, index, size, state, outcomeUnknown, workload } = record;
    record.body = workload.payload.bodyOf(index, size, versionOf(state));
    await connection.send(this.call, record);
    // If an earlier attempt takes effect late, the ETag may become another one, although the bytes are the same.
    workload.written.add(localIndex, outcomeUnknown ? NO_ETAG : connection.reply.etagDigest || NO_ETAG);
    mixedOf(record).answer(localIndex, state);
  },
});
