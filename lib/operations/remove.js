import { AttemptError, NOT_FOUND } from '../s3/s3-error.js';

/** @import { Stage } from './operation.js' */

/** @type {Stage} */
export const remove = {
  name: 'Remove',
  isRead: false,
  isWrite: false,
  removes: true,
  needsObject: true,
  async attempt({ connection, bucket, key, place, attempts, workload }) {
    try {
      await connection.remove(bucket, key);
    } catch (error) {
      // An earlier attempt whose answer was lost has removed it.
      if (!(error instanceof AttemptError && error.kind === NOT_FOUND && attempts > 1)) {
        throw error;
      }
    }
    workload.written.delete(place);
  },
};
