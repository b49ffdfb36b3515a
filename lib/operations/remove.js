import { S3_CALLS } from '../s3/s3-calls.js';
import { NOT_FOUND, isKind } from '../s3/s3-error.js';
import { QUICK_PREFLIGHT, defineOperation } from './operation.js';

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
    const { connection, localIndex, attempts, state, workload } = record;
    const { mixed, ledger } = workload;
    try {
      await connection.send(this.call, record);
    } catch (error) {
      // Either an earlier attempt, whose response was lost, has removed the object, or in a mixed load, an earlier change
      // with an unknown outcome has removed it or did not create it.
      if (!(isKind(error, NOT_FOUND) && (attempts > 1 || mixed))) {
        throw error;
      }
    }
    ledger.delete(localIndex);
    mixed?.answer(localIndex, state);
  },
});
