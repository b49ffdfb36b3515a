import { counted } from '../text/figures.js';
import { formatTimeOfDay } from '../text/units.js';
import { shownStep } from '../figures/shown-step.js';
import { describeShortfall } from '../model/ramp.js';
import { listed } from './names.js';

/**
 * @import { MergedRamp, RampResult } from '../model/result.js'
 *
 * @typedef {{ ramp: RampResult, merged: MergedRamp }} ShownRamp
 */

/** One line per slot, over all hosts, then the conclusion. @param {ShownRamp} ramp */
export function formatRamp({ ramp, merged }) {
  const head = ['Slot'.padEnd(8), ...['threads', 'hosts', 'ops/s', 'p50', 'p99', 'errors'].map(column)];
  const rows = merged.slots.map(({ slotStart, threads, hosts, operationsPerSecond, counts }, index) => {
    const { p50, p99, errors } = shownStep(ramp.steps[index]);
    const latencies = [p50, p99].map((ms) => (ms === null ? '-' : `${ms.toFixed(2)}ms`));
    const figures = [threads, hosts, operationsPerSecond.toFixed(1), ...latencies, errors].map(column);
    const note = counts ? '' : `  does not count: ${whyNot(slotStart, merged)}`;
    return `${[formatTimeOfDay(slotStart), ...figures].join('')}${note}`;
  });
  return [head.join(''), ...rows, conclusionOf(merged)];
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
    return `Ramp: capacity unknown: a shard has no log, so the sums do not include its operations.`;
  }
  if (merged.capacity === null) {
    return `Ramp: capacity unknown: no slot has figures from all hosts.`;
  }
  const { operationsPerSecond, low, high, threads } = merged.capacity;
  const rate = `${operationsPerSecond.toFixed(1)} ops/s (95% CI ${low.toFixed(1)} to ${high.toFixed(1)})`;
  const counting = merged.slots.filter(({ counts }) => counts);
  const of = `${counting.length} of ${counted(merged.slots.length, 'slot')} count`;
  if (merged.hasPlateau) {
    return `Ramp capacity: ${rate} from ${counted(threads, 'thread')} across all hosts; more threads were not faster; ${of}.`;
  }
  const highest = Math.max(...counting.map((slot) => slot.threads));
  return `Ramp capacity: at least ${rate} at ${counted(threads, 'thread')} across all hosts, with no plateau up to ${highest}: use more threads or more hosts; ${of}.`;
}
