import { overlaps } from './mixed-runs.js';

/**
 * @import { LogWarning } from './read-logs.js'
 * @import { HostRun } from './host-run.js'
 */

/**
 * @typedef {{ index: number, count: number }} Shard
 * @typedef {{ missing: number, named: string[] }} Gap how many shards are missing, and the names of the first
 */

/** Shards that a warning names: a run may have many. */
const MOST_NAMED = 8;

/**
 * Shards of a run of which there is no log. All that was done under a run id counts together: a shard that wrote need not
 * read again later.
 *
 * @param {readonly HostRun[]} runs
 * @returns {LogWarning[]} at most one for each run id
 */
export function missingShards(runs) {
  // A log without the line of its run may be that of any shard.
  const unknown = runs.filter(({ facts }) => facts === null).length;
  return [...runsById(runs)].flatMap(([id, ofId]) => {
    if (missingIn(gapsOf(ofId, ofId)) <= unknown) {
      return [];
    }
    // Shards that ran at the same time under another id are there, and are told as what does not belong together.
    const gaps = gapsOf(ofId, [...ofId, ...runs.filter((run) => overlaps(run, ofId[0]))]);
    if (missingIn(gaps) <= unknown) {
      return [];
    }
    const [{ file, line }] = ofId;
    return [{ file, line, message: `run ${id}: no log of ${toldOf(gaps)}`, incomplete: true }];
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
    const id = run.facts?.run ?? null;
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
  return runs.flatMap(({ facts }) => {
    const [index, count] = (facts?.shard ?? '').split('/').map(Number);
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
  for (let index = 0; index < count && names.length < MOST_NAMED; index += 1) {
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
function toldOf(gaps) {
  const named = gaps.flatMap((gap) => gap.named).slice(0, MOST_NAMED);
  const more = missingIn(gaps) - named.length;
  return `shard${missingIn(gaps) === 1 ? '' : 's'} ${named.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}
