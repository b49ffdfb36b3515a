import { LatencyHistogram } from '../meter/latency-histogram.js';
import { AttemptError, detailsOf } from '../s3/s3-error.js';

/**
 * @import { StageTask } from './core.js'
 * @import { StageHooks } from './run-stage.js'
 * @import { MeasuredSecond } from './second-merger.js'
 * @import { FatalError } from './stage-watch.js'
 * @import { HistogramState } from '../meter/latency-histogram.js'
 * @import { SecondCount } from '../model/result.js'
 * @import { AttemptErrorDetails } from '../s3/s3-error.js'
 */

/**
 * What the main thread asks of a core's thread. Each is answered by a Reply; nobody waits for that to `stop`.
 *
 * @typedef {{ id: number, call: 'open' }
 *   | { id: number, call: 'run', task: StageTask }
 *   | { id: number, call: 'close' }
 *   | { id: number, call: 'stop' }} Request
 *
 * @typedef {object} Reply
 * @property {'reply'} kind
 * @property {number} id
 * @property {any} [result]
 * @property {string} [error] where the call failed
 *
 * @typedef {object} Event what becomes known while a stage runs
 * @property {'event'} kind
 * @property {keyof StageHooks} hook
 * @property {any[]} parameters
 */

/**
 * An error's way from one thread to another: its class would be lost.
 *
 * @param {FatalError | null} fatal
 * @returns {{ bucket: string, details: AttemptErrorDetails | null, message: string } | null}
 */
export function packFatal(fatal) {
  if (fatal === null) {
    return null;
  }
  const { error, bucket } = fatal;
  const details = error instanceof AttemptError ? detailsOf(error) : null;
  return { bucket, details, message: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
}

/**
 * @param {ReturnType<typeof packFatal>} packed
 * @returns {FatalError | null}
 */
export function unpackFatal(packed) {
  if (packed === null) {
    return null;
  }
  const { bucket, details, message } = packed;
  return { bucket, error: details === null ? new Error(message) : new AttemptError(details) };
}

/**
 * @param {SecondCount
 *   & { latencies: HistogramState }} packed
 * @returns {MeasuredSecond}
 */
export function unpackSecond({ latencies: state, ...count }) {
  const latencies = new LatencyHistogram();
  latencies.addState(state);
  return { ...count, latencies };
}
