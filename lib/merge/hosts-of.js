import path from 'node:path';
import { plainLine } from '../log/plain-text.js';

/** @import { HostRun } from './host-run.js' */

/**
 * @typedef {object} Host
 * @property {string} name unlike those of the other hosts
 * @property {string} file
 * @property {HostRun[]} runs one after the other
 */

/**
 * A log is a host, several processes of one machine are, too. One file may hold the logs of several hosts, one behind the
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
