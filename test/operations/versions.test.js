import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendChange } from '../../lib/operations/versions.js';
import { write } from '../../lib/operations/write.js';
import { classifyAnswer, classifyFailure } from '../../lib/s3/s3-error.js';
import { MixedObjects, mixedMemory } from '../../lib/workload/mixed-objects.js';
import { prepareOperation } from '../helpers/stage-operation.js';

/** @param {Error} error with which an attempt to change an object ends */
async function isInDoubtAfter(error) {
  const { operation } = prepareOperation(write, {
    answer() {
      throw error;
    },
  });
  const mixed = new MixedObjects(mixedMemory(operation.localIndex + 1, false));
  operation.workload = { ...operation.workload, mixed };
  operation.state = mixed.versions.start(operation.localIndex, false);
  await assert.rejects(sendChange(write.call, operation), error);
  return mixed.versions.isDoubtful(operation.localIndex, operation.state);
}

for (const [status, code, isInDoubt] of /** @type {[number, string, boolean][]} */ ([
  [500, 'InternalError', true],
  [503, 'SlowDown', true],
  [408, 'RequestTimeout', true],
  // S3 returns this with a 400, possibly after it has passed on the beginning.
  [400, 'RequestTimeout', true],
  // A response without a code of the store may come from a proxy that had forwarded the request.
  [400, '', true],
  [429, 'TooManyRequests', false],
  [429, '', false],
  [400, 'BadDigest', false],
  [403, 'AccessDenied', false],
])) {
  test(`the outcome of a change after ${status} ${code} is ${isInDoubt ? 'unknown' : 'known'}`, async () => {
    const error = classifyAnswer({ status, code, now: 0 });
    assert.equal(await isInDoubtAfter(error), isInDoubt);
  });
}

test('the outcome of a change without a response is unknown only if it was sent', async () => {
  const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
  for (const sent of [true, false]) {
    assert.equal(await isInDoubtAfter(classifyFailure(reset, { sent, answered: false, stale: false })), sent);
  }
});
