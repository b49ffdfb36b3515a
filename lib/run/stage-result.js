import { peakOf } from '../meter/second-counts.js';

/**
 * A finished stage, as the reports take it. Times are epoch ms, latencies ms, rates ops/s.
 *
 * @typedef {object} StageResultFields
 * @property {import('../log/log-line.js').StageName} stage
 * @property {import('../engine/run-stage.js').StageEnd} end
 * @property {number} objects that the stage was given
 * @property {number} threads
 * @property {number} startedAt
 * @property {number} endedAt
 * @property {number} duration ms
 * @property {number} average operations that succeeded ÷ duration
 * @property {number} peak see peakOf
 * @property {readonly import('../meter/second-counts.js').SecondCount[]} seconds
 * @property {{ operations: LatencyHistogram, attempts: LatencyHistogram }} latencies
 * @property {ConnectionResult} connections
 * @property {import('../meter/client-load.js').ClientLoad} clientLoad
 * @property {import('./store-clock.js').ClockFacts | null} storeClock as it was known at the stage's end
 *
 * @typedef {StageResultFields & import('../meter/stage-meter.js').StageCounts} StageResult
 * @typedef {import('../meter/latency-histogram.js').LatencyHistogram} LatencyHistogram
 */

/**
 * What became of a stage's connections.
 *
 * @typedef {object} ConnectionCounts
 * @property {number} opened since the stage before, those opened ahead of the first stage included
 * @property {number} reused requests that went over a connection that had carried one before
 * @property {number | null} lookupTime of the host's name in ms, where a connection was opened and the name looked up
 *
 * @typedef {ConnectionCounts & import('../meter/connection-meter.js').OpeningCosts} ConnectionResult
 */

/** A stage of no length would have no rate. */
const SHORTEST_DURATION_MS = 0.001;

/**
 * @param {object} parts
 * @param {import('../stages/stage.js').Stage} parts.stage
 * @param {import('../engine/cores.js').StageOutcome} parts.outcome
 * @param {import('../meter/clock.js').Clock} parts.clock
 * @param {number} parts.objects
 * @param {number} parts.threads
 * @param {import('./store-clock.js').ClockFacts | null} parts.storeClock
 * @returns {StageResult}
 */
export function stageResult({ stage, outcome, clock, objects, threads, storeClock }) {
  const { meter } = outcome;
  const counts = meter.counts();
  const startedAt = clock.toEpoch(outcome.startedAt);
  const endedAt = clock.toEpoch(outcome.endedAt);
  const duration = Math.max(endedAt - startedAt, SHORTEST_DURATION_MS);
  const average = counts.operations / (duration / 1000);
  const seconds = meter.seconds.until(outcome.endedAt);
  return {
    stage: stage.name,
    end: outcome.end,
    objects,
    threads,
    startedAt,
    endedAt,
    duration,
    average,
    peak: peakOf(seconds, { startedAt, endedAt, average }),
    seconds,
    latencies: meter.latencies(),
    connections: connectionResult(outcome.connections),
    clientLoad: outcome.clientLoad,
    storeClock,
    ...counts,
  };
}

/**
 * @param {import('../engine/cores.js').ConnectionOutcome} outcome
 * @returns {ConnectionResult}
 */
function connectionResult({ opened, reused, lookupTime, meter }) {
  return { opened, reused, lookupTime, ...meter.costs() };
}
