import { STAGE_NAMES } from '../log/log-line.js';
import { aggregateStage } from './aggregate-stage.js';
import { isUnknownClock } from './machine-facts.js';
import { missingShards } from './missing-shards.js';
import { mixedRuns } from './mixed-runs.js';
import { hostsOf } from './hosts-of.js';
import { hostsOfOneRunApart, runsOfOneHostApart } from './runs-apart.js';
import { originOf, viewsOf } from './stage-views.js';
import { timeSeriesOf } from './time-series.js';
import { unknownNames } from './unknown-names.js';

/**
 * @import { StageAggregate } from './aggregate-stage.js'
 * @import { HostLogs } from './host-logs.js'
 * @import { HostRun } from './host-run.js'
 * @import { LogWarning } from './read-logs.js'
 * @import { Host } from './hosts-of.js'
 * @import { StageView } from './stage-views.js'
 * @import { TimeSeriesRow } from './time-series.js'
 */

/**
 * @typedef {object} Aggregate what all logs say together
 * @property {Record<string, number>} peaks ops/s of the stages that occur, in their order: first those that this version
 *   runs, then the others as they come up in the logs
 * @property {boolean} isDated whether moments are those of a date; otherwise they count from midnight before the first line
 * @property {Host[]} hosts
 * @property {ClockTrust} clocks
 * @property {StageAggregate[]} stages in their order
 * @property {() => Iterable<TimeSeriesRow>} timeSeries what each host did in each second, worked out anew with each call
 * @property {LogWarning[]} warnings
 * @property {LogWarning[]} runsApart what does not belong into one sum, unless the user says so
 *
 * @typedef {object} ClockTrust how far the seconds of the hosts can be compared
 * @property {{ uncertainty: number, host: string } | null} worst ± ms by which a host's seconds may differ from those of
 *   the store, where hosts have measured it
 * @property {string[]} trusted hosts that have not: their own clocks are trusted
 * @property {string[]} withoutMachineLines hosts whose logs say no date and count in rates: taken to be of the other
 *   hosts' day, or of one day
 */

/**
 * @param {HostLogs} logs read to their ends
 * @returns {Aggregate}
 */
export function mergeHosts(logs) {
  const hosts = hostsOf(logs.runs);
  const origin = originOf(hosts);
  /** @type {Map<string, StageView[]>} */
  const views = new Map();
  for (const stage of stagesOf(hosts)) {
    const ofStage = viewsOf(stage, hosts, origin.second);
    if (ofStage.length > 0) {
      views.set(stage, ofStage);
    }
  }
  const stages = [...views].map(([stage, ofStage]) => aggregateStage(stage, ofStage, logs.latencies.get(stage)));
  return {
    peaks: Object.fromEntries(stages.map(({ stage, peak }) => [stage, peak.operationsPerSecond])),
    isDated: origin.isDated,
    hosts,
    clocks: clockTrust(hosts),
    stages,
    timeSeries: () => timeSeriesOf(views),
    warnings: [
      ...logs.warnings(),
      ...mixedRuns(logs.runs),
      ...hostsOfOneRunApart(views),
      ...missingShards(logs.runs),
      ...unknownNames(logs.runs),
    ],
    runsApart: runsOfOneHostApart(views),
  };
}

/** @param {readonly Host[]} hosts */
function stagesOf(hosts) {
  return new Set([...STAGE_NAMES, ...hosts.flatMap(({ runs }) => runs.flatMap(({ stages }) => [...stages.keys()]))]);
}

/**
 * @param {readonly Host[]} hosts
 * @returns {ClockTrust}
 */
function clockTrust(hosts) {
  /** @type {ClockTrust} */
  const trust = { worst: null, trusted: [], withoutMachineLines: [] };
  for (const { name, runs } of hosts) {
    const uncertainties = runs.flatMap(uncertaintiesOf);
    const uncertainty = uncertainties.reduce((one, other) => Math.max(one, other), 0);
    if (uncertainties.length > 0 && uncertainty > (trust.worst?.uncertainty ?? -1)) {
      trust.worst = { uncertainty, host: name };
    }
    if (runs.some(({ isOurs }) => !isOurs)) {
      trust.withoutMachineLines.push(name);
    } else if (runs.some((run) => uncertaintiesOf(run).length === 0 || run.unknownClocks().length > 0)) {
      trust.trusted.push(name);
    }
  }
  return trust;
}

/**
 * What is seen of the clock after the start may only widen the uncertainty.
 *
 * @param {HostRun} run
 */
function uncertaintiesOf({ facts, stages }) {
  const clocks = [facts?.clock, ...[...stages.values()].map((stage) => stage.facts?.clock)];
  return clocks.flatMap((clock) => (clock && !isUnknownClock(clock) ? [clock.uncertainty] : []));
}
