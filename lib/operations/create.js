import { defineOperation } from './operation.js';
import { RACE } from './race.js';

/** @import { Ledger } from '../workload/ledger.js' */

/** A race to create an object under a second key, that of the object's copy: see Race. */
export const create = defineOperation({
  ...RACE,
  name: 'create',
  effect: 'copies',
  needsObject: false,
  race: {
    readsFirst: false,
    keyOf: ({ workload, index }) => workload.keyspace.copyKeyOf(index),
    ledgerOf: ({ copies }) => /** @type {Ledger} */ (copies),
    conditionOf: () => ({ IfNoneMatch: '*' }),
  },
});
