import { addRamps, describeShortfall, missedAllSlots, slotOfStep } from '../model/ramp.js';
import { hasLevelled, isConfirmed, kneeOf, threadsAsGood } from '../search/plateau.js';
import { batchMeans } from '../search/batch-means.js';
import { meanOf, standardErrorOf } from '../statistics/moments.js';

/**
 * @import { Capacity, MergedRamp, MergedSlot, MergeWarning, MissedSlots, RampLimit, RampResult, RampStep } from '../model/result.js'
 * @import { StageRamp } from './hosts.js'
 */

const CONFIDENCE = 0.95;

/** Cap on a slot's error, as a share of its rate: an error estimated from a few seconds can be far too large. */
const MAX_ERROR = 0.03;

/** Hosts that keep this share of their rate when others join do not share a bottleneck with them. */
const KEPT_SHARE = 0.9;

/** Minimum ratio of hosts between compared slots: fewer newcomers change the rate by less than its uncertainty. */
const JOINED_SHARE = 1.2;

/** Newcomers with less than this share of the others' rate per host did almost nothing. */
const NEWCOMER_SHARE = 0.05;

/** @typedef {{ sum: RampStep, steps: ReadonlyMap<string, RampStep>, merged: MergedSlot }} Slot `steps`: by host */

/**
 * Merges the ramps of all hosts, slot by slot.
 *
 * @param {readonly StageRamp[]} hosts at least one
 * @param {boolean} shardIsMissing whether the sums lack the operations of a host without a log
 * @returns {{ ramp: RampResult, merged: MergedRamp } | null} null if no host has steps
 */
export function mergeRamps(hosts, shardIsMissing) {
  const ramps = hosts.flatMap(({ ramp }) => (ramp === null ? [] : [ramp]));
  if (ramps.length === 0) {
    return null;
  }
  const ramp = addRamps(ramps);
  const members = hosts.filter(({ ramp: own }) => !missedAllSlots(own));
  const missing = members.flatMap((host) => missedBy(host, ramp.steps));
  const slots = ramp.steps.map((sum) => slotOf(sum, members, missing, shardIsMissing));
  const counted = slots.filter(({ merged }) => merged.counts && merged.threads > 0);
  return {
    ramp,
    merged: {
      of: ramp.of,
      slots: slots.map(({ merged }) => merged),
      missing,
      shardIsMissing,
      ...plateauOf(counted),
      limit: ramp.of === 'hosts' ? limitOf(counted) : null,
    },
  };
}

/**
 * @param {StageRamp} host
 * @param {readonly RampStep[]} slots of all hosts
 * @returns {MissedSlots[]}
 */
function missedBy({ host, ramp }, slots) {
  const own = new Map(ramp?.steps.map((step) => [slotOfStep(step), step]));
  const missed = slots.filter(
    (slot) => (own.get(slotOfStep(slot))?.shortfall ?? null) !== null || !own.has(slotOfStep(slot)),
  );
  if (missed.length === 0) {
    return [];
  }
  return [
    {
      host,
      slots: missed.map(({ slotStart }) => slotStart),
      shortfalls: missed.map((slot) => own.get(slotOfStep(slot))?.shortfall ?? null),
    },
  ];
}

/**
 * @param {RampStep} sum
 * @param {readonly StageRamp[]} hosts
 * @param {readonly MissedSlots[]} missing
 * @param {boolean} shardIsMissing
 * @returns {Slot}
 */
function slotOf(sum, hosts, missing, shardIsMissing) {
  const name = slotOfStep(sum);
  const steps = new Map(
    hosts.flatMap(({ host, ramp }) => {
      const step = ramp?.steps.find((each) => slotOfStep(each) === name);
      return step === undefined ? [] : [/** @type {const} */ ([host, step])];
    }),
  );
  const rate = rateOf(sum);
  const error = sum.operations.length < 2 ? Infinity : standardErrorOf(sum.operations);
  return {
    sum,
    steps,
    merged: {
      slotStart: sum.slotStart,
      threads: sum.threads,
      hosts: sum.hosts,
      operationsPerSecond: rate,
      error: Math.min(error, MAX_ERROR * rate),
      counts: !shardIsMissing && !missing.some(({ slots }) => slots.includes(sum.slotStart)),
    },
  };
}

/** @param {RampStep} step */
function rateOf({ operations }) {
  return operations.length === 0 ? 0 : meanOf(operations);
}

/**
 * @param {readonly Slot[]} slots that count
 * @returns {Pick<MergedRamp, 'knee' | 'hasPlateau' | 'capacity'>}
 */
function plateauOf(slots) {
  if (slots.length === 0) {
    return { knee: null, hasPlateau: false, capacity: null };
  }
  const rates = slots
    .map(({ merged: { threads, operationsPerSecond: rate, error } }) => ({ threads, rate, error }))
    .sort((one, other) => one.threads - other.threads);
  const knee = kneeOf(rates);
  const highest = rates[rates.length - 1].threads;
  const asGood = threadsAsGood(rates);
  const seconds = slots.filter(({ merged }) => asGood.includes(merged.threads)).flatMap(({ sum }) => sum.operations);
  return {
    knee,
    hasPlateau: hasLevelled(rates) && isConfirmed(knee, highest, highest),
    capacity: capacityOf(seconds, knee),
  };
}

/**
 * @param {readonly number[]} seconds operations per second, over all hosts
 * @param {number} threads
 * @returns {Capacity | null}
 */
function capacityOf(seconds, threads) {
  if (seconds.length < 2 || !seconds.some((count) => count > 0)) {
    return null;
  }
  const { mean, low, high } = batchMeans(seconds, 1);
  return { operationsPerSecond: mean, low, high, confidence: CONFIDENCE, threads, seconds: seconds.length };
}

/**
 * Decides whether a ramp of hosts was limited by the hosts or by something that they share. If the earlier hosts keep
 * their rate when others join, nothing shared is at its limit. If they lose what the added hosts gain, something shared
 * is at its limit.
 *
 * @param {readonly Slot[]} slots that count, in order
 * @returns {RampLimit}
 */
function limitOf(slots) {
  const [first] = slots;
  const last = slots.at(-1);
  const before = slots.findLast(({ merged }) => JOINED_SHARE * merged.hosts <= Number(last?.merged.hosts));
  if (last === undefined || before === undefined || before.merged.operationsPerSecond === 0) {
    return { side: 'unknown', lacks: 'slots', slots: [] };
  }
  const shown = [...new Set([first, before, last])].map(({ merged: { hosts, operationsPerSecond } }) => ({
    hosts,
    operationsPerSecond,
  }));
  const [sinceFirst, sinceBefore] = [first, before].map((slot) => changeOf(slot, last));
  if (sinceFirst.isIdle || sinceBefore.isIdle) {
    return { side: 'unknown', lacks: 'newcomer', slots: shown };
  }
  if (sinceBefore.isFlat && !sinceBefore.isKept) {
    return { side: 'shared', lacks: null, slots: shown };
  }
  return sinceFirst.isKept && sinceBefore.isKept
    ? { side: 'hosts', lacks: null, slots: shown }
    : { side: 'unknown', lacks: 'proportion', slots: shown };
}

/**
 * @param {Slot} before
 * @param {Slot} after with further hosts
 * @returns {{ isIdle: boolean, isFlat: boolean, isKept: boolean }} whether the added hosts did almost nothing, whether
 *   the sum stayed level, and whether the other hosts kept their rate
 */
function changeOf(before, after) {
  const active = [...after.steps].filter(([, { threads }]) => threads > 0);
  const wasActive = (/** @type {string} */ host) => Number(before.steps.get(host)?.threads) > 0;
  const sumOf = (/** @type {typeof active} */ hosts) => hosts.reduce((sum, [, step]) => sum + rateOf(step), 0);
  const newcomers = active.filter(([host]) => !wasActive(host));
  const others = active.filter(([host]) => wasActive(host));
  const kept = sumOf(others);
  const rate = before.merged.operationsPerSecond;
  const [one, other] = [before, after].map(({ merged }) => ({
    threads: merged.threads,
    rate: merged.operationsPerSecond,
    error: merged.error,
  }));
  return {
    isIdle: sumOf(newcomers) / newcomers.length < (NEWCOMER_SHARE * kept) / others.length,
    isFlat: hasLevelled([one, other]),
    isKept: kept >= KEPT_SHARE * rate,
  };
}

/**
 * @param {readonly { stage: string, merge: { ramp?: MergedRamp } }[]} stages
 * @param {ReadonlyMap<string, string>} files by host
 * @returns {MergeWarning[]} one per stage and host that missed slots
 */
export function rampWarnings(stages, files) {
  return stages.flatMap(({ stage, merge: { ramp } }) =>
    (ramp?.missing ?? []).map(({ host, slots, shortfalls }) => ({
      file: files.get(host) ?? host,
      line: null,
      message: `${stage}: ${host} missed ${slots.length} of ${ramp?.slots.length} ramp slots because it ${reasonsOf(shortfalls)}; they do not count`,
      // A host that missed slots because it ran out of objects has done all of its work.
      incomplete: shortfalls.some((each) => each !== 'objects'),
    })),
  );
}

/** @param {MissedSlots['shortfalls']} shortfalls */
function reasonsOf(shortfalls) {
  return [...new Set(shortfalls.map(describeShortfall))].join(', ');
}
