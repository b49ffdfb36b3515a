import { isConditionRefused } from '../s3/s3-error.js';
import { defineOperation } from './operation.js';
import { RACE, conditionIgnored } from './race.js';

/**
 * A race to create an object: see Race. Each object of the run has a second key for it, that of its copy. All writes
 * have the condition that the key does not exist.
 */
export const create = defineOperation({
  ...RACE,
  name: 'create',
  effect: 'copies',
  needsObject: false,
  race: {
    readsFirst: false,
    keyOf: ({ workload, index }) => workload.keyspace.copyKeyOf(index),
    ledgerOf: ({ copies }) => copies ?? null,
    conditionOf: () => ({ IfNoneMatch: '*' }),
    /** The first write must succeed, and the second must be refused. */
    async tryAlone(record) {
      let isWritten = false;
      for (;;) {
        try {
          await record.connection.send(record.operation.call, record);
        } catch (error) {
          // A write of an earlier attempt, which got no clear response, may have been carried out.
          if (isConditionRefused(error) && (isWritten || record.attempts > 1)) {
            return;
          }
          throw error;
        }
        if (isWritten) {
          throw conditionIgnored();
        }
        isWritten = true;
        record.attempts += 1;
      }
    },
  },
});
