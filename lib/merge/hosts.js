import path from 'node:path';
import { plainLine } from '../log/plain-text.js';
import { MEGABYTE } from '../log/units.js';
import { STAGES_WITHOUT_BYTES } from '../operations/registry.js';
import { correctionOf } from './machine-facts.js';
import { wholeDays } from './time-line.js';

/**
 * @import { SummaryRecord } from '../log/log-line.js'
 * @import { RampResult } from '../model/result.js'
 * @import { HostRun } from './host-run.js'
 * @import { StageLog } from './stage-log.js'
 */

/**
 * @typedef {object} Host
 * @property {string} name unlike those of the other hosts
 * @property {string} file
 * @property {HostRun[]} runs one after the other
 */

/**
 * A log is a host, several processes of one machine are, too. One file may hold the logs of several hosts, one after the
 * other; their run lines tell them apart.
 *
 * @param {readonly HostRun[]} runs
 * @returns {Host[]} in the order of their logs
 */
export function hostsOf(runs) {
  /** @type {Map<string, HostRun[]>} */
  const groups = new Map();
  for (const run of runs.filter(({ stages }) => stages.size > 0)) {
    const identity = JSON.stringify([run.file, run.facts?.host, run.facts?.shard]);
    const group = groups.get(identity) ?? [];
    group.push(run);
    groups.set(identity, group);
  }
  const members = [...groups.values()];
  const names = members.map(([run]) => namesOf(run));
  const uses = new Map();
  names.flat().forEach((name) => uses.set(name, (uses.get(name) ?? 0) + 1));
  return members.map((itsRuns, place) => {
    const name = names[place].find((candidate) => uses.get(candidate) === 1) ?? names[place][0];
    return { name, file: itsRuns[0].file, runs: itsRuns };
  });
}

/**
 * @param {HostRun} run
 * @returns {string[]} by which its host may be called, the shortest first; the last is unlike any other's
 */
function namesOf({ file, facts }) {
  const [name, base] = [file, path.basename(file)].map(plainLine);
  const { host = null, shard = null } = facts ?? {};
  if (host === null) {
    return distinct(shard === null ? [base, name] : [`${base} ${shard}`, `${name} ${shard}`]);
  }
  const withShard = shard === null ? host : `${host} ${shard}`;
  return distinct([host, withShard, `${withShard} (${base})`, `${withShard} (${name})`]);
}

/**
 * A file without a folder is called the same either way, and its name is no less unlike the others for that.
 *
 * @param {readonly string[]} names
 */
function distinct(names) {
  return [...new Set(names)];
}

/**
 * One host's stage on the time line that all hosts share.
 *
 * @typedef {object} StageView
 * @property {Host} host
 * @property {HostRun} run
 * @property {StageLog} log
 * @property {number} shift seconds to be added to those of the log
 * @property {{ start: number, stop: number } | null} interval ms in which the host was in the stage; null where it is not known
 * @property {{ from: number, to: number } | null} full the first and the last second that lie wholly inside the stage; null
 *   where none does
 * @property {number} measuredFrom the first second that has nothing of a warm-up in it; -Infinity where there was none
 * @property {number} measuredUntil the first second that has nothing but a drain in it; Infinity where that is not known
 * @property {number} operations that succeeded
 * @property {number} bytes
 */

/**
 * @param {string} stage
 * @param {readonly Host[]} hosts
 * @param {number | null} origin a second with a date, in which logs that say none are taken to have begun, but for days
 * @returns {StageView[]}
 */
export function viewsOf(stage, hosts, origin) {
  return hosts.flatMap((host) => {
    const undated = host.runs.find(({ shift, stages }) => shift === null && firstSecondOf(stages.values()) !== null);
    const begun = undated === undefined ? null : firstSecondOf(undated.stages.values());
    const daysOfLog = begun === null || origin === null ? 0 : wholeDays(origin - begun);
    return host.runs.flatMap((run) => {
      const log = run.stages.get(stage);
      return log?.isMeasured ? [viewOf(host, run, log, run.shift ?? daysOfLog)] : [];
    });
  });
}

/**
 * @param {readonly Host[]} hosts
 * @returns {{ second: number | null, isDated: boolean }} the first second of a run that has a date, or else of the first
 *   log
 */
export function originOf(hosts) {
  const runs = hosts.flatMap((host) => host.runs);
  const dated = runs.filter(({ shift }) => shift !== null);
  const starts = dated.flatMap(({ stages, shift }) => {
    const first = firstSecondOf(stages.values());
    return first === null ? [] : [first + Number(shift)];
  });
  if (starts.length > 0) {
    return { second: starts.reduce((one, other) => Math.min(one, other)), isDated: true };
  }
  const first = runs.map(({ stages }) => firstSecondOf(stages.values())).find((second) => second !== null);
  return { second: first ?? null, isDated: dated.length > 0 };
}

/** @param {Iterable<StageLog>} stages */
function firstSecondOf(stages) {
  /** @type {number | null} */
  let first = null;
  for (const { extent } of stages) {
    if (extent !== null) {
      first = Math.min(first ?? extent.first, extent.first);
    }
  }
  return first;
}

/**
 * @param {Host} host
 * @param {HostRun} run
 * @param {StageLog} log
 * @param {number} shift
 * @returns {StageView}
 */
function viewOf(host, run, log, shift) {
  const { operations, bytes } = workOf(run, log);
  const correction = correctionOf(log.facts?.clock ?? run.facts?.clock);
  const view = {
    host,
    run,
    log,
    shift,
    interval: intervalOf(log, shift),
    full: fullSeconds(run, log, shift),
    measuredFrom: firstMeasured(log),
    measuredUntil: log.facts === null ? Infinity : Math.ceil(log.facts.measuredUntil / 1000),
    operations,
    bytes,
  };
  return correction === 0 ? view : moved(view, correction);
}

/**
 * @param {StageView} view
 * @param {number} seconds by which it is moved on the time line
 * @returns {StageView}
 */
function moved({ shift, interval, full, measuredFrom, measuredUntil, ...rest }, seconds) {
  return {
    ...rest,
    shift: shift + seconds,
    interval: interval && { start: interval.start + 1000 * seconds, stop: interval.stop + 1000 * seconds },
    full: full && { from: full.from + seconds, to: full.to + seconds },
    measuredFrom: measuredFrom + seconds,
    measuredUntil: measuredUntil + seconds,
  };
}

/**
 * @param {StageLog} log
 * @param {number} shift
 */
function intervalOf({ facts, extent }, shift) {
  if (facts !== null) {
    return { start: facts.start, stop: facts.stop };
  }
  return extent === null ? null : { start: (extent.first + shift) * 1000, stop: (extent.last + 1 + shift) * 1000 };
}

/**
 * @param {StageLog} log
 * @returns {number} the first second that has nothing of a warm-up in it, whose operations are in no rate
 */
function firstMeasured({ facts }) {
  return facts === null || facts.measuredFrom === facts.start ? -Infinity : Math.ceil(facts.measuredFrom / 1000);
}

/**
 * Where a log of ours is cut short, the seconds at its edges may be part of the stage only. The lines of a log without
 * machine lines are rates, which are whole everywhere.
 *
 * @param {HostRun} run
 * @param {StageLog} log
 * @param {number} shift
 */
function fullSeconds({ isOurs }, { facts, extent }, shift) {
  if (extent === null) {
    return null;
  }
  const edge = isOurs ? 1 : 0;
  const full =
    facts === null
      ? { from: extent.first + shift + edge, to: extent.last + shift - edge }
      : { from: Math.ceil(facts.measuredFrom / 1000), to: Math.floor(facts.measuredUntil / 1000) - 1 };
  return full.from > full.to ? null : full;
}

/**
 * The work of a stage, from the best source that its log has: its machine line, its summary, or its seconds.
 *
 * @param {HostRun} run
 * @param {StageLog} log
 */
function workOf({ facts: runFacts }, { name, facts, summary, scheduled, counted, countedBytes }) {
  if (facts !== null) {
    return facts.counts;
  }
  const operations = summary === null ? Math.round(counted) : operationsOf(summary, scheduled);
  if (STAGES_WITHOUT_BYTES.includes(name)) {
    return { operations, bytes: 0 };
  }
  const { size = null, sizes = null, mix = null } = runFacts ?? {};
  const isExact = size !== null && sizes === null && mix === null;
  const bytes = isExact ? operations * size : summary === null ? countedBytes : summary.megabytes * MEGABYTE;
  return { operations, bytes: Math.round(bytes) };
}

/**
 * A summary has the mean, in one decimal: the number of operations follows from it but for rounding, and is that of the
 * scheduled ones where these lie within it.
 *
 * @param {SummaryRecord} summary
 * @param {number | null} scheduled
 */
function operationsOf({ milliseconds, averageOperationsPerSecond }, scheduled) {
  const seconds = milliseconds / 1000;
  const about = averageOperationsPerSecond * seconds;
  const maxRoundingError = 0.05 * seconds + 0.0005 * averageOperationsPerSecond + 0.5;
  return scheduled !== null && Math.abs(about - scheduled) <= maxRoundingError ? scheduled : Math.round(about);
}

/**
 * What a host has of the steps of a stage.
 *
 * @typedef {object} StageRamp
 * @property {string} host
 * @property {RampResult | null} ramp null where there are no steps
 * @property {boolean} hasBegun whether it was in the stage at all
 */

/**
 * @param {string} stage
 * @param {readonly Host[]} hosts
 * @returns {StageRamp[]} of the hosts that have the stage
 */
export function rampsOf(stage, hosts) {
  return hosts.flatMap(({ name, runs }) => {
    const logs = runs.flatMap((run) => run.stages.get(stage) ?? []);
    const ramps = logs.flatMap(({ ramp }) => ramp ?? []);
    const [first] = ramps;
    const ramp = first === undefined ? null : { of: first.of, steps: ramps.flatMap(({ steps }) => steps) };
    return logs.length === 0 ? [] : [{ host: name, ramp, hasBegun: logs.some(({ hasBegun }) => hasBegun) }];
  });
}
