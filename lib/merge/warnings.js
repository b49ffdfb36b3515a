import { andMore } from '../text/figures.js';
import { placeOf } from '../text/plain-text.js';
import { formatDuration, formatSize } from '../text/units.js';
import { correctionOf } from '../model/clock-facts.js';

/**
 * @import { MergeWarning } from '../model/result.js'
 * @import { HostRun, StageView } from './hosts.js'
 */

/** Shards that a warning names: a run may have many. */
const MAX_NAMED = 8;

/** What to do where runs of one host are apart. */
const ONE_RUN = 'give the logs of one run alone';
const ONE_WAY = 'give the logs of one run alone, let `r2-benchmark report` set the ways to the objects side by side';

/**
 * @typedef {object} Part what a run did in a stretch of time, in ms
 * @property {StageView} view
 * @property {number} start
 * @property {number} stop
 *
 * @typedef {{ later: Part, earlier: Part }} Break a part that began when all that had begun before it were over, and the
 *   last of those to end
 */

/**
 * Runs of one host that were not at the same time, such as yesterday's and today's: their sum is the work of nobody. Runs
 * at the same time are processes of one host, and belong together; so do the shards of one run, and runs that have no
 * stage in common, one of which may have written what the other one read.
 *
 * @param {ReadonlyMap<string, readonly StageView[]>} views by stage
 * @returns {MergeWarning[]} at most one
 */
export function runsOfOneHostApart(views) {
  return runsApart(views, hostOf, (one, other) => (one.way === other.way ? ONE_RUN : ONE_WAY));
}

/**
 * Likewise, where ways to the objects are set side by side: runs of one host that reached them in different ways may follow each
 * other, since nobody takes their sum for a measurement.
 *
 * @param {ReadonlyMap<string, readonly StageView[]>} views by stage
 * @returns {MergeWarning[]} at most one
 */
export function runsOfOneWayApart(views) {
  return runsApart(
    views,
    (run) => [...hostOf(run), run.way],
    () => ONE_RUN,
  );
}

/**
 * @param {ReadonlyMap<string, readonly StageView[]>} views by stage
 * @param {(run: HostRun) => readonly unknown[]} groupOf what runs have in common that may not be apart
 * @param {(one: HostRun, other: HostRun) => string} advice
 * @returns {MergeWarning[]} at most one
 */
function runsApart(views, groupOf, advice) {
  const extents = extentsOf([...views.values()].flat());
  const apart = [...views.values()].flatMap((ofStage) => {
    const parts = ofStage.flatMap((view) => {
      const extent = extents.get(view.run);
      return extent === undefined ? [] : [{ view, ...extent }];
    });
    return breaksIn(parts, ({ view: { run } }) => JSON.stringify(groupOf(run)));
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
    `${host} began this run ${formatDuration(later.start - earlier.stop)} after the end of its run in ` +
    `${placeOf(earlier.view.run)}, and the sum of both would be no measurement: ${advice(later.view.run, earlier.view.run)}, ` +
    `or pass --several-runs if the sum is meant${andMore(1 + others.length)}`;
  return [{ file, line, message, incomplete: true }];
}

/**
 * Hosts of one run that were not in its first stage at the same time, because they started at different moments.
 *
 * @param {ReadonlyMap<string, readonly StageView[]>} views by stage
 * @returns {MergeWarning[]} at most one for each run id
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
  const known = new Set();
  return apart.flatMap(({ later, earlier }) => {
    const { file, line, result } = later.view.run;
    if (known.has(result.run)) {
      return [];
    }
    known.add(result.run);
    const message =
      `run ${result.run}: ${later.view.host.name} began ${later.view.stage.stage} ${seconds(later.start - earlier.start)} after ` +
      `${earlier.view.host.name} in ${placeOf(earlier.view.run)}, which was done with it by then: start all hosts of a run ` +
      'at one moment, or within one slot of --start-at next:30s';
    return [{ file, line, message, incomplete: false }];
  });
}

/**
 * @param {readonly StageView[]} views
 * @returns {Map<HostRun, { start: number, stop: number }>} from the first to the last that is known of each run
 */
function extentsOf(views) {
  const extents = new Map();
  for (const { view, start, stop } of views.flatMap(partOf)) {
    const extent = extents.get(view.run) ?? { start, stop };
    extents.set(view.run, { start: Math.min(extent.start, start), stop: Math.max(extent.stop, stop) });
  }
  return extents;
}

/**
 * @param {StageView} view
 * @returns {Part[]} none where the log does not say when the stage was
 */
function partOf(view) {
  return view.interval === null ? [] : [{ view, ...view.interval }];
}

/**
 * @param {readonly Part[]} parts
 * @param {(part: Part) => string} groupOf those that are compared with each other
 * @returns {Break[]} in the order of their times
 */
function breaksIn(parts, groupOf) {
  /** The part that ended last so far, of each group. @type {Map<string, Part>} */
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

/**
 * A run that stands in several stages counts once.
 *
 * @param {readonly Break[]} breaks
 */
function distinct(breaks) {
  return [...new Map(breaks.map((each) => [each.later.view.run, each])).values()];
}

/**
 * A log without the name of its host is a host.
 *
 * @param {HostRun} run
 */
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
 * What does not seem to belong together, although it can be added up. Hosts that were started without --run-id are runs of
 * their own, which is no reason for a warning; shards are meant to be parts of one run.
 *
 * @param {readonly HostRun[]} runs
 * @returns {MergeWarning[]}
 */
export function mixedRuns(runs) {
  const [first, ...others] = runs.filter(({ result }) => result.run !== null);
  if (first === undefined) {
    return [];
  }
  const strange = others.filter(({ result }) => result.run !== first.result.run);
  const isTogether = (/** @type {HostRun} */ run) => overlaps(run, first);
  const isShard = (/** @type {HostRun} */ run) => shardsOf([run]).some(({ count }) => count > 1);
  const other = (/** @type {HostRun} */ run) => `run ${run.result.run}, and ${first.result.run} in ${placeOf(first)}`;
  return [
    ...firstOf(
      strange.filter((run) => !isTogether(run)),
      (run) => `${other(run)}: they were not at the same time; the totals hold both`,
    ),
    ...firstOf(
      strange.filter((run) => isTogether(run) && (isShard(run) || isShard(first))),
      (run) => `${other(run)}, at the same time: added up; shards of one run have one --run-id`,
    ),
    ...otherSizes(runs),
    ...otherOption(runs, 'access', 'sequential'),
    ...otherOption(runs, 'mix', 'none'),
  ];
}

/**
 * @param {readonly HostRun[]} runs
 * @returns {MergeWarning[]}
 */
function otherSizes(runs) {
  const [first, ...others] = runs.filter(({ result }) => typeof result.options?.size === 'number');
  const sizes = (/** @type {HostRun} */ { result: { options } }) => options?.sizes ?? formatSize(options?.size ?? 0);
  return firstOf(
    others.filter((run) => sizes(run) !== sizes(first)),
    (run) => `objects of ${sizes(run)}, and of ${sizes(first)} in ${placeOf(first)}: added up all the same`,
  );
}

/**
 * @param {readonly HostRun[]} runs
 * @param {'access' | 'mix'} option
 * @param {string} usual what a run without it does
 * @returns {MergeWarning[]}
 */
function otherOption(runs, option, usual) {
  const [first, ...others] = runs.filter(({ result }) => result.options !== null);
  const given = (/** @type {HostRun} */ run) => run.result.options?.[option] ?? usual;
  return firstOf(
    others.filter((run) => given(run) !== given(first)),
    (run) => `--${option} ${given(run)}, and ${given(first)} in ${placeOf(first)}: added up all the same`,
  );
}

/**
 * One warning for all of a kind: a hundred hosts would give a hundred times the same.
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
 * @param {HostRun} one
 * @param {HostRun} other
 * @returns {boolean} whether they were under way at the same time, as far as their logs tell
 */
export function overlaps(one, other) {
  const [a, b] = [extentOf(one), extentOf(other)];
  return a.start <= b.stop && b.start <= a.stop;
}

/** @param {HostRun} run that has a run line */
function extentOf({ result }) {
  const start = result.start === null ? 0 : Date.parse(result.start);
  const stops = result.stages.map(({ endedAt }) => endedAt ?? start);
  const stop = stops.reduce((latest, each) => Math.max(latest, each), start);
  const correction = 1000 * correctionOf(result.clock);
  return { start: start + correction, stop: stop + correction };
}

/**
 * @typedef {{ index: number, count: number }} Shard
 * @typedef {{ missing: number, named: string[] }} Gap how many shards are missing, and the names of the first
 */

/**
 * Shards of a run of which there is no log. All that was done under a run id counts together: a shard that wrote need not
 * read again later.
 *
 * @param {readonly HostRun[]} runs
 * @returns {MergeWarning[]} at most one for each run id
 */
export function missingShards(runs) {
  // A log without the line of its run may be that of any shard.
  const unknown = runs.filter(({ result }) => result.run === null).length;
  return [...runsById(runs)].flatMap(([id, ofId]) => {
    if (missingIn(gapsOf(ofId, ofId)) <= unknown) {
      return [];
    }
    // Shards that ran at the same time under another id are there, and are reported as what does not belong together.
    const gaps = gapsOf(ofId, [...ofId, ...runs.filter((run) => overlaps(run, ofId[0]))]);
    if (missingIn(gaps) <= unknown) {
      return [];
    }
    const [{ file, line }] = ofId;
    return [{ file, line, message: `run ${id}: no log of ${descriptionOf(gaps)}`, incomplete: true }];
  });
}

/**
 * @param {readonly HostRun[]} runs
 * @returns {Map<string, HostRun[]>} those that have an id
 */
function runsById(runs) {
  /** @type {Map<string, HostRun[]>} */
  const byId = new Map();
  for (const run of runs) {
    const id = run.result.run;
    if (id !== null) {
      const ofId = byId.get(id) ?? [];
      ofId.push(run);
      byId.set(id, ofId);
    }
  }
  return byId;
}

/**
 * @param {readonly HostRun[]} runs of one id; which may have been split into different numbers of shards
 * @param {readonly HostRun[]} together among which their shards may be
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

/**
 * @param {readonly HostRun[]} runs
 * @returns {Shard[]}
 */
function shardsOf(runs) {
  return runs.flatMap(({ result }) => {
    const [index, count] = (result.shard ?? '').split('/').map(Number);
    return index < count ? [{ index, count }] : [];
  });
}

/**
 * @param {number} count
 * @param {ReadonlySet<number>} present
 * @returns {string[]} the first that are not, such as `2/3`
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
