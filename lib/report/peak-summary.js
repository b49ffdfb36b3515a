/** @import { Aggregate } from '../merge/merge-hosts.js' */

/** @typedef {Aggregate['peaks']} Peaks */

/**
 * The peaks in the form in which JavaScript prints an object, as the tool's users have always seen them.
 *
 * @param {Peaks} peaks ops/s
 * @returns {string} lines of text; ops/s rounded to one decimal, which is left out where it is zero
 */
export function formatPeakSummary(peaks) {
  const lines = Object.entries(peaks).map(([stage, peak]) => `  ${propertyName(stage)}: ${Number(peak.toFixed(1))}`);
  return `Peak Performance: {\n${lines.join(',\n')}\n}\n`;
}

/** @param {string} stage */
function propertyName(stage) {
  return stage.includes('-') ? `'${stage}'` : stage;
}
