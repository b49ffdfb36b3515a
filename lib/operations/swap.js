import { isConditionRefused } from '../s3/s3-error.js';
import { defineOperation } from './operation.js';
import { RACE, conditionIgnored } from './race.js';

/** An ETag that no object has. */
const NO_OBJECTS_ETAG = `"${'0'.repeat(32)}"`;

/** A race to replace an object: see Race. All writes have the condition that its ETag is the one read before. */
export const swap = defineOperation({
  ...RACE,
  name: 'swap',
  effect: 'replaces',
  needsObject: true,
  race: {
    readsFirst: true,
    keyOf: ({ key }) => key,
    ledgerOf: ({ ledger }) => ledger,
    conditionOf: (etag) => ({ IfMatch: etag }),
    /** A write must be refused if its condition does not hold. */
    async tryAlone(record) {
      record.input = { IfMatch: NO_OBJECTS_ETAG };
      try {
        await record.connection.send(record.operation.call, record);
      } catch (error) {
        if (isConditionRefused(error)) {
          return;
        }
        throw error;
      }
      throw conditionIgnored();
    },
  },
});
