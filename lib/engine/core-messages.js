import { LatencyHistogram } from '../meter/latency-histogram.js';
import { AttemptError, detailsOf } from '../s3/s3-error.js';

/**
 * What the main thread asks of a core's thread. Each is answered by a Reply; nobody waits for that to `stop`.
 *
 * @typedef {{ id: number, call: 'open' }
 *   | { id: number, call: 'run', task: import('./core.js').StageTask }
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
 * @property {keyof import('./run-stage.js').StageHooks} hook
 * @property {any[]} parameters
 */

/**
 * An error's way from one thread to another: its class would be lost.
 *
 * @param {import('./stage-watch.js').FatalError | null} fatal
 * @returns {{ bucket: string, details: import('../s3/s3-error.js').AttemptErrorDetails | null, message: string } | null}
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
 * @returns {import('./stage-watch.js').FatalError | null}
 */
export function unpackFatal(packed) {
  if (packed === null) {
    return null;
  }
  const { bucket, details, message } = packed;
  return { bucket, error: details === null ? new Error(message) : new AttemptError(details) };
}

/**
 * @param {import('../meter/second-counts.js').SecondCount
 *   & { latencies: import('../meter/latency-histogram.js').HistogramState }} packed
 * @returns {import('./second-merger.js').MeasuredSecond}
 */
export function unpackSecond({ latencies: state, ...count }) {
  const latencies = new LatencyHistogram();
  latencies.addState(state);
  return { ...count, latencies };
}
