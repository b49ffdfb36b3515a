import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanUp } from '../../lib/run/cleanup/cleanup.js';
import { Reconciliation } from '../../lib/run/cleanup/reconciliation.js';
import { Keyspace, WHOLE } from '../../lib/load/workload/keyspace.js';
import { Ledger, ledgerMemory } from '../../lib/load/workload/ledger.js';
import { cases } from '../helpers/cases.js';
import { FakeAdmin } from '../helpers/fake-admin.js';

const BUCKETS = ['one', 'two'];
const KEYSPACE = new Keyspace({ runId: 'run-1', prefix: 'benchmark', buckets: BUCKETS });
const FOREIGN = ['benchmark/run-1/notes.txt', 'benchmark/run-1/0badcafe-7', 'benchmark/run-2/0badcafe-7'];

/**
 * What a run did to each of its keys, and what the store made of it: whether the object is there, and whether lists show
 * it. `confirmed`: the ledger's state; `unknown`: the answer was lost.
 *
 * @typedef {object} Fate
 * @property {'never' | 'written' | 'removed' | 'unknown'} confirmed
 * @property {boolean} isThere
 * @property {boolean} isHidden
 */

/** @type {fc.Arbitrary<Fate>} */
const FATE = fc.record({
  confirmed: fc.constantFrom('never', 'written', 'written', 'removed', 'unknown'),
  isThere: fc.boolean(),
  isHidden: fc.boolean(),
});

/**
 * @param {readonly Fate[]} fates
 * @param {(fate: Fate) => boolean} matches
 */
function count(fates, matches) {
  return fates.filter(matches).length;
}

/**
 * @param {number} number
 * @param {string} noun
 */
function counted(number, noun) {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

test('whatever a store loses, keeps or hides, the sentences count it, and nothing of the run is left but what only the store knows', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(FATE, { maxLength: 60 }), fc.integer({ min: 1, max: 20 }), async (given, pageLength) => {
      // What the run never wrote is not there.
      const fates = given.map((fate) => ({ ...fate, isThere: fate.confirmed !== 'never' && fate.isThere }));
      const ledger = new Ledger(ledgerMemory(fates.length));
      /** @type {Record<string, string[]>} */
      const keys = { one: [...FOREIGN], two: [...FOREIGN] };
      const hidden = new Set();
      fates.forEach(({ confirmed, isThere, isHidden }, index) => {
        const key = KEYSPACE.keyOf(index);
        if (confirmed === 'written' || confirmed === 'removed') {
          ledger.add(index, index);
        }
        if (confirmed === 'removed') {
          ledger.delete(index);
        }
        if (confirmed === 'unknown') {
          ledger.doubt(index);
        }
        keys[KEYSPACE.bucketOf(index)].push(...(isThere ? [key] : []));
        hidden.add(isHidden ? key : '');
      });
      const admin = new FakeAdmin(keys, { pageLength, hides: (key) => hidden.has(key) });
      const [shard, wait, random] = [WHOLE, async () => {}, () => 0.5];
      const sizeOf = (/** @type {number} */ index) => KEYSPACE.keyOf(index).length;
      const reconciliation = new Reconciliation({
        keyspace: KEYSPACE,
        shard,
        sizeOf,
        ledger,
        copies: null,
        random,
        wait,
      });
      const result = await cleanUp({
        admin: /** @type {any} */ (admin),
        keyspace: KEYSPACE,
        owns: () => true,
        reconciliation,
        versioned: new Set(),
        retry: (request) => request(),
        outcomeUnknown: false,
        wait,
      });

      const lost = count(fates, ({ confirmed, isThere }) => confirmed === 'written' && !isThere);
      const undone = count(
        fates,
        ({ confirmed, isThere, isHidden }) => confirmed === 'removed' && isThere && !isHidden,
      );
      const unlisted = count(
        fates,
        ({ confirmed, isThere, isHidden }) => confirmed === 'written' && isThere && isHidden,
      );
      assert.deepEqual(reconciliation.sentences(''), [
        ...(lost > 0 ? [`the store confirmed ${counted(lost, 'write')} that it does not have`] : []),
        ...(undone > 0 ? [`the store confirmed ${counted(undone, 'delete')} that it did not carry out`] : []),
        ...(unlisted > 0 ? [`the store made ${counted(unlisted, 'object')} that it does not list`] : []),
      ]);
      assert.equal(result.left, 0);
      assert.equal(result.foreign, 2 * BUCKETS.length);
      // A hidden object is found only if the run knows of it, and is told by another that lists are incomplete.
      const left = new Set(BUCKETS.flatMap((bucket) => admin.keysOf(bucket)));
      const expected = fates.flatMap(({ confirmed, isThere, isHidden }, index) =>
        isThere && isHidden && (confirmed === 'removed' || (confirmed === 'unknown' && unlisted === 0))
          ? [KEYSPACE.keyOf(index)]
          : [],
      );
      assert.deepEqual([...left].toSorted(), [...FOREIGN, ...expected].toSorted());
    }),
    { numRuns: cases(200) },
  );
});

test('a copy that two walks list with another size than written counts once', () => {
  const [ledger, copies] = [0, 1].map(() => new Ledger(ledgerMemory(3)));
  const options = { keyspace: KEYSPACE, shard: WHOLE, sizeOf: () => 100, ledger, copies, random: Math.random };
  const reconciliation = new Reconciliation(options);
  copies.add(0, 0);
  for (let walk = 0; walk < 2; walk++) {
    reconciliation.startWalk();
    reconciliation.list({ isProbe: false, isCopy: true, index: 0 }, 101);
  }
  assert.match(reconciliation.sentences('').join(), /^the store lists 1 copy with another size than written: /);
});
