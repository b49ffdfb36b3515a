import { counted } from '../text/figures.js';
import { formatTimeOfDay } from '../text/units.js';
import { describeShortfall } from '../model/ramp.js';
import { listed } from './names.js';

/**
 * @import { MergedRamp, RampLimit, RampResult } from '../model/result.js'
 *
 * @typedef {{ ramp: RampResult, merged: MergedRamp }} ShownRamp
 */

/**
 * What the slots of a ramp show of all hosts: a line for each, and what follows from them.
 *
 * @param {ShownRamp} ramp
 * @returns {string[]} lines
 */
export function formatRamp({ ramp, merged }) {
  const head = ['Slot'.padEnd(8), ...['threads', 'hosts', 'ops/s', 'p50', 'p99', 'errors'].map(column)];
  const rows = merged.slots.map(({ slotStart, threads, hosts, operationsPerSecond, counts }, place) => {
    const { latency, errors } = ramp.steps[place];
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
    const place = slots.indexOf(slotStart);
    return place < 0 ? [] : [`${host} ${describeShortfall(shortfalls[place])}`];
  });
  return listed(shardIsMissing ? [...absent, 'a shard has no log'] : absent);
}

/** @param {MergedRamp} merged */
function conclusionOf(merged) {
  if (merged.shardIsMissing) {
    return [`Ramp: cannot tell what the store can do: a shard has no log, and its operations are in no sum.`];
  }
  if (merged.capacity === null || merged.knee === null) {
    return [`Ramp: cannot tell what the store can do: there is no slot with figures of all hosts.`];
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
    return `Ramp capacity: ${rate} from ${counted(threads, 'thread')} of all hosts on: more of them brought no more; ${of}.`;
  }
  const most = Math.max(...counting.map((slot) => slot.threads));
  return `Ramp capacity: at least ${rate} at ${counted(threads, 'thread')} of all hosts, and no plateau up to ${most}: more threads, or more hosts, would tell more; ${of}.`;
}

/**
 * @param {MergedRamp} merged
 * @param {RampLimit} limit
 */
function limitOf({ capacity }, { side, lacks, slots }) {
  const rates = slots.map(({ operationsPerSecond }) => operationsPerSecond.toFixed(1)).join(', ');
  const figures = `${rates} ops/s with ${slots.map(({ hosts }) => hosts).join(', ')} hosts`;
  if (side === 'hosts') {
    return `Limited on the hosts' side: each further host brought what the first ones kept (${figures}), so the limit is their CPU, link, path or threads, and not the bucket.`;
  }
  if (side === 'shared') {
    const { low, high } = /** @type {NonNullable<MergedRamp['capacity']>} */ (capacity);
    return `Limited by what the hosts share: the last one brought no more (${figures}; 95% CI ${low.toFixed(1)} to ${high.toFixed(1)}), so it is the bucket, the account, or a path that all of them take.`;
  }
  if (lacks === 'newcomer') {
    return `Cannot tell whose limit it is: a host did next to nothing when it joined (${figures}), so its own figures are missing.`;
  }
  if (lacks === 'proportion') {
    return `Cannot tell whose limit it is: the sum grew, but by less than the hosts (${figures}); a slot with one more host is missing, which brings either nothing or as much as the others.`;
  }
  return 'Cannot tell whose limit it is: two slots that count, the second one with more hosts, are missing.';
}
