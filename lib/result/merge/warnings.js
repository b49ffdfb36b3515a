import { andMore } from '../../text/figures.js';
import { placeOf } from '../../text/plain-text.js';
import { formatDuration, formatSize } from '../../text/units.js';

/**
 * @import { MergeWarning } from '../result.js'
 * @import { HostRun, StageView } from './hosts.js'
 */

const MAX_NAMED = 8;

/**
 * @typedef {{ view: StageView, start: number, stop: number }} Part a run's time in a stage, in ms
 * @typedef {{ later: Part, earlier: Part }} Break `later` began after `earlier`, the earlier part that ended last
 */

/**
 * Finds runs of one host at different times, such as yesterday's and today's: adding them is meaningless. Concurrent
 * runs are processes of one host and belong together. So do the shards of a run, and runs without a common stage: one
 * may have written the objects that the other read.
 *
 * @param {ReadonlyMap<string, readonly StageView[]>} views by stage
 * @returns {MergeWarning[]} at most one
 */
export function runsOfOneHostApart(views) {
  const extents = extentsOf([...views.values()].flat());
  const apart = [...views.values()].flatMap((stageViews) => {
    const parts = stageViews.flatMap((view) => {
      const extent = extents.get(view.run);
      return extent === undefined ? [] : [{ view, ...extent }];
    });
    return breaksIn(parts, ({ view: { run } }) => JSON.stringify(hostOf(run)));
  });
  const [first, ...others] = distinct(
    apart.filter(({ later, earlier }) => !areShardsOfOneRun(later.view, earlier.view)),
  );
  if (first === undefined) {
    return [];
  }
  const { later, earlier } = first;
  const { file, line, result } = later.view.run;
  const host = result.host ? `host ${result.host}` : 'the host of this log';
  const message =
    `${host} started this run ${formatDuration(later.start - earlier.stop)} after its run in ` +
    `${placeOf(earlier.view.run)} ended, so adding them up is meaningless: ` +
    `give the logs of one run only, or pass --several-runs to add them up anyway${andMore(1 + others.length)}`;
  return [{ file, line, message, incomplete: true }];
}

/**
 * Finds hosts of one run that started too far apart to overlap in its first stage.
 *
 * @param {ReadonlyMap<string, readonly StageView[]>} views by stage
 * @returns {MergeWarning[]} at most one per run id
 */
export function hostsOfOneRunApart(views) {
  /** The first stage of each run. @type {Map<HostRun, Part>} */
  const first = new Map();
  for (const part of [...views.values()].flat().flatMap(partOf)) {
    if (part.start < (first.get(part.view.run)?.start ?? Infinity)) {
      first.set(part.view.run, part);
    }
  }
  const parts = [...first.values()].filter(({ view }) => view.run.result.run);
  const apart = breaksIn(parts, ({ view: { run, stage } }) => JSON.stringify([run.result.run, stage.stage]));
  const warned = new Set();
  return apart.flatMap(({ later, earlier }) => {
    const { file, line, result } = later.view.run;
    if (warned.has(result.run)) {
      return [];
    }
    warned.add(result.run);
    const message =
      `run ${result.run}: ${later.view.host.name} began ${later.view.stage.stage} ${seconds(later.start - earlier.start)} after ` +
      `${earlier.view.host.name} in ${placeOf(earlier.view.run)}, which had finished it by then: start all hosts of a run ` +
      'at the same time, or within one slot of --start-at next:30s';
    return [{ file, line, message, incomplete: false }];
  });
}

/**
 * @param {readonly StageView[]} views
 * @returns {Map<HostRun, { start: number, stop: number }>} from the start of a run's first stage to the end of its last
 */
function extentsOf(views) {
  const extents = new Map();
  for (const { view, start, stop } of views.flatMap(partOf)) {
    const extent = extents.get(view.run) ?? { start, stop };
    extents.set(view.run, { start: Math.min(extent.start, start), stop: Math.max(extent.stop, stop) });
  }
  return extents;
}

/** Empty if the stage's times are unknown. @param {StageView} view */
function partOf(view) {
  return view.interval === null ? [] : [{ view, ...view.interval }];
}

/**
 * @param {readonly Part[]} parts
 * @param {(part: Part) => string} groupOf parts are compared within a group
 * @returns {Break[]} in chronological order
 */
function breaksIn(parts, groupOf) {
  /** By group, the part that ended last so far. @type {Map<string, Part>} */
  const latest = new Map();
  return parts
    .toSorted((one, other) => one.start - other.start)
    .flatMap((later) => {
      const group = groupOf(later);
      const earlier = latest.get(group);
      if (earlier === undefined || later.stop > earlier.stop) {
        latest.set(group, later);
      }
      const isOver = earlier !== undefined && later.start >= earlier.stop && later.start > earlier.start;
      return isOver ? [{ later, earlier }] : [];
    });
}

/** Keeps one break per run, even if it affects several stages. @param {readonly Break[]} breaks */
function distinct(breaks) {
  return [...new Map(breaks.map((each) => [each.later.view.run, each])).values()];
}

/** Without a host name, each log counts as a host. @param {HostRun} run */
function hostOf({ result: { host }, file }) {
  return [host, host ? null : file];
}

/**
 * @param {StageView} one
 * @param {StageView} other
 */
function areShardsOfOneRun({ run: one }, { run: other }) {
  return one.result.run !== null && one.result.run === other.result.run && one.result.shard !== other.result.shard;
}

/** @param {number} ms */
function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}

/**
 * Warns about runs that can be added up but seem unrelated. Hosts started without --run-id have different run ids,
 * which needs no warning. But shards are meant to be parts of one run.
 *
 * @param {readonly HostRun[]} runs
 * @returns {MergeWarning[]}
 */
export function mixedRuns(runs) {
  const [first, ...others] = runs.filter(({ result }) => result.run !== null);
  if (first === undefined) {
    return [];
  }
  const foreign = others.filter(({ result }) => result.run !== first.result.run);
  const isConcurrent = (/** @type {HostRun} */ run) => overlaps(run, first);
  const isShard = (/** @type {HostRun} */ run) => shardsOf([run]).some(({ count }) => count > 1);
  const other = (/** @type {HostRun} */ run) =>
    `run ${run.result.run} and run ${first.result.run} in ${placeOf(first)}`;
  return [
    ...firstOf(
      foreign.filter((run) => !isConcurrent(run)),
      (run) => `${other(run)} took place at different times; the totals include both`,
    ),
    ...firstOf(
      foreign.filter((run) => isConcurrent(run) && (isShard(run) || isShard(first))),
      (run) =>
        `${other(run)} took place at the same time and are added up; give the shards of one run the same --run-id`,
    ),
    ...otherSizes(runs),
    ...otherOption(runs, 'client', 'direct'),
    ...otherOption(runs, 'access', 'sequential'),
    ...otherOption(runs, 'mix', 'none'),
  ];
}

/** @param {readonly HostRun[]} runs */
function otherSizes(runs) {
  const [first, ...others] = runs.filter(({ result }) => typeof result.options?.size === 'number');
  const sizes = (/** @type {HostRun} */ { result: { options } }) => options?.sizes ?? formatSize(options?.size ?? 0);
  return firstOf(
    others.filter((run) => sizes(run) !== sizes(first)),
    (run) => `objects of ${sizes(run)}, but of ${sizes(first)} in ${placeOf(first)}; added up anyway`,
  );
}

/**
 * @param {readonly HostRun[]} runs
 * @param {'client' | 'access' | 'mix'} option
 * @param {string} usual value of a run without the option
 */
function otherOption(runs, option, usual) {
  const [first, ...others] = runs.filter(({ result }) => result.options !== null);
  const given = (/** @type {HostRun} */ run) => run.result.options?.[option] ?? usual;
  return firstOf(
    others.filter((run) => given(run) !== given(first)),
    (run) => `--${option} ${given(run)}, but ${given(first)} in ${placeOf(first)}; added up anyway`,
  );
}

/**
 * One warning for all: a hundred hosts would repeat it a hundred times.
 *
 * @param {readonly HostRun[]} runs
 * @param {(run: HostRun) => string} message
 * @returns {MergeWarning[]}
 */
function firstOf(runs, message) {
  if (runs.length === 0) {
    return [];
  }
  const [{ file, line }] = runs;
  return [{ file, line, message: message(runs[0]) + andMore(runs.length), incomplete: false }];
}

/**
 * Whether two runs overlap in time, as far as their logs show.
 *
 * @param {HostRun} one
 * @param {HostRun} other
 */
export function overlaps(one, other) {
  const [a, b] = [extentOf(one), extentOf(other)];
  return a.start <= b.stop && b.start <= a.stop;
}

/** @param {HostRun} run with a run line */
function extentOf({ result }) {
  const start = result.start === null ? 0 : Date.parse(result.start);
  const stops = result.stages.map(({ endedAt }) => endedAt ?? start);
  return { start, stop: stops.reduce((latest, each) => Math.max(latest, each), start) };
}

/** @typedef {{ missing: number, named: string[] }} Gap `named`: the first of the missing shards */

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
  return [...runsById(runs)].flatMap(([id, idRuns]) => {
    if (missingIn(gapsOf(idRuns, idRuns)) <= unknown) {
      return [];
    }
    // Concurrent shards with another id are not missing; mixedRuns() warns about the mismatch.
    const gaps = gapsOf(idRuns, [...idRuns, ...runs.filter((run) => overlaps(run, idRuns[0]))]);
    if (missingIn(gaps) <= unknown) {
      return [];
    }
    const [{ file, line }] = idRuns;
    return [{ file, line, message: `run ${id}: no log of ${descriptionOf(gaps)}`, incomplete: true }];
  });
}

/** @param {readonly HostRun[]} runs */
function runsById(runs) {
  /** @type {Map<string, HostRun[]>} */
  const byId = new Map();
  for (const run of runs) {
    const id = run.result.run;
    if (id !== null) {
      const idRuns = byId.get(id) ?? [];
      idRuns.push(run);
      byId.set(id, idRuns);
    }
  }
  return byId;
}

/**
 * @param {readonly HostRun[]} runs of one id, possibly split into different numbers of shards
 * @param {readonly HostRun[]} together runs that may contain its shards
 * @returns {Gap[]}
 */
function gapsOf(runs, together) {
  const counts = new Set(shardsOf(runs).map(({ count }) => count));
  const shards = shardsOf(together);
  return [...counts].map((count) => {
    const present = new Set(shards.flatMap((shard) => (shard.count === count ? [shard.index] : [])));
    return { missing: count - present.size, named: namesOfMissing(count, present) };
  });
}

/** @param {readonly HostRun[]} runs */
function shardsOf(runs) {
  return runs.flatMap(({ result }) => {
    const [index, count] = (result.shard ?? '').split('/').map(Number);
    return index < count ? [{ index, count }] : [];
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

/** @param {readonly Gap[]} gaps */
function missingIn(gaps) {
  return gaps.reduce((sum, { missing }) => sum + missing, 0);
}

/** @param {readonly Gap[]} gaps */
function descriptionOf(gaps) {
  const named = gaps.flatMap((gap) => gap.named).slice(0, MAX_NAMED);
  const more = missingIn(gaps) - named.length;
  return `shard${missingIn(gaps) === 1 ? '' : 's'} ${named.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}
