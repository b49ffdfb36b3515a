import { ConnectionMeter } from '../meter/connection-meter.js';
import { StageMeter } from '../meter/stage-meter.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { CoreOutcome } from './core.js'
 * @import { StageOutcome } from './cores.js'
 * @import { Load } from './run-stage.js'
 * @import { ClientLoad } from '../model/result.js'
 */

/** The worse end of two: what has to be told of a stage that ended differently on two cores. */
const ENDS = /** @type {const} */ (['complete', 'stopped', 'stalled', 'overloaded', 'fatal']);

/**
 * @param {Clock} clock
 * @param {Load} load
 * @param {readonly CoreOutcome[]} outcomes
 * @param {Pick<ClientLoad, 'cpuUser' | 'cpuSystem'>} cpuTime
 * @returns {Omit<StageOutcome, 'secondLatencies'>}
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
