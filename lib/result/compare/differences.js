import { textOfOption } from '../../options/recorded-options.js';
import { counted, decimal, shortLimit } from '../../text/figures.js';
import { formatSize } from '../../text/units.js';

/**
 * @import { ComparedDifference } from '../comparison.js'
 * @import { BottleneckSum, HostResult, KindSum, Result, StageSum } from '../result.js'
 */

/**
 * Lists the differences between the runs other than their figures. Any of them might explain a change.
 *
 * @param {Result} before
 * @param {Result} after
 * @returns {ComparedDifference[]} short, untrusted texts
 */
export function differencesBetween(before, after) {
  const rows = [
    ...versions(before, after),
    ...options(before, after),
    row('host', hostsOf(before), hostsOf(after)),
    row('Cloudflare data centres', colosOf(before), colosOf(after)),
    row('day (UTC)', dayOf(before), dayOf(after)),
    ...stagesOfBoth(before, after).flatMap(([one, other]) => [
      row(`end of ${one.stage}`, one.end ?? null, other.end ?? null),
      row(`${one.stage} limited by`, limitOf(one), limitOf(other)),
      ...kindsOfBoth(one, other).map(([kind, same]) =>
        row(`${nameOfKind(one, kind)} limited by`, limitOf(kind), limitOf(same)),
      ),
    ]),
  ];
  return rows.filter((each) => each.before !== each.after);
}

/**
 * @param {StageSum} one
 * @param {StageSum} other the same stage of another result
 * @returns {[KindSum, KindSum][]} operations in both mixes, in the order of the first
 */
export function kindsOfBoth({ kinds = [] }, { kinds: others = [] }) {
  return kinds.flatMap((kind) => {
    const same = others.find(({ operation }) => operation === kind.operation);
    return same === undefined ? [] : [/** @type {[KindSum, KindSum]} */ ([kind, same])];
  });
}

/**
 * @param {Pick<StageSum, 'stage'>} stage
 * @param {Pick<KindSum, 'operation'>} kind
 */
export function nameOfKind({ stage }, { operation }) {
  return `${stage} ${operation}`;
}

/**
 * @param {Result} before
 * @param {Result} after
 * @returns {[StageSum, StageSum][]} stages in both results, in the order of the first
 */
export function stagesOfBoth(before, after) {
  return before.stages.flatMap((stage) => {
    const same = after.stages.find((other) => other.stage === stage.stage);
    return same === undefined ? [] : [/** @type {[StageSum, StageSum]} */ ([stage, same])];
  });
}

/**
 * @param {Result} result
 * @returns {string | null} ISO time when its first host started; null if unknown
 */
export function startOf({ start, hosts }) {
  const starts = start === null ? hosts.flatMap((host) => host.start ?? []) : [start];
  return starts.toSorted()[0] ?? null;
}

/**
 * @param {string} what
 * @param {string | null} before
 * @param {string | null} after
 * @returns {ComparedDifference}
 */
function row(what, before, after) {
  return { what, before, after };
}

/**
 * @param {Result} before
 * @param {Result} after
 */
function versions(before, after) {
  return namesIn(before.versions, after.versions).map((name) =>
    row(`version of ${name}`, before.versions?.[name] ?? null, after.versions?.[name] ?? null),
  );
}

/**
 * Reports one difference, not one per option, if a log has no options because it has no machine lines.
 *
 * @param {Result} before
 * @param {Result} after
 */
function options(before, after) {
  if (before.options === null || after.options === null) {
    return [row('options', before.options && 'known', after.options && 'known')];
  }
  const [one, other] = [before.options, after.options].map((each) => /** @type {Record<string, unknown>} */ (each));
  // The embedded endpoint has another port in each run.
  const areLocal = one.local === true && other.local === true;
  return namesIn(one, other)
    .filter((name) => !(areLocal && name === 'endpoint'))
    .map((name) => row(wordsOf(name), textOfOption(name, one[name]), textOfOption(name, other[name])));
}

/**
 * @param {Readonly<Record<string, unknown>> | null} one
 * @param {Readonly<Record<string, unknown>> | null} other
 */
function namesIn(one, other) {
  return [...new Set([...Object.keys(one ?? {}), ...Object.keys(other ?? {})])];
}

/** @param {string} name of an option, such as `keepAlive` */
export function wordsOf(name) {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** @param {Result} result */
function hostsOf({ hosts }) {
  return listOf(hosts.map((host) => nameOf(host)));
}

/** @param {HostResult} host */
function nameOf({ host, merge }) {
  return host ?? merge?.name ?? null;
}

/** @param {Result} result */
function colosOf({ stages }) {
  return listOf(stages.flatMap(({ connections }) => Object.keys(connections?.colos ?? {})));
}

/** @param {Result} result */
function dayOf(result) {
  return startOf(result)?.slice(0, '2026-01-31'.length) ?? null;
}

/** @param {readonly (string | null)[]} names */
function listOf(names) {
  const known = names.filter((name) => name !== null);
  return known.length === 0 ? null : [...new Set(known)].toSorted().join(', ');
}

/** @param {{ bottleneck?: BottleneckSum | null }} figures */
function limitOf({ bottleneck = null }) {
  return bottleneck && shortLimit(bottleneck);
}

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
      (pair) => [before, after].map((result, side) => (pair[side].kinds && result.options?.mix) ?? null),
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
