import { S3_CALLS } from '../../store/s3-calls.js';
import { checkEtag, checkSize, findsObject, lowestOf, refuseChanged } from './versions.js';
import { IntegrityError, QUICK_PREFLIGHT, defineOperation } from './operation.js';

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
  async attempt(record) {
    const { connection, localIndex, workload } = record;
    await connection.send(this.call, record);
    checkLength(record);
    const { etagDigest } = connection.reply;
    if (workload.wroteObjects && !workload.ledger.matches(localIndex, etagDigest)) {
      throw new IntegrityError(record, 'the ETag differs from the one returned for the write');
    }
  },
  async attemptExisting(record) {
    await record.connection.send(this.call, record);
    refuseChanged(record);
    const { contentLength } = record.connection.reply;
    checkSize(record, contentLength < 0 ? record.size : contentLength, record.size);
  },
  async attemptOfVersion(record) {
    const lowest = lowestOf(record);
    if (await findsObject(this.call, record, lowest)) {
      checkLength(record);
      checkEtag(record, lowest);
    }
  },
});

/** @param {OperationRecord} record whose response has arrived */
function checkLength(record) {
  const { connection, size } = record;
  const { contentLength } = connection.reply;
  // Some stores and proxies omit the size, which preflight reports.
  if (contentLength >= 0 && contentLength !== size) {
    throw new IntegrityError(record, `the size is ${contentLength} bytes, expected ${size}`);
  }
}
