import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AttemptError, classifyAnswer } from '../../lib/store/s3-error.js';
import { remove } from '../../lib/load/operations/remove.js';
import { prepareOperation } from '../helpers/stage-operation.js';

/** @param {number} status */
function answering(status) {
  return () => {
    throw classifyAnswer({ status, now: 0 });
  };
}

test('Remove deletes the object, which is then no longer written', async () => {
  /** @type {unknown[]} */
  const requests = [];
  const { operation, workload } = prepareOperation(remove, {
    digest: 1,
    answer: ({ method, bucket, key }) => requests.push([method, bucket, key]),
  });
  await remove.attempt(operation);
  assert.deepEqual(requests, [['remove', operation.bucket, operation.key]]);
  assert.equal(workload.ledger.count, 0);
});

test('a 404 on a later attempt means that an earlier one removed the object', async () => {
  const { operation, workload } = prepareOperation(remove, { digest: 1, attempts: 2, answer: answering(404) });
  await remove.attempt(operation);
  assert.equal(workload.ledger.count, 0);
});

test('a 404 on the first attempt is a failure: the object did not exist', async () => {
  const { operation, workload } = prepareOperation(remove, { digest: 1, attempts: 1, answer: answering(404) });
  await assert.rejects(remove.attempt(operation), { kind: 'not-found' });
  assert.equal(workload.ledger.count, 1);
});

test('any other refusal is a failure on every attempt', async () => {
  for (const status of [403, 500]) {
    const { operation } = prepareOperation(remove, { digest: 1, attempts: 3, answer: answering(status) });
    await assert.rejects(remove.attempt(operation), AttemptError);
  }
});
