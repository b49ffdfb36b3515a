import { addRecords } from '../add.js';
import { describeShortfall, missedAllSlots, slotOfStep } from '../ramp.js';
import { SCHEMA } from '../schema.js';
import { hasLevelled, isConfirmed, kneeOf, stepsAsGood } from '../../measure/statistics/plateau.js';
import { capacityOf } from '../../measure/statistics/batch-means.js';
import { meanOf, standardErrorOf } from '../../measure/statistics/moments.js';

/**
 * @import { MergedRamp, MergedSlot, MergeWarning, MissedSlots, RampResult, RampStep } from '../result.js'
 * @import { StageRamp } from './hosts.js'
 */

/** Cap on a slot's error, as a share of its rate: an error estimated from a few seconds can be far too large. */
const MAX_ERROR = 0.03;

/** @typedef {{ sum: RampStep, merged: MergedSlot }} Slot */

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
  const ramp = addRecords(SCHEMA.$defs.ramp, ramps);
  const members = hosts.filter(({ ramp: own }) => !missedAllSlots(own));
  const missing = members.flatMap((host) => missedBy(host, ramp.steps));
  const slots = ramp.steps.map((sum) => slotOf(sum, missing, shardIsMissing));
  const counted = slots.filter(({ merged }) => merged.counts && merged.threads > 0);
  return {
    ramp,
    merged: {
      slots: slots.map(({ merged }) => merged),
      missing,
      shardIsMissing,
      ...plateauOf(counted),
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
 * @param {readonly MissedSlots[]} missing
 * @param {boolean} shardIsMissing
 * @returns {Slot}
 */
function slotOf(sum, missing, shardIsMissing) {
  const rate = sum.operations.length === 0 ? 0 : meanOf(sum.operations);
  const error = sum.operations.length < 2 ? Infinity : standardErrorOf(sum.operations);
  return {
    sum,
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
  const hasPlateau = hasLevelled(rates) && isConfirmed(knee, highest, highest);
  const asGood = stepsAsGood(rates).map(({ threads }) => threads);
  const seconds = slots.filter(({ merged }) => asGood.includes(merged.threads)).flatMap(({ sum }) => sum.operations);
  return {
    knee: hasPlateau ? knee : null,
    hasPlateau,
    capacity: capacityOf(seconds, 1, knee),
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
