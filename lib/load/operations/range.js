import { S3_CALLS } from '../../store/s3-calls.js';
import { AttemptError } from '../../store/s3-error.js';
import { versionOf } from '../workload/mixed-objects.js';
import { changedError, checkBody, checkSize, findsObject, lowestOf, refuseChanged } from './versions.js';
import { IntegrityError, QUICK_PREFLIGHT, defineOperation, refuseMismatch } from './operation.js';

/**
 * @import { BodyVerifier, VersionVerifier } from '../workload/payload.js'
 * @import { OperationRecord } from './operation-record.js'
 */

const PARTIAL_CONTENT = 206;
const RANGE_NOT_SATISFIABLE = 416;

/** A Content-Range header that states the complete length (RFC 9110, section 14.4). */
const CONTENT_RANGE = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/;

/**
 * Reads a part of an object. Parts have the length of --range-size and follow each other from the start of the object;
 * a shorter remainder at the end is never read. The choice of the part is a pure function of the run ID, the object and
 * the operation's turn in its stage, so a retry requests the same bytes.
 */
export const range = defineOperation({
  name: 'range',
  call: S3_CALLS.GetObject,
  effect: 'reads',
  needsObject: true,
  transfer: 'receives',
  part: 'rangeSize',
  billingClass: 'B',
  isDefaultStage: false,
  preflight: QUICK_PREFLIGHT,
  async attempt(record) {
    const { connection, index, size } = record;
    const { first, whole } = chooseRange(record);
    const verifier = /** @type {BodyVerifier} */ (record.sink);
    verifier.begin(index, size, first);
    await connection.send(this.call, record);
    checkRange(record, first, whole);
    refuseMismatch(record, `the range at ${first}`, verifier.end());
  },
  async attemptExisting(record) {
    const { connection, sink, size } = record;
    const { first, whole } = chooseRange(record);
    sink.received = 0;
    try {
      await connection.send(this.call, record);
    } catch (error) {
      throw error instanceof AttemptError && error.status === RANGE_NOT_SATISFIABLE
        ? changedError('the object is shorter')
        : error;
    }
    refuseChanged(record);
    if (size > 0) {
      checkRange(record, first, whole);
    }
    checkSize(record, sink.received, size);
  },
  async attemptOfVersion(record) {
    const { first, whole } = chooseRange(record);
    const lowest = lowestOf(record);
    /** @type {VersionVerifier} */ (record.sink).beginVersion(record, first, versionOf(lowest));
    if (await findsObject(this.call, record, lowest)) {
      checkRange(record, first, whole);
      checkBody(record, lowest, `the range at ${first}`);
    }
  },
});

/** Sets the input. Returns the offset of the range and the object's size in bytes. @param {OperationRecord} record */
function chooseRange(record) {
  const { index, size, turn, workload } = record;
  const whole = workload.sizeOf(index);
  const first = size === 0 ? 0 : size * workload.payload.partOf(index, turn, Math.floor(whole / size));
  // An empty object, which only another program can have written, has no parts and is read as a whole.
  record.input = size === 0 ? undefined : { Range: `bytes=${first}-${first + size - 1}` };
  return { first, whole };
}

/**
 * @param {OperationRecord} record whose response has arrived
 * @param {number} first offset of the range, in bytes
 * @param {number} whole bytes of the object
 */
function checkRange(record, first, whole) {
  const { connection, size } = record;
  const { status, contentRange } = connection.reply;
  if (status !== PARTIAL_CONTENT) {
    throw new IntegrityError(record, `the range at ${first} got HTTP ${status}, expected 206`);
  }
  const [, ...shown] = CONTENT_RANGE.exec(contentRange) ?? [];
  const [start, last, length] = shown.map(Number);
  if (start !== first || last !== first + size - 1 || length !== whole) {
    const got = shown.length === 0 ? 'no valid value' : `${start}-${last}/${length}`;
    throw new IntegrityError(record, `expected Content-Range ${first}-${first + size - 1}/${whole}, got ${got}`);
  }
}
