/** @import { LatencySummary, StageLatency } from '../model/result.js' */

/**
 * The times that a Worker's binding took, next to those of the requests to the Worker.
 *
 * @param {readonly { stage: string, latency: StageLatency }[]} stages
 * @returns {{ stage: string, timed: string, user: LatencySummary | null, binding: LatencySummary }[]} empty without a
 *   Worker
 */
export function bindingRows(stages) {
  return stages.flatMap(({ stage, latency }) =>
    /** @type {const} */ ([
      ['the whole call', latency.binding],
      ['until the first byte', latency.bindingFirstByte],
    ]).flatMap(([timed, binding]) => (binding ? [{ stage, timed, user: latency.operations, binding }] : [])),
  );
}
