import { counted } from '../text/figures.js';
import { formatTimeOfDay } from '../text/units.js';
import { describeShortfall } from '../model/ramp.js';
import { listed } from './names.js';

/**
 * @import { MergedRamp, RampLimit, RampResult } from '../model/result.js'
 *
 * @typedef {{ ramp: RampResult, merged: MergedRamp }} ShownRamp
 */

/** One line per slot, over all hosts, then the conclusion. @param {ShownRamp} ramp */
export function formatRamp({ ramp, merged }) {
  const head = ['Slot'.padEnd(8), ...['threads', 'hosts', 'ops/s', 'p50', 'p99', 'errors'].map(column)];
  const rows = merged.slots.map(({ slotStart, threads, hosts, operationsPerSecond, counts }, index) => {
    const { latency, errors } = ramp.steps[index];
    const [p50, p99] = [latency?.p50, latency?.p99].map((ms) => (ms === undefined ? '-' : `${ms.toFixed(2)}ms`));
    const figures = [threads, hosts, operationsPerSecond.toFixed(1), p50, p99, errors].map(column);
    const note = counts ? '' : `  does not count: ${whyNot(slotStart, merged)}`;
    return `${[formatTimeOfDay(slotStart), ...figures].join('')}${note}`;
  });
  return [head.join(''), ...rows, ...conclusionOf(merged)];
}

/** @param {string | number} text */
function column(text) {
  return String(text).padStart(11);
}

/**
 * @param {number} slotStart
 * @param {MergedRamp} merged
 */
function whyNot(slotStart, { missing, shardIsMissing }) {
  const absent = missing.flatMap(({ host, slots, shortfalls }) => {
    const index = slots.indexOf(slotStart);
    return index < 0 ? [] : [`${host} ${describeShortfall(shortfalls[index])}`];
  });
  return listed(shardIsMissing ? [...absent, 'a shard has no log'] : absent);
}

/** @param {MergedRamp} merged */
function conclusionOf(merged) {
  if (merged.shardIsMissing) {
    return [`Ramp: capacity unknown: a shard has no log, so the sums do not include its operations.`];
  }
  if (merged.capacity === null || merged.knee === null) {
    return [`Ramp: capacity unknown: no slot has figures from all hosts.`];
  }
  return merged.limit === null ? [capacityOf(merged)] : [limitOf(merged, merged.limit)];
}

/** @param {MergedRamp} merged with a capacity */
function capacityOf({ capacity, hasPlateau, slots }) {
  const { operationsPerSecond, low, high, threads } = /** @type {NonNullable<MergedRamp['capacity']>} */ (capacity);
  const rate = `${operationsPerSecond.toFixed(1)} ops/s (95% CI ${low.toFixed(1)} to ${high.toFixed(1)})`;
  const counting = slots.filter(({ counts }) => counts);
  const of = `${counting.length} of ${counted(slots.length, 'slot')} count`;
  if (hasPlateau) {
    return `Ramp capacity: ${rate} from ${counted(threads, 'thread')} across all hosts; more threads were not faster; ${of}.`;
  }
  const highest = Math.max(...counting.map((slot) => slot.threads));
  return `Ramp capacity: at least ${rate} at ${counted(threads, 'thread')} across all hosts, with no plateau up to ${highest}: use more threads or more hosts; ${of}.`;
}

/**
 * @param {MergedRamp} merged
 * @param {RampLimit} limit
 */
function limitOf({ capacity }, { side, lacks, slots }) {
  const rates = slots.map(({ operationsPerSecond }) => operationsPerSecond.toFixed(1)).join(', ');
  const figures = `${rates} ops/s with ${slots.map(({ hosts }) => hosts).join(', ')} hosts`;
  if (side === 'hosts') {
    return `Limited by the hosts: each new host added its share and the others kept theirs (${figures}), so the limit is their CPU, link, path or threads, not the bucket.`;
  }
  if (side === 'shared') {
    const { low, high } = /** @type {NonNullable<MergedRamp['capacity']>} */ (capacity);
    return `Limited by something the hosts share: the last host added nothing (${figures}; 95% CI ${low.toFixed(1)} to ${high.toFixed(1)}), so the limit is the bucket, the account, or a path that all of them use.`;
  }
  if (lacks === 'newcomer') {
    return `Cannot tell where the limit is: a host did almost nothing when it joined (${figures}), so its figures are missing.`;
  }
  if (lacks === 'proportion') {
    return `Cannot tell where the limit is: the total rate grew, but less than in proportion to the hosts (${figures}); add a slot with one more host to see whether it adds nothing or its full share.`;
  }
  return 'Cannot tell where the limit is: this requires two slots that count, the second with more hosts.';
}
