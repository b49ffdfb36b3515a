import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AttemptError } from '../../lib/store/s3-error.js';
import { OPERATIONS } from '../../lib/load/operations/registry.js';
import { IntegrityError } from '../../lib/load/operations/operation.js';
import { prepareOperation } from '../helpers/stage-operation.js';

test('an integrity error names the object and what was found', () => {
  const { operation, localIndex } = prepareOperation(OPERATIONS[0], { answer: () => {} });
  const error = new IntegrityError(operation, 'the size is 3 bytes');
  assert.equal(error.message, `${localIndex}: the size is 3 bytes`);
  assert.equal(error.name, 'IntegrityError');
});

for (const each of OPERATIONS) {
  test(`${each.name} passes on the store’s error and records nothing`, async () => {
    const error = new AttemptError({ kind: 'throttled', handling: 'retry', message: 'HTTP 503' });
    const { operation, workload } = prepareOperation(each, {
      digest: 77,
      attempts: 2,
      answer: () => {
        throw error;
      },
    });
    await assert.rejects(each.attempt(operation), error);
    assert.ok(workload.ledger.matches(operation.index, 77));
  });
}
