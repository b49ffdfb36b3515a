import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packFatal, packTask, unpackFatal, unpackTask } from '../../lib/load/worker-messages.js';
import { OPERATIONS } from '../../lib/load/operations/registry.js';
import { mixedStage } from '../../lib/load/operations/stage.js';
import { AttemptError } from '../../lib/store/s3-error.js';
import { stageTask } from '../helpers/worker-spec.js';

/** @import { FatalError } from '../../lib/load/stage-watch.js' */

/**
 * @param {FatalError | null} fatal
 * @returns {FatalError | null} as it arrives in another thread
 */
function sent(fatal) {
  return unpackFatal(structuredClone(packFatal(fatal)));
}

const anyDetails = fc.record({
  kind: fc.constantFrom('denied', 'no-bucket', 'clock-skew'),
  handling: /** @type {fc.Arbitrary<'stop' | 'fail' | 'retry'>} */ (fc.constantFrom('stop', 'fail', 'retry')),
  message: fc.string(),
  status: fc.nat(599),
  code: fc.string(),
  retryAfter: fc.nat(),
  serverTime: fc.nat(),
  outcomeUnknown: fc.boolean(),
  staleConnection: fc.boolean(),
});

test('an attempt’s error arrives unchanged in another thread, whatever its texts', () => {
  fc.assert(
    fc.property(anyDetails, fc.string(), (details, bucket) => {
      const received = sent({ error: new AttemptError(details), bucket, operation: 'read' });
      assert.ok(received?.error instanceof AttemptError);
      assert.deepEqual([received.bucket, received.operation], [bucket, 'read']);
      assert.deepEqual(
        { ...received.error, message: received.error.message },
        { ...new AttemptError(details), ...details },
      );
    }),
  );
});

test('an unexpected error arrives with its name and message', () => {
  const received = sent({ error: new TypeError('x is not a function'), bucket: 'one', operation: 'read' });
  assert.ok(received?.error instanceof Error && !(received.error instanceof AttemptError));
  assert.deepEqual([received.bucket, received.error.message], ['one', 'TypeError: x is not a function']);
});

test('a stage’s operations arrive as those with the same names', () => {
  const [write, read] = OPERATIONS;
  const stage = mixedStage('Mixed', [
    { operation: read, weight: 3 },
    { operation: write, weight: 1 },
  ]);
  const task = { ...stageTask('Write', 10), stage };
  assert.deepEqual(unpackTask(structuredClone(packTask(task))), task);
});
