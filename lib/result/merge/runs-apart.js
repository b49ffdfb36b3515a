import { mergeRuns } from './merge.js';
import { withSeconds } from './read-run.js';

/**
 * @import { ReadRun } from '../log/read-log.js'
 * @import { MergeWarning, Result } from '../result.js'
 */

/** Hosts that measure one load have these options in common. */
const OF_LOAD = /** @type {const} */ (['size', 'sizes', 'client', 'access', 'mix', 'rate', 'findPeak']);

/**
 * Groups runs of different loads or times, which it would be meaningless to add up.
 *
 * @param {readonly ReadRun[]} runs
 * @returns {{ name: string, result: Result, warnings: readonly MergeWarning[] }[] | null} a result
 *   per run, of all its hosts; null if all runs belong together
 */
export function runsApart(runs) {
  /** @type {Map<string, ReadRun[]>} */
  const groups = new Map();
  for (const run of runs) {
    const { run: id, start } = run.result;
    const key = id === null ? `${run.file}:${run.line}` : `${id} ${startsLike(run, runs).indexOf(start)}`;
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  const [first, ...others] = [...groups.values()];
  if (others.every((group) => belongTogether(first, group))) {
    return null;
  }
  return [...groups.values()].map((group) => {
    const [{ file, line, result, warnings }] = group;
    if (group.length === 1 && line === null) {
      return { name: file, result: withSeconds(result), warnings };
    }
    const merged = mergeRuns(group).result;
    return { name: file, result: withSeconds(merged), warnings: merged.merge.warnings };
  });
}

/**
 * Kept objects are read again under the id of their run.
 *
 * @param {ReadRun} run
 * @param {readonly ReadRun[]} runs
 * @returns {(string | null)[]} different starts of the runs of this host and shard under this id, in order
 */
function startsLike({ result: { run, shard, host } }, runs) {
  const same = runs.filter(({ result }) => result.run === run && result.shard === shard && result.host === host);
  return [...new Set(same.map(({ result }) => result.start))].sort();
}

/**
 * @param {readonly ReadRun[]} one
 * @param {readonly ReadRun[]} other
 */
function belongTogether(one, other) {
  const [a, b] = [one[0].result, other[0].result];
  const areAdded = [a, b].every(({ merge, options }) => merge === undefined && !options?.findPeak);
  const isSameLoad = OF_LOAD.every(
    (name) => a.options === null || b.options === null || a.options[name] === b.options[name],
  );
  const [x, y] = [timeOf(a), timeOf(b)];
  return areAdded && isSameLoad && (x.from > x.until || y.from > y.until || (x.from <= y.until && y.from <= x.until));
}

/** In epoch ms; `from` is after `until` if it is unknown. @param {ReadRun['result']} result */
function timeOf({ stages }) {
  return {
    from: Math.min(...stages.map(({ startedAt }) => startedAt ?? Infinity)),
    until: Math.max(...stages.map(({ endedAt }) => endedAt ?? -Infinity)),
  };
}
