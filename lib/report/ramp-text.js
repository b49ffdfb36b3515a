import { counted } from '../text/figures.js';
import { formatTimeOfDay } from '../text/units.js';
import { columnOf } from '../figures/catalogue.js';
import { shownStep } from '../figures/shown-step.js';
import { PLAIN, textTable } from '../figures/table.js';
import { describeShortfall } from '../model/ramp.js';
import { capacityText } from './headline.js';
import { listed } from './names.js';

/**
 * @import { MergedRamp, RampResult } from '../model/result.js'
 * @import { Column } from '../figures/table.js'
 *
 * @typedef {{ ramp: RampResult, merged: MergedRamp }} ShownRamp
 */

/** @typedef {ReturnType<typeof shownStep> & MergedRamp['slots'][number] & { note: string | null }} Row */

/** @type {readonly Column<Row>[]} */
const COLUMNS = [
  { title: 'Slot', value: ({ slotStart }) => formatTimeOfDay(slotStart) },
  columnOf('threads', ({ threads }) => threads),
  { title: 'Hosts', quantity: 'count', value: ({ hosts }) => hosts },
  columnOf('rate', ({ operationsPerSecond }) => operationsPerSecond),
  columnOf('p50', ({ p50 }) => p50),
  columnOf('p99', ({ p99 }) => p99),
  columnOf('errors', ({ errors }) => errors),
  { title: 'Does not count', value: ({ note }) => note },
];

/** One line per slot, over all hosts, then the conclusion. @param {ShownRamp} ramp */
export function formatRamp({ ramp, merged }) {
  const rows = merged.slots.map((slot, index) => ({
    ...shownStep(ramp.steps[index]),
    ...slot,
    note: slot.counts ? null : whyNot(slot.slotStart, merged),
  }));
  return [...textTable({ columns: COLUMNS, rows }, PLAIN), conclusionOf(merged)];
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
  if (merged.shardIsMissing || merged.capacity === null) {
    const reason = merged.shardIsMissing
      ? 'a shard has no log, so the sums do not include its operations'
      : 'no slot has figures from all hosts';
    return `Ramp: capacity unknown: ${reason}.`;
  }
  const counting = merged.slots.filter(({ counts }) => counts);
  const advice = merged.hasPlateau ? '' : ': use more threads or more hosts';
  return `Ramp: ${capacityText({ merge: { ramp: merged } }, merged.capacity)}${advice}; ${counting.length} of ${counted(merged.slots.length, 'slot')} count.`;
}
