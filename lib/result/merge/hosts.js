import path from 'node:path';
import { plainLine } from '../../text/plain-text.js';
import { wholeDays } from '../log/time-line.js';

/**
 * @import { ReadRun, ReadStage } from '../log/read-log.js'
 * @import { RampResult } from '../result.js'
 *
 * @typedef {object} HostRun one run of one host
 * @property {ReadRun['result']} result
 * @property {string} file
 * @property {number | null} line
 * @property {boolean} hasMachineLines false for a log of the original tool
 * @property {boolean} isDated whether its seconds are epoch seconds
 *
 * @typedef {{ name: string, file: string, runs: HostRun[] }} Host has a unique name; its runs are in order
 */

/** Earlier seconds belong to a log without a date. Epoch s. */
const FIRST_DATE = Date.UTC(2000) / 1000;

/** @param {ReadRun} read */
export function hostRunOf({ result, file, line }) {
  const first = firstSecondOf(result.stages);
  return {
    result,
    file,
    line,
    hasMachineLines: result.run !== null || result.stages.some(({ startedAt }) => typeof startedAt === 'number'),
    isDated: result.start !== null || (first !== null && first >= FIRST_DATE),
  };
}

/**
 * Each log counts as a host, and so does each process of a machine. A file can contain the logs of several hosts in a
 * row, which their run lines distinguish.
 *
 * @param {readonly HostRun[]} runs
 * @returns {Host[]} in log order
 */
export function hostsOf(runs) {
  /** @type {Map<string, HostRun[]>} */
  const groups = new Map();
  for (const run of runs.filter(({ result }) => result.stages.length > 0)) {
    const identity = JSON.stringify([run.file, run.result.host, run.result.shard]);
    const group = groups.get(identity) ?? [];
    group.push(run);
    groups.set(identity, group);
  }
  const members = [...groups.values()];
  // Without a folder, a file's path and base name are the same.
  const names = members.map(([run]) => [...new Set(namesOf(run))]);
  const uses = new Map();
  names.flat().forEach((name) => uses.set(name, (uses.get(name) ?? 0) + 1));
  return members.map((hostRuns, index) => {
    const name = names[index].find((candidate) => uses.get(candidate) === 1) ?? names[index][0];
    return { name, file: hostRuns[0].file, runs: hostRuns };
  });
}

/** Candidates for the host's name, shortest first; the last is unique. @param {HostRun} run */
function namesOf({ file, result: { host, shard } }) {
  const [name, base] = [file, path.basename(file)].map(plainLine);
  if (host === null) {
    return shard === null ? [base, name] : [`${base} ${shard}`, `${name} ${shard}`];
  }
  const withShard = shard === null ? host : `${host} ${shard}`;
  return [host, withShard, `${withShard} (${base})`, `${withShard} (${name})`];
}

/**
 * One host's stage on the shared timeline.
 *
 * @typedef {object} StageView
 * @property {Host} host
 * @property {HostRun} run
 * @property {ReadStage} stage
 * @property {number} shift added to the seconds of the series
 * @property {{ start: number, stop: number } | null} interval the host's time in the stage, in ms; null if unknown
 * @property {{ from: number, to: number } | null} full first and last second entirely in the stage; null if none is
 * @property {number} measuredFrom first second without warm-up; -Infinity if there was no warm-up
 * @property {number} measuredUntil first second entirely in the drain; Infinity if unknown
 */

/**
 * @param {string} stage
 * @param {readonly Host[]} hosts
 * @param {number | null} origin a dated second; logs without a date are moved by whole days to start near it
 * @returns {StageView[]}
 */
export function viewsOf(stage, hosts, origin) {
  return hosts.flatMap((host) => {
    const undated = host.runs.find(({ isDated, result }) => !isDated && firstSecondOf(result.stages) !== null);
    const firstSecond = undated === undefined ? null : firstSecondOf(undated.result.stages);
    const daysOfLog = firstSecond === null || origin === null ? 0 : wholeDays(origin - firstSecond);
    return host.runs.flatMap((run) => {
      const runStage = run.result.stages.find((each) => each.stage === stage);
      return runStage !== undefined && isMeasured(runStage)
        ? [viewOf(host, run, runStage, run.isDated ? 0 : daysOfLog)]
        : [];
    });
  });
}

/**
 * @param {readonly Host[]} hosts
 * @returns {{ second: number | null, isDated: boolean }} the earliest second of the dated runs; without any, the first
 *   second of the first log
 */
export function originOf(hosts) {
  const runs = hosts.flatMap((host) => host.runs);
  const dated = runs.filter(({ isDated }) => isDated);
  const starts = dated.flatMap(({ result }) => firstSecondOf(result.stages) ?? []);
  if (starts.length > 0) {
    return { second: starts.reduce((one, other) => Math.min(one, other)), isDated: true };
  }
  const first = runs.map(({ result }) => firstSecondOf(result.stages)).find((second) => second !== null);
  return { second: first ?? null, isDated: dated.length > 0 };
}

/** Null if there are no seconds. @param {readonly ReadStage[]} stages */
function firstSecondOf(stages) {
  const firsts = stages.flatMap((stage) => stage.seconds.extent?.first ?? []);
  return firsts.length === 0 ? null : firsts.reduce((one, other) => Math.min(one, other));
}

/** Whether the stage's rate is known. @param {ReadStage} stage */
function isMeasured(stage) {
  return stage.seconds.extent !== null || typeof stage.duration === 'number' || typeof stage.startedAt === 'number';
}

/**
 * If a log of this tool is truncated, its first and last seconds may be only partly in the stage. A log without machine
 * lines contains rates, which have no partial seconds.
 *
 * @param {Host} host
 * @param {HostRun} run
 * @param {ReadStage} stage
 * @param {number} shift
 * @returns {StageView}
 */
function viewOf(host, run, stage, shift) {
  const { extent } = stage.seconds;
  const view = { host, run, stage, shift };
  if (typeof stage.startedAt === 'number' && typeof stage.endedAt === 'number') {
    const { startedAt: start, endedAt: stop, warmup, drain } = stage;
    const [from, until] = [Math.min(start + (warmup ?? 0), stop), Math.max(stop - (drain ?? 0), start)];
    return {
      ...view,
      interval: { start, stop },
      full: extent && nonEmpty({ from: Math.ceil(from / 1000), to: Math.floor(until / 1000) - 1 }),
      measuredFrom: from === start ? -Infinity : Math.ceil(from / 1000),
      measuredUntil: Math.ceil(until / 1000),
    };
  }
  const edge = run.hasMachineLines ? 1 : 0;
  return {
    ...view,
    interval: extent && { start: (extent.first + shift) * 1000, stop: (extent.last + 1 + shift) * 1000 },
    full: extent && nonEmpty({ from: extent.first + shift + edge, to: extent.last + shift - edge }),
    measuredFrom: -Infinity,
    measuredUntil: Infinity,
  };
}

/** @param {{ from: number, to: number }} seconds */
function nonEmpty(seconds) {
  return seconds.from > seconds.to ? null : seconds;
}

/** @typedef {{ host: string, ramp: RampResult | null }} StageRamp a stage's steps on a host; null if there are none */

/**
 * @param {string} stage
 * @param {readonly Host[]} hosts
 * @returns {StageRamp[]} hosts that have the stage
 */
export function rampsOf(stage, hosts) {
  return hosts.flatMap(({ name, runs }) => {
    const stages = runs.flatMap(({ result }) => result.stages.filter((each) => each.stage === stage));
    const ramps = stages.flatMap(({ ramp }) => ramp ?? []);
    const ramp = ramps.length === 0 ? null : { steps: ramps.flatMap(({ steps }) => steps) };
    return stages.length === 0 ? [] : [{ host: name, ramp }];
  });
}
