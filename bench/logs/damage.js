/** @import { TrueLine } from './host-lines.js' */

/**
 * What may happen to a log, with the truth kept: a line that is gone tells nothing, one that stands twice tells it once.
 *
 * @typedef {object} Damage
 * @property {number} [cut] lines that are kept of the log
 * @property {number} [double] every how many-th line of a second is written twice
 */

/**
 * @param {Iterable<TrueLine>} lines
 * @param {Damage} damage
 * @returns {Generator<TrueLine, void, undefined>}
 */
export function* damaged(lines, { cut = Infinity, double = Infinity }) {
  let kept = 0;
  let seconds = 0;
  for (const line of lines) {
    if (kept >= cut) {
      return;
    }
    yield line;
    kept += 1;
    if (line.tells?.some((tells) => 'rate' in tells)) {
      seconds += 1;
      if (seconds % double === 0) {
        yield { text: line.text };
      }
    }
  }
}
