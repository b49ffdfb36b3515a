import { counted, decimal } from '../log/figures.js';
import { formatSize } from '../log/units.js';
import { stagesOfBoth } from './differences.js';

/** @import { Result, StageSum } from '../model/result.js' */

/**
 * What a figure says depends on these. A log may not say one of them, which is no mismatch.
 *
 * @type {readonly { what: string, of: (stage: StageSum) => string | null }[]}
 */
const CONDITIONS = [
  { what: 'objects', of: sizesOf },
  { what: 'access', of: ({ load, access }) => (load ? (access ?? 'sequential') : null) },
  {
    what: 'objects',
    of: ({ steps }) => (typeof steps === 'number' ? `sent ${steps > 0 ? 'in parts' : 'whole'}` : null),
  },
  { what: 'threads', of: ({ threads }) => (typeof threads === 'number' ? counted(threads, 'thread') : null) },
  { what: 'load', of: loadOf },
  { what: 'operations', of: sharesOf },
];

/**
 * Why the figures of two results do not stand for the same thing.
 *
 * @param {Result} before
 * @param {Result} after
 * @returns {string[]} a line each, which may be hostile; none where they can be compared
 */
export function mismatchesBetween(before, after) {
  const pairs = stagesOfBoth(before, after);
  if (pairs.length === 0) {
    return [`no stage is in both: ${namesOf(before)} before, ${namesOf(after)} after`];
  }
  return [
    ...Object.entries({ before, after }).flatMap(([side, { stages }]) => {
      const varying = stages.filter(varies).map(({ stage }) => stage);
      return varying.length === 0
        ? []
        : [`${side} is a search or a ramp, whose load changes while it measures (${varying.join(', ')})`];
    }),
    ...CONDITIONS.flatMap(({ what, of }) => unlike(what, of, pairs)),
  ];
}

/**
 * @param {StageSum} stage
 * @returns {boolean} whether its load was not the same all the time
 */
export function varies({ search, ramp }) {
  return Boolean(search) || Boolean(ramp);
}

/**
 * @param {StageSum} stage
 * @returns {string | null} the operations that it mixes, with their shares; null where there is only one
 */
function sharesOf({ kinds, operations }) {
  const shares = kinds?.map((kind) => `${kind.operation} ${Math.round((100 * (kind.operations ?? 0)) / operations)}%`);
  return shares?.join(', ') ?? null;
}

/**
 * @param {string} what
 * @param {(stage: StageSum) => string | null} of
 * @param {readonly [StageSum, StageSum][]} pairs
 * @returns {string[]} a line for all stages that differ alike
 */
function unlike(what, of, pairs) {
  /** @type {Map<string, string[]>} */
  const stages = new Map();
  for (const [before, after] of pairs) {
    const [one, other] = [of(before), of(after)];
    if (one !== null && other !== null && one !== other) {
      const line = `${what}: ${one} before, ${other} after`;
      stages.set(line, [...(stages.get(line) ?? []), before.stage]);
    }
  }
  return [...stages].map(([line, names]) => `${line} (${names.join(', ')})`);
}

/** @param {StageSum} stage */
function sizesOf({ objectSize, sizes }) {
  if (sizes) {
    return `of ${sizes}`;
  }
  return typeof objectSize === 'number' ? `of ${formatSize(objectSize)}` : null;
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
