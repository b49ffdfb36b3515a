import { formatSize } from '../log/units.js';
import { correctionOf } from './machine-facts.js';
import { andMore, placeOf } from './wording.js';

/**
 * @import { LogWarning } from './read-logs.js'
 * @import { HostRun } from './host-run.js'
 */

/**
 * What does not seem to belong together, although it can be added up.
 *
 * @param {readonly HostRun[]} runs
 * @returns {LogWarning[]}
 */
export function mixedRuns(runs) {
  const [first, ...others] = runs.filter(({ facts }) => facts?.run);
  if (first === undefined) {
    return [];
  }
  const strange = others.filter(({ facts }) => facts?.run !== first.facts?.run);
  const isTogether = (/** @type {HostRun} */ run) => overlaps(run, first);
  const other = (/** @type {HostRun} */ run) => `run ${run.facts?.run}, and ${first.facts?.run} in ${placeOf(first)}`;
  return [
    ...firstOf(
      strange.filter((run) => !isTogether(run)),
      (run) => `${other(run)}: they were not at the same time; the totals hold both`,
    ),
    ...firstOf(
      strange.filter(isTogether),
      (run) => `${other(run)}, at the same time: added up; a common --run-id would show that they belong together`,
    ),
    ...otherSizes(runs),
  ];
}

/**
 * @param {readonly HostRun[]} runs
 * @returns {LogWarning[]}
 */
function otherSizes(runs) {
  const [first, ...others] = runs.filter(({ facts }) => typeof facts?.size === 'number');
  const size = (/** @type {HostRun} */ run) => run.facts?.size ?? 0;
  return firstOf(
    others.filter((run) => size(run) !== size(first)),
    (run) =>
      `objects of ${formatSize(size(run))}, and of ${formatSize(size(first))} in ${placeOf(first)}: added up all the same`,
  );
}

/**
 * One warning for all of a kind: a hundred hosts would give a hundred times the same.
 *
 * @param {readonly HostRun[]} runs
 * @param {(run: HostRun) => string} message
 * @returns {LogWarning[]}
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
function extentOf({ facts, stages }) {
  const start = facts?.start ?? 0;
  const stops = [...stages.values()].map(({ facts: totals }) => totals?.stop ?? start);
  const stop = stops.reduce((latest, each) => Math.max(latest, each), start);
  const correction = 1000 * correctionOf(facts?.clock);
  return { start: start + correction, stop: stop + correction };
}
