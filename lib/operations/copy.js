import { S3_CALLS } from '../s3/s3-calls.js';
import { AttemptError } from '../s3/s3-error.js';
import { IntegrityError, NO_ETAG, QUICK_PREFLIGHT, defineOperation } from './operation.js';
import { checkEtag, findsObject, lowestOf } from './versions.js';

/** @import { OperationRecord } from './operation-record.js' */

/**
 * Makes the store copy an object to a second key of the run in the same bucket. Each object is copied once, so no key
 * is written twice. The response has no size, but its ETag must be that of the object.
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
    multipart: "a copy's ETag differs from that of an object written in parts",
  },
  async attempt(record) {
    const { connection, localIndex, workload } = record;
    const { written } = workload;
    chooseKeys(record);
    await connection.send(this.call, record);
    checkAnswer(record);
    const { etagDigest } = connection.reply;
    const expected = written.digestOf(localIndex);
    if (expected !== NO_ETAG && etagDigest !== expected) {
      throw new IntegrityError(record, 'the ETag of the copy differs from the one returned for the write');
    }
  },
  async attemptOfVersion(record) {
    chooseKeys(record);
    const lowest = lowestOf(record);
    if (await findsObject(this.call, record, lowest)) {
      checkAnswer(record);
      checkEtag(record, lowest, 'of the copy');
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
function checkAnswer({ connection }) {
  if (connection.reply.etagDigest === 0) {
    throw new AttemptError({
      kind: 'protocol',
      handling: 'retry',
      outcomeUnknown: true,
      message: 'the response does not confirm the copy',
    });
  }
}
