import { S3_CALLS } from '../../store/s3-calls.js';
import { versionOf } from '../workload/mixed-objects.js';
import { checkBody, checkSize, findsObject, lowestOf, refuseChanged } from './versions.js';
import { QUICK_PREFLIGHT, defineOperation, refuseMismatch } from './operation.js';

/**
 * @import { BodyVerifier, VersionVerifier } from '../workload/payload.js'
 */

/** Preflight only checks that larger objects of an earlier run exist, because reading them would take too long. */
const MAX_PREFLIGHT_BYTES = 2 ** 20;

/**
 * Compares each byte in place as it arrives. For speed, chunks are checked without being copied and without promises
 * (measured in bench/studies/README.md).
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
    const { connection, index, size } = record;
    const verifier = /** @type {BodyVerifier} */ (record.sink);
    verifier.begin(index, size);
    await connection.send(this.call, record);
    refuseMismatch(record, 'the body', verifier.end());
  },
  async attemptExisting(record) {
    const { connection, sink, size } = record;
    sink.received = 0;
    await connection.send(this.call, record);
    refuseChanged(record);
    checkSize(record, sink.received, size);
  },
  async attemptOfVersion(record) {
    const lowest = lowestOf(record);
    /** @type {VersionVerifier} */ (record.sink).beginVersion(record, 0, versionOf(lowest));
    if (await findsObject(this.call, record, lowest)) {
      checkBody(record, lowest, 'the body');
    }
  },
});
