import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WITHHELD, keepSecrets } from '../../lib/text/redact.js';
import { batchRemove } from '../../lib/load/operations/remove.js';
import { OperationRecord } from '../../lib/load/operations/operation-record.js';
import { fakeEngine } from '../helpers/fake-store.js';

/** @typedef {{ Deleted?: { Key: string }[], Errors?: { Key?: string, Code?: string }[] }} Output */

/**
 * Removes four objects with requests whose responses come from the test.
 *
 * @param {(keys: string[]) => Output} answer
 * @param {{ written?: number[], wroteObjects?: boolean }} [choice]
 */
function removing(answer, { written = [0, 1, 2, 3], wroteObjects = true } = {}) {
  /** @type {string[][]} */
  const requests = [];
  const { workload: fixed, connections } = fakeEngine({
    wroteObjects,
    answer: ({ method, input, connection }) => {
      assert.equal(method, 'batch');
      const keys = input?.Delete.Objects.map((/** @type {{ Key: string }} */ { Key }) => Key);
      requests.push(keys);
      connection.reply.output = answer(keys);
    },
  });
  written.forEach((local) => fixed.ledger.add(local, 1));
  const record = new OperationRecord(batchRemove, { ...fixed, sizeOf: () => 10 }, connections[0]);
  const locals = Uint32Array.of(0, 1, 2, 3);
  record.takeGroup(0, batchRemove, { slot: 0, locals, isLast: true, next: -1 }, 0);
  const keys = [...locals].map((local) => fixed.keyspace.keyOf(local));
  return { attempt: () => batchRemove.attempt(record), written: fixed.ledger, keys, requests, record };
}

/** @param {string[]} keys */
function deleted(keys) {
  return keys.map((Key) => ({ Key }));
}

test('one request removes all objects of a batch, which are then no longer written', async () => {
  const { attempt, written, keys, requests } = removing((asked) => ({ Deleted: deleted(asked) }));
  await attempt();
  assert.deepEqual([requests, written.count], [[keys], 0]);
});

test('objects of another run are removed without knowing whether they exist', async () => {
  const { attempt, keys, requests } = removing((asked) => ({ Deleted: deleted(asked) }), {
    written: [],
    wroteObjects: false,
  });
  await attempt();
  assert.deepEqual(requests, [keys]);
});

test('a key that was not deleted is a failure that names it, and the next attempt requests only that key', async () => {
  const { attempt, written, keys, requests } = removing((asked) =>
    asked.length === 1
      ? { Deleted: deleted(asked) }
      : {
          Deleted: deleted(asked.filter((_, index) => index !== 2)),
          Errors: [{ Key: asked[2], Code: 'InternalError' }],
        },
  );
  await assert.rejects(attempt(), {
    kind: 'not-deleted',
    handling: 'retry',
    message: `1 of 4 keys were not deleted (first: ${keys[2]}): InternalError`,
  });
  assert.deepEqual([written.count, written.has(2)], [1, true]);
  await attempt();
  assert.deepEqual([requests[1], written.count], [[keys[2]], 0]);
});

test('a store’s error for a key is shown on one line, with its code but no other text', async () => {
  const { attempt } = removing((asked) => ({
    Deleted: deleted(asked.slice(1)),
    Errors: [{ Key: 'a\nkey\u001b[2J', Code: 'not a code\n' }],
  }));
  await assert.rejects(attempt(), {
    message: '1 of 4 keys were not deleted (first: a key\\u{1b}[2J): no reason given',
  });
});

test('a store’s error for a key reveals no secret', async () => {
  keepSecrets({ secrets: ['aSecretOfLetters'] });
  const { attempt } = removing((asked) => ({
    Deleted: deleted(asked.slice(1)),
    Errors: [{ Key: 'b/%61SecretOfLetters', Code: 'aSecretOfLetters' }],
  }));
  await assert.rejects(attempt(), {
    message: `1 of 4 keys were not deleted (first: ${WITHHELD}): ${WITHHELD}`,
  });
});

test('a key missing from the response, or one that was not requested, is an integrity error', async () => {
  const silent = removing((asked) => ({ Deleted: deleted(asked.slice(1)) }));
  await assert.rejects(silent.attempt(), {
    name: 'IntegrityError',
    message: new RegExp(`does not mention ${silent.keys[0]}$`),
  });
  assert.equal(silent.written.count, 1);
  const strange = removing((asked) => ({ Deleted: deleted([...asked, 'another']) }));
  await assert.rejects(strange.attempt(), { name: 'IntegrityError', message: /lists another as deleted/ });
});
