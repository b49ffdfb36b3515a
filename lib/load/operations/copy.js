import { S3_CALLS } from '../../store/s3-calls.js';
import { unconfirmed } from '../../store/s3-error.js';
import { QUICK_PREFLIGHT, defineOperation } from './operation.js';
import { findsObject, lowestOf } from './versions.js';

/** @import { OperationRecord } from './operation-record.js' */

/**
 * Makes the store copy an object to a second key of the run in the same bucket. Each object is copied once, so no key
 * is written twice. The response proves little: its ETag may differ from the object's, as with keys of a KMS. The size of
 * the copies and a sample of their bytes are checked at the end of the run; see after-run.js.
 */
export const copy = defineOperation({
  name: 'copy',
  call: S3_CALLS.CopyObject,
  effect: 'copies',
  needsObject: true,
  transfer: 'none',
  billingClass: 'A',
  isDefaultStage: false,
  preflight: QUICK_PREFLIGHT,
  refuses: {
    keptObjects: 'its copies could not be distinguished from copies that the run kept',
    multipart: 'an object that is written in parts may be too large for one copy request',
  },
  async attempt(record) {
    chooseKeys(record);
    await record.connection.send(this.call, record);
    accept(record);
  },
  async attemptOfVersion(record) {
    chooseKeys(record);
    if (await findsObject(this.call, record, lowestOf(record))) {
      accept(record);
    }
  },
});

/** @param {OperationRecord} record its key becomes the copy's key, and its input names the source */
function chooseKeys(record) {
  const { index, bucket, workload } = record;
  const { keyspace } = workload;
  record.key = keyspace.copyKeyOf(index);
  record.input = { CopySource: `/${bucket}/${keyspace.keyOf(index)}` };
}

/**
 * @param {OperationRecord} record whose response has arrived
 * @throws {AttemptError} if the response does not confirm the copy; the next attempt may succeed
 */
function accept({ connection, localIndex, workload }) {
  if (connection.reply.etagDigest === 0) {
    throw unconfirmed('the response does not confirm the copy');
  }
  workload.copies?.add(localIndex);
}
