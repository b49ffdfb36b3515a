import { operationNamed } from './operations/registry.js';
import { mixedStage, rewritingStage } from './operations/stage.js';
import { AttemptError, detailsOf } from '../store/s3-error.js';

/**
 * @import { StageTask } from './worker.js'
 * @import { StageHooks } from './run-stage.js'
 * @import { FatalError } from './stage-watch.js'
 * @import { Credentials } from '../result/config.js'
 * @import { AttemptErrorDetails } from '../store/s3-error.js'
 */

/**
 * A message from the main thread to a worker's thread. Each gets a Reply; replies to `stop` and `renew` are ignored.
 *
 * @typedef {{ id: number, call: 'open' }
 *   | { id: number, call: 'run', task: PackedTask }
 *   | { id: number, call: 'close' }
 *   | { id: number, call: 'renew', credentials: Credentials }
 *   | { id: number, call: 'stop' }} Request
 *
 * @typedef {{ kind: 'reply', id: number, result?: any, error?: string }} Reply with an error if the call failed
 *
 * @typedef {{ kind: 'event', hook: keyof StageHooks, parameters: any[] }} Event reported while a stage runs
 */

/**
 * A stage's operations are functions, which cannot be sent, so their names are sent instead.
 *
 * @typedef {Omit<StageTask, 'stage'> & { stage: PackedStage }} PackedTask
 *
 * @typedef {{ name: string, kinds: { operation: string, weight: number }[], rewrites: boolean }} PackedStage
 */

/**
 * @param {StageTask} task
 * @returns {PackedTask}
 */
export function packTask({ stage: { name, kinds, rewrites }, ...task }) {
  const packed = kinds.map(({ operation, weight }) => ({ operation: operation.name, weight }));
  return { ...task, stage: { name, kinds: packed, rewrites } };
}

/**
 * @param {PackedTask} packed
 * @returns {StageTask}
 */
export function unpackTask({ stage: { name, kinds, rewrites }, ...task }) {
  const unpacked = kinds.map(({ operation, weight }) => ({ operation: operationNamed(operation), weight }));
  return { ...task, stage: rewrites ? rewritingStage(unpacked, name) : mixedStage(name, unpacked) };
}

/**
 * An error loses its class when it is sent to another thread, so its details are sent instead.
 *
 * @param {FatalError | null} fatal
 * @returns {{ bucket: string, operation: string, details: AttemptErrorDetails | null, message: string } | null}
 */
export function packFatal(fatal) {
  if (fatal === null) {
    return null;
  }
  const { error, ...context } = fatal;
  const details = error instanceof AttemptError ? detailsOf(error) : null;
  return { ...context, details, message: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
}

/**
 * @param {ReturnType<typeof packFatal>} packed
 * @returns {FatalError | null}
 */
export function unpackFatal(packed) {
  if (packed === null) {
    return null;
  }
  const { details, message, ...context } = packed;
  return { ...context, error: details === null ? new Error(message) : new AttemptError(details) };
}
