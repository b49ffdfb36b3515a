import { defineOperation } from './operation.js';
import { RACE } from './race.js';

/** A race to replace an object, whose ETag is read first: see Race. */
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
  },
});
