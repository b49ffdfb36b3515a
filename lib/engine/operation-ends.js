import { isThrottled } from '../s3/retry.js';
import { AttemptError } from '../s3/s3-error.js';
import { IntegrityError } from '../operations/registry.js';
import { ABANDONED } from './stage-watch.js';

/**
 * @import { StageMeter } from '../meter/stage-meter.js'
 * @import { RetryHooks } from '../s3/retry.js'
 * @import { Operation } from './operation.js'
 * @import { StageHooks } from './run-stage.js'
 * @import { StageWatch } from './stage-watch.js'
 */

// What is counted and told of attempts and operations that did not succeed.

/**
 * @param {StageMeter} meter
 * @param {StageHooks} hooks
 * @returns {RetryHooks}
 */
export function retryHooks(meter, hooks) {
  return {
    attemptFailed(error, latency, finishedAt) {
      meter.attemptFailed(error.kind, latency, finishedAt);
      meter.throttled += Number(isThrottled(error));
      meter.unsent += Number(!error.sent);
    },
    retrying(error) {
      meter.retries += 1;
      hooks.retrying(error.kind, error.wasMoving ? error.message : '');
    },
  };
}

/**
 * @param {StageMeter} meter
 * @param {StageHooks} hooks
 * @param {StageWatch} watch
 * @returns {(operation: Operation, error: unknown) => void} what is done about an operation that did not succeed
 */
export function failureCounter(meter, hooks, watch) {
  return (operation, error) => {
    if (error instanceof IntegrityError) {
      const { attemptStartedAt, finishedAt } = operation;
      meter.attemptFailed('integrity', finishedAt - attemptStartedAt, finishedAt);
      meter.integrityErrors += 1;
      hooks.integrityError(error.message);
    } else if (!(error instanceof AttemptError) || error.verdict === 'stop') {
      meter.failed += 1;
      watch.fail({ error, bucket: operation.bucket });
    } else if (watch.stopped.aborted && error.verdict === 'retry') {
      meter.abandoned += 1;
      // An attempt that was cut off might have succeeded: what came before it is what was lost.
      const { attemptStartedAt, finishedAt } = operation;
      meter.gaveUp(operation, error.kind === ABANDONED ? attemptStartedAt : finishedAt);
    } else {
      meter.failed += 1;
      meter.gaveUp(operation, operation.finishedAt);
      hooks.failed(operation, error.message);
    }
  };
}
