import { S3_CALLS } from '../s3/object-store.js';
import { checkMd5, checkSize, refuseChanged, verifierOf } from './existing-object.js';
import { IntegrityError, QUICK_PREFLIGHT, defineOperation, otherSizeHint } from './operation.js';

/** @import { OperationRecord } from './operation-record.js' */

/** A larger object of an earlier run would take preflight too long: it is only looked for. */
const MAX_PREFLIGHT_BYTES = 2 ** 20;

/**
 * Every byte is compared as it streams in, where the system has put it: no copy and no promise stands between a chunk and
 * its check (measured: bench/studies/README.md).
 */
export const read = defineOperation({
  name: 'read',
  call: S3_CALLS.GetObject,
  effect: 'reads',
  needsObject: true,
  transfer: 'receives',
  billingClass: 'B',
  isDefaultStage: true,
  preflight: { ...QUICK_PREFLIGHT, maxObjectBytes: MAX_PREFLIGHT_BYTES },
  async attempt(record) {
    const { connection, index, size, sink: verifier } = record;
    verifier.begin(index, size);
    await connection.send(this.call, record);
    const mismatch = verifier.end();
    if (mismatch >= 0) {
      throw new IntegrityError(record, `the body first differs at offset ${mismatch}${lengths(record)}`);
    }
  },
  async attemptExisting(record) {
    const verifier = verifierOf(record);
    verifier.begin(record.index);
    await record.connection.send(this.call, record);
    refuseChanged(record);
    checkSize(record, verifier.received, record.size);
    checkMd5(record);
  },
});

/**
 * @param {OperationRecord} record whose body has come
 * @returns {string} empty where it is as long as was expected
 */
function lengths({ sink: { received }, size, workload }) {
  return received === size ? '' : ` (${received} bytes came, ${size} were expected${otherSizeHint(workload)})`;
}
