import { describeShortfall } from '../ramp.js';

/** @import { RampResult, RampStep, SearchDimension, SearchStep } from '../result.js' */

const VERDICTS = Object.freeze({ kept: 'kept', missed: 'missed', client: 'host late' });

/**
 * A step of a ramp or a search, as every output shows it.
 *
 * @typedef {object} ShownStep
 * @property {string} what purpose of the step, and why it does not count
 * @property {number | null} x threads or requested rate; null if the step did not set it
 * @property {number} operationsPerSecond
 * @property {number | null} p50 ms
 * @property {number | null} p99 ms
 * @property {number} errors failed attempts
 * @property {number} throttled
 * @property {number | null} client utilization of the busiest event loop, 0 to 1; null if unknown
 * @property {boolean} counts whether it is a point of the curve
 *
 * @param {RampStep | SearchStep} step
 * @param {SearchDimension} [varied]
 * @returns {ShownStep}
 */
export function shownStep(step, varied = 'threads') {
  const { errors, throttled } = step;
  if (!('phase' in step)) {
    const { threads, operations, latency, shortfall } = step;
    const operationsPerSecond = operations.reduce((sum, each) => sum + each, 0) / Math.max(operations.length, 1);
    const { p50 = null, p99 = null } = latency ?? {};
    const what = shortfall === null ? 'slot' : `does not count: ${describeShortfall(shortfall)}`;
    const counts = shortfall === null;
    return { what, x: threads, operationsPerSecond, p50, p99, errors, throttled, client: null, counts };
  }
  const { phase, verdict, operationsPerSecond, p50, p99, eventLoopUtilization: client } = step;
  const x = step[varied] ?? null;
  const what = x === null ? 'closed loop' : verdict === undefined ? phase : `${phase}, ${VERDICTS[verdict]}`;
  const counts = x !== null && !phase.endsWith(' size');
  return { what, x, operationsPerSecond, p50, p99, errors, throttled, client, counts };
}

/** The fastest step of those that count; null if none does. @param {RampResult} ramp */
export function bestStepOf({ steps }) {
  return steps
    .filter(({ shortfall }) => shortfall === null)
    .map((step) => ({ step, rate: shownStep(step).operationsPerSecond }))
    .reduce(
      (best, each) => (best === null || each.rate > best.rate ? each : best),
      /** @type {{ step: RampStep, rate: number } | null} */ (null),
    );
}
