import { counted, decimal } from '../../text/figures.js';
import { formatSize } from '../../text/units.js';
import { stagesOfBoth } from './differences.js';

/** @import { Result, StageSum } from '../result.js' */

/**
 * Figures are comparable only if these are equal. A value that a log lacks is not a mismatch.
 *
 * @type {readonly { what: string, of: (stage: StageSum) => string | null }[]}
 */
const CONDITIONS = [
  { what: 'object size', of: sizesOf },
  { what: 'access', of: ({ load, access }) => (load ? (access ?? 'sequential') : null) },
  {
    what: 'objects',
    of: ({ steps }) => (typeof steps === 'number' ? `sent ${steps > 0 ? 'in parts' : 'whole'}` : null),
  },
  { what: 'threads', of: ({ threads }) => (typeof threads === 'number' ? counted(threads, 'thread') : null) },
  { what: 'load', of: loadOf },
];

/**
 * Lists why the figures of two results are not comparable.
 *
 * @param {Result} before
 * @param {Result} after
 * @returns {string[]} one line of untrusted text each; empty if the figures are comparable
 */
export function mismatchesBetween(before, after) {
  const pairs = stagesOfBoth(before, after);
  if (pairs.length === 0) {
    return [`the results have no stage in common: ${namesOf(before)} before, ${namesOf(after)} after`];
  }
  return [
    ...Object.entries({ before, after }).flatMap(([side, { stages }]) => {
      const varying = stages.filter(varies).map(({ stage }) => stage);
      return varying.length === 0
        ? []
        : [`${side} contains a search or a ramp, whose load changes during the measurement (${varying.join(', ')})`];
    }),
    ...CONDITIONS.flatMap(({ what, of }) => differing(what, ([one, other]) => [of(one), of(other)], pairs)),
    ...differing(
      'operations',
      (pair) => [before, after].map(({ options }, side) => (pair[side].kinds && options?.mix) ?? null),
      pairs,
    ),
  ];
}

/** Whether the load changes during the stage. @param {StageSum} stage */
export function varies({ search, ramp }) {
  return Boolean(search) || Boolean(ramp);
}

/**
 * @param {string} what
 * @param {(pair: readonly [StageSum, StageSum]) => readonly (string | null)[]} of null if unknown
 * @param {readonly [StageSum, StageSum][]} pairs
 * @returns {string[]} one line per difference, with all stages that have it
 */
function differing(what, of, pairs) {
  /** @type {Map<string, string[]>} */
  const stages = new Map();
  for (const pair of pairs) {
    const [one, other] = of(pair);
    if (one !== null && other !== null && one !== other) {
      const line = `${what}: ${one} before, ${other} after`;
      stages.set(line, [...(stages.get(line) ?? []), pair[0].stage]);
    }
  }
  return [...stages].map(([line, names]) => `${line} (${names.join(', ')})`);
}

/** @param {StageSum} stage */
function sizesOf({ objectSize, sizes }) {
  if (sizes) {
    return sizes;
  }
  return typeof objectSize === 'number' ? formatSize(objectSize) : null;
}

/** @param {StageSum} stage */
function loadOf({ load }) {
  if (!load) {
    return null;
  }
  return load.rate === null ? load.mode : `${load.mode} of ${decimal(load.rate, 0)} ops/s`;
}

/** @param {Result} result */
function namesOf({ stages }) {
  return stages.length === 0 ? 'none' : stages.map(({ stage }) => stage).join(', ');
}
