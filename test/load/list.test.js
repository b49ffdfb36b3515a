import assert from 'node:assert/strict';
import { test } from 'node:test';
import { list } from '../../lib/load/operations/list.js';
import { IntegrityError } from '../../lib/load/operations/operation.js';
import { OperationRecord } from '../../lib/load/operations/operation-record.js';
import { AttemptError } from '../../lib/store/s3-error.js';
import { ObjectGroups } from '../../lib/load/workload/object-groups.js';
import { fakeEngine } from '../helpers/fake-store.js';

/** @import { ObjectRequest } from '../../lib/store/object-store.js' */

const PAGE_SIZE = 4;
const OBJECTS = 17;

/**
 * Lists a page of a run; the test changes the responses.
 *
 * @param {object} choice
 * @param {number} choice.page
 * @param {(right: { keys: string[], continues: boolean }) => { keys: string[], continues: boolean | undefined }} [choice.change]
 * @param {number[]} [choice.unwritten]
 * @param {boolean} [choice.wroteObjects]
 */
function listPage({ page, change = (right) => right, unwritten = [], wroteObjects = true }) {
  /** @type {ObjectRequest['input'][]} */
  const inputs = [];
  const { workload: fixed, connections } = fakeEngine({
    objects: OBJECTS,
    wroteObjects,
    answer: ({ bucket, input, connection }) => {
      inputs.push(input);
      const { Prefix, StartAfter, MaxKeys } = /** @type {Record<string, any>} */ (input);
      const there = Array.from({ length: OBJECTS }, (_, index) => index)
        .filter((index) => keyspace.bucketOf(index) === bucket && !unwritten.includes(index))
        .map((index) => keyspace.keyOf(index))
        .filter((key) => key.startsWith(Prefix) && key > StartAfter)
        .toSorted();
      const { keys, continues } = change({ keys: there.slice(0, MaxKeys), continues: there.length > MaxKeys });
      connection.reply.output = { Contents: keys.map((Key) => ({ Key })), IsTruncated: continues };
    },
  });
  const { keyspace, shard } = fixed;
  for (let index = 0; index < OBJECTS; index++) {
    if (!unwritten.includes(index)) {
      fixed.ledger.add(index, 1);
    }
  }
  const workload = { ...fixed, sizeOf: () => 10, amounts: { ...fixed.amounts, pageSize: PAGE_SIZE } };
  const groups = new ObjectGroups({ keyspace, shard, first: 0, objects: OBJECTS, size: PAGE_SIZE, isByKey: true });
  const record = new OperationRecord(list, workload, connections[0]);
  record.takeGroup(0, list, groups.at(page), page);
  const keys = [...record.locals].map((local) => keyspace.keyOf(local));
  return { listing: list.attempt(record), record, groups, keys, inputs, locals: [...record.locals], keyspace };
}

const { groups: GROUPS } = listPage({ page: 0 });
const PAGES = Array.from({ length: GROUPS.count }, (_, page) => page);
const LAST = PAGES.findLast((page) => GROUPS.at(page).isLast) ?? 0;

test('each page is requested by its starting point and has the keys that the run wrote there', async () => {
  const listed = [];
  for (const page of PAGES) {
    const { listing, keys, inputs, record, keyspace } = listPage({ page });
    await listing;
    listed.push(...keys);
    const start = { Prefix: keyspace.keyPrefix, StartAfter: keyspace.beforeKeyOf(record.locals[0]) };
    assert.deepEqual(inputs, [{ ...start, Delimiter: undefined, MaxKeys: PAGE_SIZE }]);
  }
  assert.equal(new Set(listed).size, OBJECTS);
});

test('a missing key is an integrity error that names it, regardless of its position on the page', async () => {
  for (const page of PAGES) {
    const { keys } = listPage({ page });
    for (const missing of keys) {
      const change = (/** @type {{ keys: string[], continues: boolean }} */ right) => ({
        ...right,
        keys: right.keys.filter((key) => key !== missing),
        continues: right.continues && missing !== keys.at(-1),
      });
      const { listing } = listPage({ page, change });
      const isEnd = missing === keys.at(-1) && !GROUPS.at(page).isLast;
      await assert.rejects(listing, (error) => {
        // If a page lacks its last key and more follow, the store may have cut it short.
        assert.ok(error instanceof IntegrityError || (isEnd && error instanceof AttemptError), String(error));
        assert.match(error.message, /does not contain benchmark\/run-1\/|contains 3 of its 4 keys/);
        return true;
      });
    }
  }
});

test('a page that begins before its start, as if start-after were ignored, is no integrity error', async () => {
  for (const page of PAGES.slice(1)) {
    const { listing, keyspace } = listPage({
      page,
      change: ({ keys, continues }) => ({ keys: [`${keyspace.keyPrefix}-running-0`, ...keys], continues }),
    });
    await assert.rejects(listing, { name: 'AttemptError', kind: 'start-after', handling: 'fail' });
  }
});

test('a key that the run did not write is an integrity error, which shows it on one line', async () => {
  const foreign = (/** @type {(key: string) => string} */ make) => (/** @type {any} */ right) => ({
    ...right,
    keys: [right.keys[0], make(right.keys[0]), ...right.keys.slice(1)],
  });
  const { listing } = listPage({ page: 0, change: foreign((key) => `${key}\u001b[2J`) });
  await assert.rejects(listing, {
    name: 'IntegrityError',
    message: /-\d+\\u\{1b\}\[2J, which the run did not write$/,
  });
  // Also after the last key of all.
  const after = listPage({
    page: LAST,
    change: (right) => ({ ...right, keys: [...right.keys, 'benchmark/run-1/zzz'] }),
  });
  await assert.rejects(after.listing, /contains benchmark\/run-1\/zzz, which the run did not write$/);
});

test('a list that ends before the last key of the run is an integrity error, unless no more keys must exist', async () => {
  const change = (/** @type {{ keys: string[], continues: boolean }} */ right) => ({ ...right, continues: false });
  const { listing, record, locals } = listPage({ page: 0, change });
  await assert.rejects(listing, {
    name: 'IntegrityError',
    message: /the list ends here, before the last key of the run$/,
  });
  const after = record.nextLocal;
  assert.ok(after !== -1 && !locals.includes(after));
  await listPage({ page: 0, change, unwritten: [after] }).listing;
  await listPage({ page: LAST, change }).listing;
});

test('an object whose write failed may or may not be listed', async () => {
  const [one, ...others] = listPage({ page: 0 }).locals;
  for (const unwritten of [[one], others.slice(-1), others]) {
    await listPage({ page: 0, unwritten }).listing;
  }
  const { listing } = listPage({ page: 0, unwritten: [one], wroteObjects: false });
  await assert.rejects(listing, /does not contain \S+$/);
});

test('probes and other objects of the run among the keys are a failure, not an integrity error', async () => {
  const withProbe = (/** @type {{ keys: string[], continues: boolean }} */ { keys, continues }) => {
    const index = Number(keys[0].slice(keys[0].lastIndexOf('-') + 1));
    const { keyspace } = listPage({ page: 0 });
    return { keys: [keys[0], keyspace.probeKeyOf(index), ...keys.slice(1)], continues };
  };
  const { listing } = listPage({ page: 0, change: withProbe, wroteObjects: false });
  await assert.rejects(listing, {
    kind: 'short-page',
    message: /contains 4 of its 4 keys, and 1 other key of the run$/,
  });
});

test('a single object, as preflight tries it, may be followed by others', async () => {
  const { record, keys } = listPage({ page: 0 });
  record.take(0, list, record.locals[0]);
  await list.attempt(record);
  assert.deepEqual([record.key, record.locals.length, record.isLastOfBucket], [keys[0], 1, false]);
});
