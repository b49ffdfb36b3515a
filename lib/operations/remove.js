import { S3_CALLS } from '../s3/s3-calls.js';
import { AttemptError, NOT_FOUND } from '../s3/s3-error.js';
import { QUICK_PREFLIGHT, defineOperation } from './operation.js';
import { mixedOf } from './versions.js';

/** Enough to retry for over a second: R2 accepts one write per second per key, and a deletion may count as a write. */
const MAX_PREFLIGHT_ATTEMPTS = 7;

export const remove = defineOperation({
  name: 'remove',
  call: S3_CALLS.DeleteObject,
  effect: 'removes',
  needsObject: true,
  transfer: 'none',
  billingClass: 'free',
  isDefaultStage: true,
  preflight: { ...QUICK_PREFLIGHT, maxAttempts: MAX_PREFLIGHT_ATTEMPTS },
  async attempt(record) {
    const { connection, localIndex, attempts, workload } = record;
    try {
      await connection.send(this.call, record);
    } catch (error) {
      // An earlier attempt, whose response was lost, has removed the object.
      if (!(error instanceof AttemptError && error.kind === NOT_FOUND && attempts > 1)) {
        throw error;
      }
    }
    workload.written.delete(localIndex);
  },
  async attemptOfVersion(record) {
    const { connection, localIndex, state, workload } = record;
    try {
      await connection.send(this.call, record);
    } catch (error) {
      // A change with an unknown outcome may have removed the object, or may not have created it.
      if (!(error instanceof AttemptError && error.kind === NOT_FOUND)) {
        throw error;
      }
    }
    workload.written.delete(localIndex);
    mixedOf(record).answer(localIndex, state);
  },
});
