import { addChart, FROM_ZERO, readout } from './chart.js';
import { stageLine } from './theme.js';
import { decimal } from './units.js';

/** @import { ComparedLine } from '../comparison-page.js' */

/** @param {readonly ComparedLine[]} stages */
export function drawComparison(stages) {
  stages.forEach(({ names, before, after }, number) => {
    const length = Math.max(before.length, after.length);
    const seconds = Array.from({ length }, (_, second) => second + 0.5);
    const show = readout(`compared-${number}`);
    const text = (/** @type {number | null | undefined} */ rate) =>
      rate === null || rate === undefined ? 'nothing' : `${decimal(rate, 0)} ops/s`;
    addChart(`compared-${number}`, (colors) => ({
      height: 200,
      data: [seconds, ...[before, after].map((rates) => seconds.map((_, second) => rates[second] ?? null))],
      series: [0, 1].map((index) => ({ ...stageLine(index, colors), width: 1.75 })),
      x: { time: false, range: [0, Math.max(length, 1)] },
      y: FROM_ZERO,
      onCursor: (second) =>
        show(
          second === null
            ? null
            : `Second ${second + 1}: ${names[0]} ${text(before[second])}, ${names[1]} ${text(after[second])}`,
        ),
    }));
  });
}
