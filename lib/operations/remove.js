import { S3_CALLS } from '../s3/s3-calls.js';
import { AttemptError, NOT_FOUND } from '../s3/s3-error.js';
import { QUICK_PREFLIGHT, defineOperation } from './operation.js';
import { sendChange } from './versions.js';

/** R2 takes one write a second of a key, and a deletion may count as one: preflight retries for longer than a second. */
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
      // An earlier attempt whose answer was lost has removed it.
      if (!(error instanceof AttemptError && error.kind === NOT_FOUND && attempts > 1)) {
        throw error;
      }
    }
    workload.written.delete(localIndex);
  },
  async attemptOfVersion(record) {
    const { localIndex, workload } = record;
    try {
      await sendChange(this.call, record);
    } catch (error) {
      // The write of an object whose outcome is unknown may not have been carried out.
      if (!(error instanceof AttemptError && error.kind === NOT_FOUND)) {
        throw error;
      }
    }
    workload.written.delete(localIndex);
    record.isAcknowledged = true;
  },
});
