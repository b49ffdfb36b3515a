import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IntegrityError } from '../../lib/load/operations/operation.js';
import { stat } from '../../lib/load/operations/stat.js';
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

test('what a response does not state proves nothing', async () => {
  await statAnswered({ etagDigest: 4711, contentLength: -1 }, { digest: 4711 }).stating;
  await statAnswered({ etagDigest: 0, contentLength: 16 }, { digest: 4711 }).stating;
  await assert.rejects(statAnswered({ etagDigest: 4712, contentLength: -1 }, { digest: 4711 }).stating, IntegrityError);
  await assert.rejects(statAnswered({ etagDigest: 0, contentLength: 15 }, { digest: 4711 }).stating, IntegrityError);
});

test('a run that did not write checks only the size', async () => {
  await statAnswered({ etagDigest: 4712, contentLength: 16 }, { wroteObjects: false }).stating;
  await assert.rejects(statAnswered({ etagDigest: 0, contentLength: 1 }, { wroteObjects: false }).stating, {
    name: 'IntegrityError',
    message: /: the size is 1 bytes, expected 16$/,
  });
});
