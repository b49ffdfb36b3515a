import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IntegrityError } from '../../lib/operations/operation.js';
import { stat } from '../../lib/operations/stat.js';
import { prepareOperation } from '../helpers/stage-operation.js';

/**
 * @param {{ etagDigest: number, contentLength: number }} reply
 * @param {{ wroteObjects?: boolean, digest?: number }} [choice]
 */
function statAnswered(reply, choice = {}) {
  const { operation, localIndex } = prepareOperation(stat, {
    ...choice,
    size: 16,
    answer: ({ method, connection }) => {
      assert.equal(method, 'head');
      Object.assign(connection.reply, reply);
    },
  });
  return { stating: stat.attempt(operation), localIndex };
}

test('a response without a size is an integrity error', async () => {
  const { stating, localIndex } = statAnswered({ etagDigest: 4711, contentLength: -1 }, { digest: 4711 });
  await assert.rejects(stating, {
    name: 'IntegrityError',
    message: `${localIndex}: the response does not state the size, expected 16 bytes`,
  });
});

test('a missing ETag is an integrity error only if the write had one', async () => {
  const answer = { etagDigest: 0, contentLength: 16 };
  await assert.rejects(statAnswered(answer, { digest: 4711 }).stating, IntegrityError);
  const { operation } = prepareOperation(stat, {
    size: 16,
    answer: ({ connection }) => void Object.assign(connection.reply, answer),
  });
  operation.workload.ledger.add(operation.localIndex);
  await stat.attempt(operation);
});

test('a run that did not write checks only the size', async () => {
  await statAnswered({ etagDigest: 4712, contentLength: 16 }, { wroteObjects: false }).stating;
  await assert.rejects(statAnswered({ etagDigest: 0, contentLength: 1 }, { wroteObjects: false }).stating, {
    name: 'IntegrityError',
    message: /: the size is 1 bytes, expected 16; check that the run was written with this --size$/,
  });
});
