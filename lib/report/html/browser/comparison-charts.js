import { addChart, FROM_ZERO, readout } from './chart.js';
import { stageLine } from './theme.js';
import { decimal } from './units.js';

/** @import { ComparedLines } from '../comparison-page.js' */

/** @param {readonly ComparedLines[]} stages */
export function drawComparison(stages) {
  stages.forEach(({ names, rates }, number) => {
    const length = Math.max(...rates.map((line) => line.length));
    const seconds = Array.from({ length }, (_, second) => second + 0.5);
    const show = readout(`compared-${number}`);
    const text = (/** @type {number} */ second) =>
      names.map((name, index) => {
        const rate = rates[index][second] ?? null;
        return `${name} ${rate === null ? 'nothing' : `${decimal(rate, 0)} ops/s`}`;
      });
    addChart(`compared-${number}`, (colors) => ({
      height: 200,
      data: [seconds, ...rates.map((line) => seconds.map((_, second) => line[second] ?? null))],
      series: rates.map((_, index) => ({ ...stageLine(index, colors), width: 1.75 })),
      x: { time: false, range: [0, Math.max(length, 1)] },
      y: FROM_ZERO,
      onCursor: (second) => show(second === null ? null : `Second ${second + 1}: ${text(second).join(', ')}`),
    }));
  });
}
