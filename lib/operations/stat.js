import { S3_CALLS } from '../s3/s3-calls.js';
import { checkSize, refuseChanged } from './existing-object.js';
import { NO_ETAG } from './no-etag.js';
import { IntegrityError, QUICK_PREFLIGHT, defineOperation, otherSizeHint } from './operation.js';
import { checkEtag, sendRead } from './versions.js';

/** @import { OperationRecord } from './operation-record.js' */

export const stat = defineOperation({
  name: 'stat',
  call: S3_CALLS.HeadObject,
  effect: 'reads',
  needsObject: true,
  transfer: 'none',
  billingClass: 'B',
  isDefaultStage: true,
  preflight: QUICK_PREFLIGHT,
  limitWithoutWrites: 'Stat checks sizes alone: the ETags are known only to the run that wrote the objects',
  async attempt(record) {
    const { connection, localIndex, workload } = record;
    await connection.send(this.call, record);
    checkLength(record);
    const { etagDigest } = connection.reply;
    if (workload.wroteObjects && (etagDigest || NO_ETAG) !== workload.written.digestOf(localIndex)) {
      throw new IntegrityError(record, 'the ETag is not the one that the write was answered with');
    }
  },
  async attemptExisting(record) {
    await record.connection.send(this.call, record);
    refuseChanged(record);
    checkSize(record, record.connection.reply.contentLength, record.size);
  },
  async attemptOfVersion(record) {
    const lowest = await sendRead(this.call, record);
    if (lowest >= 0) {
      checkLength(record);
      checkEtag(record, record.connection.reply.etagDigest, lowest, 'of the object');
    }
  },
});

/** @param {OperationRecord} record whose answer has come */
function checkLength(record) {
  const { connection, size, workload } = record;
  const { contentLength } = connection.reply;
  if (contentLength !== size) {
    throw new IntegrityError(
      record,
      contentLength < 0
        ? `the answer does not tell the size, ${size} bytes were expected`
        : `the size is ${contentLength} bytes, ${size} were expected${otherSizeHint(workload)}`,
    );
  }
}
