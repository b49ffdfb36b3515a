import { ConnectionMeter } from '../meter/connection-meter.js';
import { StageMeter } from '../meter/stage-meter.js';

/** The worse end of two: what has to be told of a stage that ended differently on two cores. */
const ENDS = /** @type {const} */ (['complete', 'stopped', 'stalled', 'overloaded', 'fatal']);

/**
 * @param {import('../meter/clock.js').Clock} clock
 * @param {import('./run-stage.js').Load} load
 * @param {readonly import('./core.js').CoreOutcome[]} outcomes
 * @param {Pick<import('../meter/client-load.js').ClientLoad, 'cpuUser' | 'cpuSystem'>} cpuTime
 * @returns {Omit<import('./cores.js').StageOutcome, 'secondLatencies'>}
 */
export function mergeOutcomes(clock, { windows }, outcomes, cpuTime) {
  const startedAt = Math.min(...outcomes.map((outcome) => outcome.startedAt));
  const utilizations = outcomes.map(({ eventLoopUtilization }) => eventLoopUtilization);
  const meter = new StageMeter(clock, startedAt, { windows });
  const connections = {
    opened: 0,
    reused: 0,
    lookupTime: outcomes.find(({ connections: { lookupTime } }) => lookupTime !== null)?.connections.lookupTime ?? null,
    meter: new ConnectionMeter(),
  };
  for (const outcome of outcomes) {
    meter.addState(outcome.meter);
    connections.opened += outcome.connections.opened;
    connections.reused += outcome.connections.reused;
    connections.meter.addState(outcome.connections.costs);
  }
  return {
    end: ENDS[Math.max(...outcomes.map(({ end }) => ENDS.indexOf(end)))],
    fatal: outcomes.find(({ fatal }) => fatal !== null)?.fatal ?? null,
    startedAt,
    endedAt: Math.max(...outcomes.map((outcome) => outcome.endedAt)),
    meter,
    clientLoad: {
      ...cpuTime,
      loops: outcomes.length,
      eventLoopUtilization: Math.max(...utilizations),
      busyLoops: utilizations.reduce((sum, utilization) => sum + utilization),
    },
    connections,
  };
}
