import { formatDuration } from '../log/units.js';
import { andMore, placeOf } from './wording.js';

/**
 * @import { HostRun } from './host-run.js'
 * @import { LogWarning } from './read-logs.js'
 * @import { StageView } from './stage-views.js'
 */

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
 * @returns {LogWarning[]} at most one
 */
export function runsOfOneHostApart(views) {
  const extents = extentsOf([...views.values()].flat());
  const apart = [...views.values()].flatMap((ofStage) => {
    const parts = ofStage.flatMap((view) => {
      const extent = extents.get(view.run);
      return extent === undefined ? [] : [{ view, ...extent }];
    });
    return breaksIn(parts, ({ view: { run } }) => JSON.stringify([run.facts?.host ?? null, hostFileOf(run)]));
  });
  const [first, ...others] = distinct(
    apart.filter(({ later, earlier }) => !areShardsOfOneRun(later.view, earlier.view)),
  );
  if (first === undefined) {
    return [];
  }
  const { later, earlier } = first;
  const { file, line, facts } = later.view.run;
  const host = facts?.host ? `host ${facts.host}` : 'the host of this log';
  const message =
    `${host} began this run ${formatDuration(later.start - earlier.stop)} after the end of its run in ` +
    `${placeOf(earlier.view.run)}, and the sum of both would be no measurement: give the logs of one run alone, or pass ` +
    `--several-runs if the sum is meant${andMore(1 + others.length)}`;
  return [{ file, line, message, incomplete: true }];
}

/**
 * Hosts of one run that were not in its first stage at the same time, because they started at different moments.
 *
 * @param {ReadonlyMap<string, readonly StageView[]>} views by stage
 * @returns {LogWarning[]} at most one for each run id
 */
export function hostsOfOneRunApart(views) {
  /** The first stage of each run. @type {Map<HostRun, Part>} */
  const first = new Map();
  for (const part of [...views.values()].flat().flatMap(partOf)) {
    if (part.start < (first.get(part.view.run)?.start ?? Infinity)) {
      first.set(part.view.run, part);
    }
  }
  const parts = [...first.values()].filter(({ view }) => view.run.facts?.run);
  const apart = breaksIn(parts, ({ view: { run, log } }) => JSON.stringify([run.facts?.run, log.name]));
  const known = new Set();
  return apart.flatMap(({ later, earlier }) => {
    const { file, line, facts } = later.view.run;
    if (known.has(facts?.run)) {
      return [];
    }
    known.add(facts?.run);
    const message =
      `run ${facts?.run}: ${later.view.host.name} began ${later.view.log.name} ${seconds(later.start - earlier.start)} after ` +
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
function hostFileOf({ facts, file }) {
  return facts?.host ? null : file;
}

/**
 * @param {StageView} one
 * @param {StageView} other
 */
function areShardsOfOneRun({ run: one }, { run: other }) {
  return Boolean(one.facts?.run) && one.facts?.run === other.facts?.run && one.facts?.shard !== other.facts?.shard;
}

/** @param {number} ms */
function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}
