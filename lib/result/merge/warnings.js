import { andMore } from '../../text/figures.js';
import { placeOf } from '../../text/plain-text.js';
import { formatDuration, formatSize } from '../../text/units.js';

/**
 * @import { CommonOptions, MergeWarning } from '../result.js'
 * @import { HostRun, StageView } from './hosts.js'
 */

const MAX_NAMED = 8;

/**
 * Finds runs of one host at different times, such as yesterday's and today's: adding them is meaningless. Concurrent
 * runs are processes of one host and belong together. So do the shards of a run, and runs without a common stage: one
 * may have written the objects that the other read.
 *
 * @param {readonly StageView[]} views of all stages
 * @returns {MergeWarning[]} at most one
 */
export function runsOfOneHostApart(views) {
  const extents = extentsOf(views);
  const startOf = (/** @type {HostRun} */ run) => extents.get(run)?.start ?? 0;
  const stopOf = (/** @type {HostRun} */ run) => extents.get(run)?.stop ?? 0;
  /** The run of a host and a stage that ended last so far. @type {Map<string, HostRun>} */
  const latest = new Map();
  /** @type {Map<HostRun, HostRun>} */
  const apart = new Map();
  const timed = views.filter(({ run }) => extents.has(run));
  for (const { run, stage } of timed.toSorted((one, other) => startOf(one.run) - startOf(other.run))) {
    const { host } = run.result;
    // Without a host name, each log counts as a host.
    const group = JSON.stringify([stage.stage, host, host ? null : run.file]);
    const earlier = latest.get(group) ?? run;
    const isLater = startOf(run) >= stopOf(earlier) && startOf(run) > startOf(earlier);
    if (isLater && !areShardsOfOneRun(run, earlier)) {
      apart.set(run, earlier);
    }
    if (stopOf(run) >= stopOf(earlier)) {
      latest.set(group, run);
    }
  }
  return [...apart].slice(0, 1).map(([run, earlier]) => {
    const { file, line, result } = run;
    const host = result.host ? `host ${result.host}` : 'the host of this log';
    const message =
      `${host} started this run ${formatDuration(startOf(run) - stopOf(earlier))} after its run in ` +
      `${placeOf(earlier)} ended, so adding them up is meaningless: ` +
      `give the logs of one run only, or pass --several-runs to add them up anyway${andMore(apart.size)}`;
    return { file, line, message, incomplete: true };
  });
}

/**
 * @param {readonly StageView[]} views
 * @returns {Map<HostRun, { start: number, stop: number }>} from the start of a run's first stage to the end of its last
 */
function extentsOf(views) {
  const extents = new Map();
  for (const { run, interval } of views) {
    if (interval !== null) {
      const { start, stop } = extents.get(run) ?? interval;
      extents.set(run, { start: Math.min(start, interval.start), stop: Math.max(stop, interval.stop) });
    }
  }
  return extents;
}

/**
 * @param {HostRun} one
 * @param {HostRun} other
 */
function areShardsOfOneRun({ result: one }, { result: other }) {
  return one.run !== null && one.run === other.run && one.shard !== other.shard;
}

/**
 * What hosts that measure one load have in common, as the options say it.
 *
 * @type {Readonly<Record<string, (options: CommonOptions) => string | undefined>>}
 */
const LOAD = Object.freeze({
  size: ({ size, sizes }) => sizes ?? (typeof size === 'number' ? formatSize(size) : undefined),
  client: ({ client }) => client ?? 'direct',
  access: ({ access }) => access ?? 'sequential',
  mix: ({ mix }) => mix ?? 'none',
});

/**
 * Warns about runs of different loads. One warning for all: a hundred hosts would repeat it a hundred times.
 *
 * @param {readonly HostRun[]} runs
 * @returns {MergeWarning[]}
 */
export function differentLoads(runs) {
  return Object.entries(LOAD).flatMap(([name, textOf]) => {
    const known = runs.flatMap((run) => {
      const text = run.result.options === null ? undefined : textOf(run.result.options);
      return text === undefined ? [] : [{ ...run, text }];
    });
    const others = known.filter(({ text }) => text !== known[0].text);
    return others.slice(0, 1).map(({ file, line, text }) => {
      const message = `--${name} ${text}, but ${known[0].text} in ${placeOf(known[0])}; added up anyway`;
      return { file, line, message: message + andMore(others.length), incomplete: false };
    });
  });
}

/**
 * Finds shards without a log. A log of any run with the same run id is enough, because a shard that wrote objects does
 * not have to take part when a later run reads them.
 *
 * @param {readonly HostRun[]} runs
 * @returns {MergeWarning[]} at most one per run id
 */
export function missingShards(runs) {
  // A log without its run line can be from any shard.
  const unknown = runs.filter(({ result }) => result.run === null).length;
  /** By run id; `present` by number of shards. @type {Map<string, { first: HostRun, present: Map<number, Set<number>> }>} */
  const byId = new Map();
  for (const run of runs) {
    const { run: id, shard } = run.result;
    const [index, count] = (shard ?? '').split('/').map(Number);
    if (id !== null && index < count) {
      const { first, present } = byId.get(id) ?? { first: run, present: new Map() };
      present.set(count, (present.get(count) ?? new Set()).add(index));
      byId.set(id, { first, present });
    }
  }
  return [...byId].flatMap(([id, { first, present }]) => {
    const missing = [...present].reduce((sum, [count, indexes]) => sum + count - indexes.size, 0);
    const named = [...present].flatMap(([count, indexes]) => namesOfMissing(count, indexes)).slice(0, MAX_NAMED);
    const more = missing === named.length ? '' : ` and ${missing - named.length} more`;
    const message = `run ${id}: no log of shard${missing === 1 ? '' : 's'} ${named.join(', ')}${more}`;
    return missing <= unknown ? [] : [{ file: first.file, line: first.line, message, incomplete: true }];
  });
}

/**
 * @param {number} count
 * @param {ReadonlySet<number>} present
 * @returns {string[]} the first missing shards, such as `2/3`
 */
function namesOfMissing(count, present) {
  const names = [];
  for (let index = 0; index < count && names.length < MAX_NAMED; index += 1) {
    if (!present.has(index)) {
      names.push(`${index}/${count}`);
    }
  }
  return names;
}
